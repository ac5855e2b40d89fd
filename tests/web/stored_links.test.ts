// Links that were shared once, with what they carried. They are never made anew: whatever the page writes by now, it
// must still read these. A new form of link adds entries.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { decode } from "../../web/src/share/codec";

interface Stored {
  name: string;
  hash: string;
  text: string;
  view: [number, number] | null;
  look: string;
  engine: string;
}
const file = join(dirname(fileURLToPath(import.meta.url)), "links.json");
const links = JSON.parse(readFileSync(file, "utf8")) as Stored[];

test.each(links)("a stored link opens as it was: $name", async ({ hash, text, view, look, engine }) => {
  expect(await decode(hash)).toEqual({ kind: "ok", text, view, look, engine });
});
