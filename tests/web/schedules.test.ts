// Schedules as the page handles them: in the text, in the table that compares them, and in the editor's lists.
import { expect, test } from "vitest";
import { optionsFor } from "../../web/src/editor/complete";
import { placeAt } from "../../web/src/editor/path";
import { readSchedule, scheduleText, scheduleValue, writeSchedule } from "../../web/src/editor/schedule";
import { readRows, type Row, sortRows, verdictOf } from "../../web/src/state/compare_rows";
import { defaultOf, families, type ScheduleInfo, scheduleNamed } from "../../web/src/state/schedules";

test.each([
  ["pipeline:\n  schedule: 1f1b   # why\n  x: 1\n", "pipeline:\n  schedule: zb_v   # why\n  x: 1\n"],
  ['pipeline:\n  schedule: "1f1b"\n', "pipeline:\n  schedule: zb_v\n"],
  ["pipeline: {schedule: {name: x, chunks: 2}, a: 1}\n", "pipeline: {schedule: zb_v, a: 1}\n"],
  ["pipeline:\n  schedule:\n    name: x\n    chunks: 2\n  a: 1\n", "pipeline:\n  schedule: zb_v\n  a: 1\n"],
  ["pipeline:\n  schedule:\n    policy:\n      rules: [F, B]\n  a: 1\n", "pipeline:\n  schedule: zb_v\n  a: 1\n"],
  ["pipeline:\n  schedule:\n  a: 1\n", "pipeline:\n  schedule: zb_v\n  a: 1\n"],
  ["pipeline:\n  # first\n  a: 1\n", "pipeline:\n  # first\n  schedule: zb_v\n  a: 1\n"],
  ["pipeline: {a: 1}\n", "pipeline: {schedule: zb_v, a: 1}\n"],
  ["pipeline: {}\n", "pipeline: {schedule: zb_v}\n"],
  ["pipeline:\n", "pipeline:\n  schedule: zb_v\n"],
  ["simulation:\n  seed: 1\n", "simulation:\n  seed: 1\npipeline:\n  schedule: zb_v\n"],
  [
    "# note\nother: {schedule: 1f1b}\npipeline:\n    schedule: 1f1b\n",
    "# note\nother: {schedule: 1f1b}\npipeline:\n    schedule: zb_v\n",
  ],
])("another schedule takes the place of the old one in %j", (text, wanted) => {
  expect(writeSchedule(text as string, "zb_v")).toBe(wanted);
  expect(readSchedule(wanted as string)).toEqual({ form: "name", name: "zb_v", parameters: {} });
});

test("what is written is read with its parameters, and rules and orders are known as such", () => {
  const text = writeSchedule("pipeline:\n  schedule: 1f1b\n", "{name: interleaved_1f1b, chunks: 4, group: 8}");
  expect(text).toBe("pipeline:\n  schedule: {name: interleaved_1f1b, chunks: 4, group: 8}\n");
  expect(readSchedule(text)).toEqual({
    form: "name",
    name: "interleaved_1f1b",
    parameters: { chunks: "4", group: "8" },
  });
  expect(readSchedule("pipeline:\n  schedule: {policy: {rules: [F]}}\n").form).toBe("policy");
  expect(readSchedule("pipeline:\n  schedule:\n    order: [F0@0]\n").form).toBe("order");
  expect(readSchedule("simulation: {").form).toBe("none");
});

test("a schedule with parameters is written as a mapping, empty ones left out", () => {
  expect(scheduleText("zb_v", { a: "" })).toBe("zb_v");
  expect(scheduleText("zb_auto", { memory_limit: " [4, 3] ", lag: "" })).toBe("{name: zb_auto, memory_limit: [4, 3]}");
  expect(scheduleValue("zb_auto", { memory_limit: "[4, 3]", strict: "false" })).toEqual({
    name: "zb_auto",
    memory_limit: [4, 3],
    strict: false,
  });
  expect(scheduleValue("gpipe", {})).toBe("gpipe");
});

const info = (name: string, family: string, over: Partial<ScheduleInfo> = {}): ScheduleInfo => ({
  name,
  aliases: [],
  family,
  doc: `${name} it is`,
  parameters: [],
  constraints: [],
  weights_copies: 1,
  split_backward: false,
  synchronous: true,
  source: "",
  ...over,
});
const chunks = { name: "chunks", type: "integer", default: "2", range: [1, 4096] as [number, number], doc: "Stages" };
const lag = { ...chunks, name: "lag", default: "ranks - 1" };
const all = [
  info("gpipe", "one chunk"),
  info("interleaved_1f1b", "interleaved", { aliases: ["interleaved"], parameters: [chunks, lag] }),
  info("1f1b", "one chunk"),
];

test("families keep their order, aliases name the same schedule, defaults may speak of the ranks", () => {
  expect(families(all).map(([family, own]) => [family, own.length])).toEqual([
    ["one chunk", 2],
    ["interleaved", 1],
  ]);
  expect(scheduleNamed(all, "interleaved")?.name).toBe("interleaved_1f1b");
  expect([defaultOf(lag, 8), defaultOf(chunks, 8), defaultOf({ ...lag, default: "ranks" }, 4)]).toEqual([
    "7",
    "2",
    "4",
  ]);
});

const labels = (marked: string) => {
  const pos = marked.indexOf("|");
  const doc = marked.replace("|", "");
  return optionsFor({}, doc, placeAt(doc, pos), all).map((option) => option.label);
};

test("the editor offers names of schedules, and the parameters of the one that is named", () => {
  expect(labels("pipeline:\n  schedule: |")).toEqual(["gpipe", "interleaved_1f1b", "1f1b"]);
  expect(labels("pipeline:\n  schedule: {name: in|}")).toEqual(["gpipe", "interleaved_1f1b", "1f1b"]);
  expect(labels("pipeline:\n  schedule: {name: interleaved, |}")).toEqual(["chunks", "lag"]);
  expect(labels("pipeline:\n  schedule: {name: interleaved, chunks: 2, |}")).toEqual(["lag"]);
  expect(labels("pipeline:\n  schedule: {name: gpipe, |}")).toEqual([]);
});

const json = JSON.stringify({
  schedules: [
    {
      name: "a",
      current: true,
      makespan_ms: 20,
      bubble: { idle_over_makespan: 0.4 },
      gap_pct: 10,
      peak_memory_bytes: 50,
      peak_in_flight_stages: 4,
      fits: true,
      weight_copies: 1,
    },
    {
      name: "b",
      makespan_ms: 10,
      bubble: { idle_over_makespan: 0.1 },
      gap_pct: null,
      peak_memory_bytes: 90,
      peak_in_flight_stages: 8,
      fits: true,
      weight_copies: 2,
    },
    {
      name: "c",
      makespan_ms: 5,
      bubble: { idle_over_makespan: 0.1 },
      gap_pct: 1,
      peak_memory_bytes: 900,
      peak_in_flight_stages: 9,
      fits: false,
      weight_copies: 1,
    },
    { name: "d", makespan_ms: 4, peak_memory_bytes: 40, fits: true },
    { name: "z", reason: "ranks must be even" },
    { name: "e", reason: "microbatches must be even" },
  ],
});
const names = (rows: Row[]) => rows.map((row) => row.name).join("");

test("rows sort by any column, those that cannot run last", () => {
  const rows = readRows(json);
  expect(names(sortRows(rows, "time", false))).toBe("dcbaez");
  expect(names(sortRows(rows, "bytes", true))).toBe("cbadez");
  expect(names(sortRows(rows, "gap", false)).slice(0, 2)).toBe("ca");
  expect(names(sortRows(rows, "name", true))).toBe("dcbaze");
  expect(readRows("")).toEqual([]);
});

test("the answer is the fastest that fits and trains on current weights, and the leanest when that is another", () => {
  const verdict = verdictOf(readRows(json), new Set(["d"]));
  expect([verdict?.fastest.name, verdict?.leanest?.name, verdict?.current?.name]).toEqual(["b", "a", "a"]);
  expect(verdictOf(readRows('{"schedules":[{"name":"x","makespan_ms":3,"fits":false}]}'), new Set())).toBeNull();
});
