// Every example of the gallery runs in the browser; its trace hash is printed, and written where the other targets'
// hashes are compared.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { root } from "./harness.mjs";

const folder = resolve(process.env.SLUICE_EXAMPLES_DIR ?? join(root, "examples"));
const list = () =>
  ["", "hops/"].flatMap((below) => {
    try {
      return readdirSync(join(folder, below))
        .filter((file) => file.endsWith(".yaml"))
        .sort()
        .map((file) => below + file);
    } catch {
      return [];
    }
  });

export const cases = [
  [
    "every example runs, each with its trace hash",
    async ({ newWindow }) => {
      const examples = list();
      assert.ok(examples.length > 0, "there are no examples");
      const lines = [];
      const w = await newWindow();
      for (const example of examples) {
        const text = readFileSync(join(folder, example), "utf8");
        await w.open(`#y=${encodeURIComponent(text)}`);
        await w.settled();
        lines.push(`${example} ${await w.traceHash()}`);
      }
      const file = process.env.SLUICE_HASH_FILE ?? join(root, "build/test/hashes-chromium.txt");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${lines.join("\n")}\n`);
      return `${lines.length} examples`;
    },
  ],
];
