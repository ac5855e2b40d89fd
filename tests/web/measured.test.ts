// A recorded run and its replay as lanes, pairs and figures.
import { expect, test } from "vitest";
import { type Imported, linesOf, pairsOf, planOf, traceOf } from "../../web/src/import/measured";
import { NONE } from "../../web/src/worker/protocol";

const ms = 1e9;
const figures = {
  microbatches: 1,
  period_median_ms: 100,
  throughput_mb_per_s: 10,
  bubble_ratio: 0,
  utilization_per_stage: [0.5, 0.7],
  forward_mean_ms: [10, 30],
  backward_mean_ms: [20, null],
  update_mean_ms: [null, null],
  pause_median_ms: null,
  hops: [
    { median_ms: 1, count: 3 },
    { median_ms: 5, count: 1 },
  ],
};
const imported: Imported = {
  ok: true,
  report: {
    format: "torch",
    ranks: [0, 4],
    devices: ["", "H100"],
    order: "1f1b",
    first_iteration: 1,
    last_iteration: 3,
    measured: figures,
    simulated: { ...figures, period_median_ms: 99, hops: [{ median_ms: 3, count: 2 }] },
    notes: [],
    scenario: "",
  },
  step: {
    measured: [
      [1, "F", 1, 0, 11, 21],
      [0, "F", 0, 0, 0, 10],
      [0, "update", 0, 0, 40, 45],
    ],
    simulated: [[0, "F", 0, 0, 0, 9.5]],
  },
};

test("ranks are lanes, with their stages, in the order of time", () => {
  const plan = planOf(imported);
  expect(plan.ranks.map(({ rank, stages }) => [rank, stages])).toEqual([
    [0, [0]],
    [4, [1]],
  ]);
  const trace = traceOf(imported.step.measured, 2);
  expect([...trace.offsets]).toEqual([0, 2, 3]);
  expect([...trace.start]).toEqual([0, 40 * ms, 11 * ms]);
  expect([...trace.microbatch]).toEqual([0, NONE, 0]);
  expect(trace.end).toBeCloseTo(45 * ms, -3);
});

test("operations stand beside their own in the replay", () => {
  expect(pairsOf(imported)).toEqual([
    { rank: 4, name: "F0@1", measured: [11, 10], simulated: null },
    { rank: 0, name: "F0@0", measured: [0, 10], simulated: [0, 9.5] },
    { rank: 0, name: "update", measured: [40, 5], simulated: null },
  ]);
});

test("figures are means of what is known, and what neither has is left out", () => {
  const lines = linesOf(imported.report);
  expect(lines.map(({ id }) => id)).toEqual(["period", "forward", "backward", "message", "throughput", "bubble", "utilization"]);
  const by = Object.fromEntries(lines.map((line) => [line.id, line]));
  expect(by.period.error).toBeCloseTo(-0.01);
  expect(by.forward.measured).toBe(20);
  expect(by.backward.measured).toBe(20);
  // (3 · 1 + 1 · 5) / 4 against 3.
  expect([by.message.measured, by.message.simulated, by.message.error]).toEqual([2, 3, 0.5]);
  expect(by.bubble.error).toBeNull();
});
