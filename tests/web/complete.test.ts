// Where a position stands in the text, and what may be written there.
import { expect, test } from "vitest";
import { optionsFor } from "../../web/src/editor/complete";
import { keyAt, placeAt } from "../../web/src/editor/path";
import { positionOf, unitOffset } from "../../web/src/editor/places";
import { factsOf, keysAt, type Schema, schemasAt, valuesAt } from "../../web/src/editor/schema";

const schema: Schema = {
  type: "object",
  $defs: { rate: { type: "number", exclusiveMinimum: 0, description: "Bytes per second." } },
  properties: {
    simulation: {
      type: "object",
      properties: {
        physics: { enum: ["sluice", "hops"], default: "sluice", description: "Bundle of assumptions." },
        microbatches: { type: "integer", minimum: 1 },
        seed: { type: "integer", default: 0 },
      },
    },
    pipeline: {
      type: "object",
      properties: {
        model: { type: "object", properties: { preset: { type: "string", examples: ["llama-3-8b", "mixtral-8x7b"] } } },
        schedule: { anyOf: [{ enum: ["1f1b", "gpipe"] }, { type: "object", properties: { name: {}, chunks: {} } }] },
        stages: {
          type: "array",
          items: { type: "object", properties: { device: { type: "string" }, layers: { type: "integer" } } },
        },
      },
    },
    hardware: {
      type: "object",
      properties: {
        links: { type: "array", items: { properties: { from: {}, to: {}, bandwidth_GBps: { $ref: "#/$defs/rate" } } } },
      },
    },
  },
} as Schema;

/** The place of `|` in a text. */
function at(marked: string) {
  const pos = marked.indexOf("|");
  const doc = marked.replace("|", "");
  return { doc, place: placeAt(doc, pos) };
}
const labels = (marked: string) => {
  const { doc, place } = at(marked);
  return optionsFor(schema, doc, place).map((option) => option.label);
};

test.each([
  ["|", [], "key"],
  ["sim|", [], "key"],
  ["simulation:\n  |", ["simulation"], "key"],
  ["simulation:\n  seed: 1\n  mi|", ["simulation"], "key"],
  ["simulation:\n  physics: |", ["simulation", "physics"], "value"],
  ["simulation:\n  physics: ho|\n  seed: 1\n", ["simulation", "physics"], "value"],
  ["simulation:\n  seed: 1\npipeline:\n  schedule: |", ["pipeline", "schedule"], "value"],
  ["pipeline:\n  schedule:\n    |", ["pipeline", "schedule"], "key"],
  ["pipeline:\n  stages:\n    - |", ["pipeline", "stages", "[]"], "key"],
  ["pipeline:\n  stages:\n  - |", ["pipeline", "stages", "[]"], "key"],
  ["pipeline:\n  stages:\n    - device: a\n      lay|", ["pipeline", "stages", "[]"], "key"],
  [
    "pipeline:\n  stages:\n    - device: a\n      layers: 4\n    - device: |",
    ["pipeline", "stages", "[]", "device"],
    "value",
  ],
  ["pipeline:\n  stages:\n    - {device: a, |}", ["pipeline", "stages", "[]"], "key"],
  ["pipeline:\n  stages:\n    - {device: a, layers: |}", ["pipeline", "stages", "[]", "layers"], "value"],
  ["simulation: {|}", ["simulation"], "key"],
  ["# note: {\nsimulation:\n  |", ["simulation"], "key"],
  ["simulation:\n  seed: 1\n\n  # more\n  |", ["simulation"], "key"],
  ["simulation:\n  seed: 1\n|", [], "key"],
])("the place in %j", (marked, path, wants) => {
  expect(at(marked as string).place).toMatchObject({ path, wants });
});

test("keys are offered where they are not yet written", () => {
  expect(labels("simulation:\n  seed: 1\n  |")).toEqual(["physics", "microbatches"]);
  expect(labels("pipeline:\n  stages:\n    - {device: a, |}")).toEqual(["layers"]);
  expect(labels("simulation:\n  seed: 1\n|")).toEqual(["pipeline", "hardware"]);
});

test("values are those of the schema, and names defined in the text", () => {
  expect(labels("simulation:\n  physics: |")).toEqual(["sluice", "hops"]);
  expect(labels("pipeline:\n  schedule: |")).toEqual(["1f1b", "gpipe"]);
  const devices = "hardware:\n  devices:\n    - {id: a0, gpu: h100}\n    - id: a1\n  links:\n    - {from: |}";
  expect(labels(devices)).toEqual(["a0", "a1"]);
});

test("hover finds the key above a key and above its value", () => {
  const doc = "hardware:\n  links:\n    - {from: h3, bandwidth_GBps: 1.25}\nsimulation:\n  seed: 7\n";
  expect(keyAt(doc, doc.indexOf("bandwidth") + 3)?.path).toEqual(["hardware", "links", "[]", "bandwidth_GBps"]);
  expect(keyAt(doc, doc.indexOf("1.25") + 1)?.path).toEqual(["hardware", "links", "[]", "bandwidth_GBps"]);
  expect(keyAt(doc, doc.indexOf("seed") + 1)?.path).toEqual(["simulation", "seed"]);
});

test("words that a text may well be are offered, and others are not refused", () => {
  expect(labels("pipeline:\n  model: {preset: |}")).toEqual(["llama-3-8b", "mixtral-8x7b"]);
});

test("references and alternatives are followed", () => {
  const found = schemasAt(schema, ["hardware", "links", "[]", "bandwidth_GBps"]);
  expect(found[0].description).toBe("Bytes per second.");
  expect(factsOf(found[0])).toBe("number, above 0");
  expect(keysAt(schema, ["pipeline", "schedule"]).map((key) => key.name)).toEqual(["name", "chunks"]);
  expect(valuesAt(schema, ["pipeline", "schedule"]).map((value) => value.value)).toEqual(["1f1b", "gpipe"]);
  expect(factsOf(schemasAt(schema, ["simulation", "physics"])[0])).toBe('name, default "sluice"');
});

test("columns count characters, also those outside the basic plane", () => {
  expect(positionOf("a: 1\nbc: 2\n", 2, 5)).toBe(9);
  expect(positionOf("a: 1", 9, 9)).toBe(4);
  expect(positionOf("a: 1\nb", 1, 99)).toBe(4);
  expect(unitOffset("é→𝄞x", 4)).toBe(4);
});
