// The moves of a figure from one plan to a better one, and the ranking of plans.
import { expect, test } from "vitest";
import { onTheWay, placesIn } from "../../web/src/tune/morph";
import { ranked } from "../../web/src/tune/report";
import { traceOf } from "./traces";

const before = traceOf(
  [
    { at: 0, to: 10, kind: "F", on: 0, mb: 0 },
    { at: 10, to: 30, kind: "B", on: 0, mb: 0 },
  ],
  1,
  1,
);
// The backward comes later and is shorter; the update was not there before.
const after = traceOf(
  [
    { at: 0, to: 10, kind: "F", on: 0, mb: 0 },
    { at: 20, to: 30, kind: "B", on: 0, mb: 0 },
    { at: 30, to: 34, kind: "update", on: 0 },
  ],
  1,
  1,
);
const run = { trace: after, plan: {} as never, pyramid: null };

test("an operation moves evenly from its old place and length to its new ones; what is new stands where it will", () => {
  const places = placesIn(before, after);
  expect([...places.start]).toEqual([0, 10, 30]);
  expect([...places.dur]).toEqual([10, 20, 4]);
  const half = onTheWay(places, run, 0.5).trace;
  expect([...half.start]).toEqual([0, 15, 30]);
  expect([...half.dur]).toEqual([10, 15, 4]);
  expect([...onTheWay(places, run, 1).trace.start]).toEqual([...after.start]);
  // The run itself stays as it is.
  expect([...after.start]).toEqual([0, 20, 30]);
});

test("plans that fit come first, then the fastest; those that cannot run are left out", () => {
  const candidates = [
    { name: "slow", makespan_ms: 3, fits: true },
    { name: "refused", makespan_ms: null, fits: false, reason: "odd" },
    { name: "large", makespan_ms: 1, fits: false },
    { name: "quick", makespan_ms: 2, fits: true },
  ];
  const report = { best: null, candidates, lower_bound_ms: 1, binding: "work", whole_layers_bound_ms: 1, evaluations: 4 };
  expect(ranked(report).map(({ name }) => name)).toEqual(["quick", "slow", "large"]);
});
