// From the module's table to lanes, and what is idle in them.
import { expect, test } from "vitest";
import { defaultSelection, idlestLane } from "../../web/src/state/first_look";
import { gapBefore, idleSplit, laneOf, placeOf } from "../../web/src/timeline/gaps";
import { across, neighbour, thingAt } from "../../web/src/timeline/hit";
import { NONE, type Plan } from "../../web/src/worker/protocol";
import { channels } from "../../web/src/timeline/palette";
import { chunkAt, shade, textOn } from "../../web/src/timeline/shades";
import { forwardTime } from "../../web/src/worker/units";
import { KINDS, traceOf } from "./traces";

const ms = 1e9;
// Two devices (resources 0, 1), a link each way (2, 3), a link that never carries anything (4).
const rows = [
  { at: 0, to: 10 * ms, kind: "F", on: 0, mb: 0 },
  { at: 10 * ms, to: 20 * ms, kind: "F", on: 0, mb: 1, after: 0 },
  { at: 10 * ms, to: 15 * ms, kind: "activation", on: 2, mb: 0, after: 0 },
  { at: 15 * ms, to: 25 * ms, kind: "F", on: 1, mb: 0, after: 2 },
  { at: 25 * ms, to: 45 * ms, kind: "B", on: 1, mb: 0, after: 3 },
  { at: 45 * ms, to: 50 * ms, kind: "gradient", on: 3, mb: 0, after: 4 },
  { at: 50 * ms, to: 70 * ms, kind: "B", on: 0, mb: 0, after: 5 },
];
const trace = traceOf(rows, 5, 2);

test("every device has a lane, a link only when it carried something", () => {
  expect(trace.lanes).toBe(4);
  expect([...trace.resource]).toEqual([0, 1, 2, 3]);
  expect([...trace.offsets]).toEqual([0, 3, 5, 6, 7]);
});

test("lanes keep the order of starts, and predecessors point to slices", () => {
  expect([...trace.row]).toEqual([0, 1, 6, 3, 4, 2, 5]);
  expect([...trace.predecessor]).toEqual([NONE, 0, 6, 5, 3, 0, 4]);
  expect(trace.end).toBe(70 * ms);
  expect([...trace.busy]).toEqual([40 * ms, 30 * ms, 5 * ms, 5 * ms]);
  expect([0, 2, 3, 5, 6].map((i) => laneOf(trace, i))).toEqual([0, 0, 1, 2, 3]);
});

test("overlapping transfers count once in what is busy", () => {
  const shared = traceOf(
    [
      { at: 0, to: 1, kind: "F", on: 0 },
      { at: 0, to: 10, kind: "activation", on: 1 },
      { at: 2, to: 6, kind: "activation", on: 1 },
      { at: 8, to: 14, kind: "activation", on: 1 },
    ],
    2,
    1,
  );
  expect(shared.busy[1]).toBe(14);
  expect(thingAt(shared, 1, 9)).toEqual({ type: "slice", index: 3 });
  expect(thingAt(shared, 1, 7)).toEqual({ type: "slice", index: 1 });
  expect(thingAt(shared, 1, 20)).toBeNull();
});

test("a failed device is not busy", () => {
  const failed = traceOf(
    [
      { at: 0, to: 4, kind: "F", on: 0 },
      { at: 4, to: 10, kind: "failure", on: 0, after: 0 },
      { at: 10, to: 14, kind: "B", on: 0, after: 1 },
    ],
    1,
    1,
  );
  expect(failed.busy[0]).toBe(8);
});

test("gaps lie before the first operation, between two, and after the last", () => {
  expect(gapBefore(trace, 0, 0)).toBeNull();
  expect(gapBefore(trace, 0, 2)).toMatchObject({ start: 20 * ms, end: 50 * ms });
  const warmUp = gapBefore(trace, 1, 3);
  const drain = gapBefore(trace, 1, 5);
  expect(warmUp && placeOf(trace, warmUp)).toBe("warm-up");
  expect(drain && placeOf(trace, drain)).toBe("drain");
  expect(gapBefore(trace, 2, 5)).toBeNull();
  expect(idleSplit(trace, 1)).toEqual({ warmUp: 15 * ms, drain: 25 * ms, between: 0, total: 40 * ms });
  expect(idleSplit(trace, 0)).toEqual({ warmUp: 0, drain: 0, between: 30 * ms, total: 30 * ms });
});

test("arrow keys walk operations and gaps in turn, and cross to what lies at the same time", () => {
  const walk = [];
  let at = thingAt(trace, 0, 1);
  while (at) {
    walk.push(at.type === "gap" ? "gap" : at.index);
    at = neighbour(trace, at, true);
  }
  expect(walk).toEqual([0, 1, "gap", 2]);
  expect(across(trace, { type: "slice", index: 4 }, 0)).toMatchObject({ type: "gap", next: 2 });
  expect(across(trace, { type: "slice", index: 0 }, 3)).toEqual({ type: "slice", index: 6 });
});

test("the first look goes to the device that idles most, and to a gap a link has a part in", () => {
  expect(idlestLane(trace)).toBe(1);
  expect(defaultSelection(trace)).toMatchObject({ type: "gap", lane: 0, next: 2 });
});

// Two ranks, a pipe each way, and one overlapped cell on each of them at the same time.
const both = traceOf(
  [
    { at: 0, to: 10, kind: "F", on: 0, mb: 0 },
    { at: 0, to: 10, kind: "F", on: 1, mb: 1, pipe: 1 },
    { at: 10, to: 40, kind: "FB", on: 0, mb: 1, pipe: 1, after: 1 },
    { at: 10, to: 40, kind: "B", on: 0, mb: 0, after: 1 },
    { at: 10, to: 40, kind: "FB", on: 1, mb: 0, after: 0 },
    { at: 10, to: 40, kind: "I", on: 1, mb: 1, pipe: 1, after: 0 },
    { at: 40, to: 50, kind: "W", on: 1, mb: 1, pipe: 1, after: 5 },
  ].map((row) => ({ ...row, at: row.at * ms, to: row.to * ms })),
  2,
  2,
);

test("the rows of an overlapped cell stay together, each with its half", () => {
  expect([...both.half]).toEqual([0, 1, 2, 0, 1, 2, 0]);
  expect([...both.pipe]).toEqual([0, 1, 0, 1, 0, 1, 1]);
  expect([...both.busy]).toEqual([40 * ms, 50 * ms]);
  expect([...both.predecessor]).toEqual([NONE, 3, 3, NONE, 0, 0, 5]);
  expect(gapBefore(both, 0, 2)).toBeNull();
  expect(gapBefore(both, 0, 3)).toMatchObject({ type: "gap", end: 50 * ms });
});

test("a point in an overlapped cell is in the half it lies in, and arrow keys pass through both", () => {
  expect(thingAt(both, 0, 20 * ms, true)).toEqual({ type: "slice", index: 1 });
  expect(thingAt(both, 0, 20 * ms, false)).toEqual({ type: "slice", index: 2 });
  expect(thingAt(both, 0, 5 * ms, false)).toEqual({ type: "slice", index: 0 });
  const walk = [];
  let at = thingAt(both, 1, 1);
  while (at) {
    walk.push(at.type === "gap" ? "gap" : at.index);
    at = neighbour(both, at, true);
  }
  expect(walk).toEqual([3, 4, 5, 6]);
});

const plan = (stages: number[][], over: Partial<Plan>): Plan => ({
  kinds: KINDS,
  stages: 2,
  pipes: 1,
  slices: 1,
  microbatches: 2,
  batches: 1,
  resources: [],
  ranks: stages.map((own, rank) => ({ rank, resource: rank, device: `d${rank}`, node: "", stages: own })),
  ...over,
});

test("the unit of time is the forward of a microbatch on a rank, whatever it is cut into", () => {
  const whole = traceOf(
    [0, 1].map((mb) => ({ at: 10 * mb, to: 10 * mb + 10, kind: "F", on: 0, mb })),
    1,
    1,
  );
  expect(forwardTime(whole, plan([[0]], {}))).toBe(10);
  const chunks = traceOf(
    [0, 1, 2, 3].map((n) => ({ at: 5 * n, to: 5 * n + 5, kind: "F", on: 0, mb: n % 2 })),
    1,
    1,
  );
  expect(forwardTime(chunks, plan([[0, 1]], {}))).toBe(10);
  // One forward alone and one in a cell that takes longer: the cell counts as one more of the same.
  expect(forwardTime(both, plan([[0], [1]], { pipes: 2 }))).toBe(10 * ms);
});

test("stages of a rank get lighter in their order, and their text can be read on each", () => {
  const v = plan(
    [
      [0, 3],
      [1, 2],
    ],
    { stages: 4 },
  );
  expect([chunkAt(v, 0, 0), chunkAt(v, 0, 3), chunkAt(v, 0, 2)]).toEqual([0, 1, 1]);
  const two = plan(
    [
      [0, 3],
      [1, 2],
    ],
    { pipes: 2 },
  );
  expect([chunkAt(two, 0, 1), chunkAt(two, 1, 1), chunkAt(two, 1, 0)]).toEqual([0, 1, 1]);
  const base = { fill: "#4477aa", text: "#ffffff", edge: "#000000" };
  expect(shade(base, 0, 4)).toBe(base);
  const fills = [1, 2, 3].map((place) => shade(base, place, 4));
  const sums = fills.map((ink) => channels(ink.fill).reduce((a, b) => a + b, 0));
  expect(sums[0] < sums[1] && sums[1] < sums[2]).toBe(true);
  expect(textOn([255, 255, 0])).toBe("#000000");
  expect(textOn([53, 105, 176])).toBe("#ffffff");
});
