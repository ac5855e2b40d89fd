// Quick controls: values found and replaced in the text, scales of sliders; and formatting and blocks of the editor.
import { expect, test } from "vitest";
import { readList, readScalar, writeScalar } from "../../web/src/editor/scalar";
import { blockText } from "../../web/src/editor/snippets";
import { tidied } from "../../web/src/editor/tidy";
import { scaleOf, STEPS } from "../../web/src/quick/scale";

const TEXT = `# title: x
simulation: {microbatches: 16, seed: 7}   # one step
pipeline:
  schedule: 1f1b          # try zb_h1
  model:
    hidden_dim: "5120"
  stages: [{device: a}]
ui: [simulation.microbatches, "pipeline.schedule"]
`;

test.each([
  ["simulation.microbatches", "16"],
  ["simulation.seed", "7"],
  ["pipeline.schedule", "1f1b"],
  ["pipeline.model.hidden_dim", "5120"],
  ["pipeline.stages", undefined],
  ["pipeline.model", undefined],
  ["pipeline.nothing", undefined],
  ["nothing.at.all", undefined],
])("%s is %s", (path, value) => expect(readScalar(TEXT, path)?.value).toBe(value));

test("a value is replaced, and nothing else", () => {
  expect(writeScalar(TEXT, "simulation.microbatches", "32")).toBe(TEXT.replace("16", "32"));
  expect(writeScalar(TEXT, "pipeline.schedule", "gpipe")).toBe(TEXT.replace("1f1b ", "gpipe "));
  expect(writeScalar(TEXT, "pipeline.nothing", "1")).toBe(TEXT);
});

test("lists are read in both forms", () => {
  expect(readList(TEXT, "ui")).toEqual(["simulation.microbatches", "pipeline.schedule"]);
  expect(readList("ui:\n  - a.b\n  - c # why\n", "ui")).toEqual(["a.b", "c"]);
  expect(readList("pipeline: 1\n", "ui")).toEqual([]);
});

test("a slider goes by factors from the value in its middle, and never leaves the range", () => {
  const whole = scaleOf(16, { type: "integer", minimum: 1 });
  expect(whole && [0, 16, 32, 48, STEPS].map(whole.at)).toEqual([1, 4, 16, 64, 256]);
  expect(whole && [1, 16, 256, 5000].map(whole.placeOf)).toEqual([0, 32, STEPS, STEPS]);
  const size = scaleOf(0.5, { type: "number", minimum: 0, maximum: 2 });
  expect(size?.at(STEPS)).toBe(2);
  expect(size?.at(0)).toBe(0.0313);
});

test("a share goes evenly from 0 to 1, and what has no size has no slider", () => {
  const share = scaleOf(0, { type: "number", minimum: 0, maximum: 1 });
  expect(share && [0, 16, STEPS].map(share.at)).toEqual([0, 0.25, 1]);
  expect(scaleOf(0, { type: "number", minimum: 0 })).toBeNull();
});

test("tidying changes blanks and nothing that has a meaning", () => {
  expect(tidied("\n\na: 1  \r\n\n\n\tb: 2\n  c: 3\t# x  \n\n\n")).toBe("a: 1\n\n  b: 2\n  c: 3\t# x\n");
  const block = "a: |\n  one  \n\n\n  two\nb: 1\n";
  expect(tidied(block)).toBe(block);
  expect(tidied(tidied(TEXT))).toBe(tidied(TEXT));
  expect(tidied("  \n")).toBe("");
});

test("a block stands at the indent of its line", () => {
  expect(blockText("model", "hidden_dim: 1\nseq_len: 2", "  ")).toBe("model:\n    hidden_dim: 1\n    seq_len: 2");
});
