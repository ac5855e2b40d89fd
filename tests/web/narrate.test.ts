// What is said at each moment of a small run, by hand: two ranks, two microbatches, 1F1B, times in nanoseconds.
import { expect, test } from "vitest";
import { momentAt, phaseAt, phasesOf, stepFrom } from "../../web/src/play/narrate";
import type { Plan } from "../../web/src/worker/protocol";
import { KINDS, type RowOf, traceOf } from "./traces";

const US = 1e6;
const plan = { kinds: KINDS, stages: 2, pipes: 1, slices: 1, microbatches: 2, batches: 1, ranks: [], resources: [] } as Plan;
const row = (on: number, kind: string, at: number, to: number, mb = 0, after?: number): RowOf => ({
  on,
  kind,
  at: at * US,
  to: to * US,
  mb,
  after,
});
/** Rank 0 is resource 0, rank 1 is 1, the link down is 2; rows in order of start. */
const ROWS = [
  row(0, "F", 0, 10, 0),
  row(0, "F", 10, 20, 1, 0),
  row(2, "activation", 10, 12, 0, 0),
  row(1, "F", 12, 22, 0, 2),
  row(1, "B", 22, 42, 0, 3),
  row(0, "B", 42, 62, 0, 4),
  row(1, "F", 42, 52, 1, 4),
  row(1, "B", 52, 72, 1, 6),
  row(0, "B", 72, 92, 1, 7),
  row(0, "update", 92, 95, 0, 8),
];
const trace = traceOf(ROWS, 3, 2);
const phases = phasesOf(trace, plan);

test("a step has a warm-up, a steady part, a drain and an update", () => {
  expect(phases).toEqual([{ start: 0, firstBackward: 22 * US, lastForward: 52 * US, lastBackward: 92 * US }]);
  const at = (t: number) => phaseAt(phases, trace.end, t * US).phase;
  expect([0, 21, 22, 51, 52, 91, 92, 95].map(at)).toEqual([
    "warm-up",
    "warm-up",
    "steady",
    "steady",
    "drain",
    "drain",
    "update",
    "end",
  ]);
});

test("batches are told apart by the newest that has begun", () => {
  const two = [phases[0], { start: 95 * US, firstBackward: 117 * US, lastForward: 140 * US, lastBackward: 180 * US }];
  expect(phaseAt(two, 190 * US, 94 * US)).toEqual({ phase: "update", batch: 0 });
  expect(phaseAt(two, 190 * US, 95 * US)).toEqual({ phase: "warm-up", batch: 1 });
});

test("who works and who has waited longest for what", () => {
  const early = momentAt(trace, plan, 11 * US);
  expect(early).toMatchObject({ working: 1, devices: 2, carrying: 1 });
  expect(early.waiting?.gap).toMatchObject({ lane: 1, start: 0, end: 12 * US });
  expect(early.waiting?.decider).toBe(trace.offsets[2]);
  const late = momentAt(trace, plan, 30 * US);
  expect(late).toMatchObject({ working: 1, carrying: 0 });
  // Rank 0 waits from 20 to 42 for the backward on rank 1, its second slice.
  expect(late.waiting?.gap).toMatchObject({ lane: 0, start: 20 * US, end: 42 * US });
  expect(late.waiting?.decider).toBe(trace.offsets[1] + 1);
  // Rank 1 has nothing to come after 72: that is no wait.
  expect(momentAt(trace, plan, 80 * US).waiting).toBeNull();
});

test("steps go from start to start on any device", () => {
  const starts = [];
  for (let t = 0; t < trace.end; ) starts.push((t = stepFrom(trace, t, true)) / US);
  expect(starts).toEqual([10, 12, 22, 42, 52, 72, 92, 95]);
  const back = [];
  for (let t = trace.end; t > 0; ) back.push((t = stepFrom(trace, t, false)) / US);
  expect(back).toEqual([92, 72, 52, 42, 22, 12, 10, 0]);
});
