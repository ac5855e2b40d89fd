// What a file is, by its content.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kindOf } from "../../web/src/import/kind";

test.each([
  ["0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n", "order"],
  ['"0F0", ,0SEND_F0\r\n1RECV_F0,1F0,1B0\r\n', "order"],
  ["0F0,(0F7;7B3)OVERLAP_F_B,0I1,0W1\n", "order"],
  ["# by hand\nF0@0 F1@0 B0@0\nF0@1 (F1@1|B0@1)\n", "order"],
  ["F0.0@0 F0.1@0 B0.1@0\n", "order"],
  ['{"schema_version": 1, "time_ms": {"makespan_ms": 1}}', "result"],
  ["simulation:\n  microbatches: 4\n", "scenario"],
  ["# title: x\nsimulation: {microbatches: 4}\n", "scenario"],
  ['{"simulation": {"microbatches": 4}, "pipeline": {}}', "scenario"],
  ["a: [", "scenario"],
  ["", "unknown"],
  ["\u0089PNG\r\n\u001a\n\0\0", "unknown"],
  ["dear reader\nthis is prose\n", "unknown"],
])("%j is %s", (text, kind) => expect(kindOf(text).kind).toBe(kind));

test("every example is a scenario", () => {
  const folder = join(import.meta.dirname, "../../examples");
  const files = readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith(".yaml"));
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) expect(kindOf(readFileSync(join(folder, String(file)), "utf8")).kind, String(file)).toBe("scenario");
});
