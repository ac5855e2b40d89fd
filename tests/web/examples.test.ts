// The gallery's entries: what the comment lines at the top of a scenario say, and that each example says it.
import { existsSync } from "node:fs";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { readExamples } from "../../web/plugins/examples";

test("a scenario's heading gives title, level, minutes and a sentence", () => {
  const dir = mkdtempSync(join(tmpdir(), "examples-"));
  mkdirSync(join(dir, "hops"));
  writeFileSync(
    join(dir, "b.yaml"),
    "# title: Two: words\n# level: first steps\n# minutes: 3\n# about: Why.\nsimulation:\n",
  );
  writeFileSync(join(dir, "hops", "a.yaml"), "simulation:\n# title: too late\n");
  const entries = readExamples(dir);
  rmSync(dir, { recursive: true });
  expect(entries.map(({ text: _text, ...rest }) => rest)).toEqual([
    { path: "b.yaml", title: "Two: words", level: "first steps", minutes: 3, about: "Why." },
    { path: "hops/a.yaml", title: "hops/a.yaml", level: "schedules", minutes: 0, about: "" },
  ]);
});

const dir = resolve(import.meta.dirname, "../../examples");
test.skipIf(!existsSync(dir))("every example says what it is", () => {
  const poor = readExamples(dir).filter((entry) => !entry.about || entry.minutes === 0 || entry.title === entry.path);
  expect(poor.map((entry) => entry.path)).toEqual([]);
  expect(readExamples(dir).some((entry) => entry.path === "default.yaml")).toBe(true);
});
