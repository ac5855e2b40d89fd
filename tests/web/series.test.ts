// Memory and links over time, thinned for a picture: by hand, and against every moment of random steps.
import { expect, test } from "vitest";
import { heldAt, runsOf } from "../../web/src/state/held";
import { linkSeries, memorySeries, readHeld, trafficOf } from "../../web/src/worker/series";
import { momentAt, mostIn, shareIn } from "../../web/src/worker/steps";
import { KINDS, sequence, traceOf } from "./traces";
import { NONE, type Plan } from "../../web/src/worker/protocol";

// Ten from 0, thirty from 4, five from 6, twenty from 9.
const TIMES = [0, 4, 6, 9];
const VALUES = [10, 30, 5, 20];

test("the moment in force is the last that began", () => {
  expect([-1, 0, 3.9, 4, 8, 100].map((t) => momentAt(TIMES, t))).toEqual([-1, 0, 0, 1, 2, 3]);
});

test("a column shows the most that it sees, however short", () => {
  // Columns of 2: [0, 2) 10; [2, 4) 10; [4, 6) 30; [6, 8) 5; [8, 10) 20.
  expect([...mostIn(TIMES, VALUES, 0, 2, 5)]).toEqual([0, 0, 1, 2, 3]);
  // Columns of 5: the thirty are in the first; what began before a column still holds in it.
  expect([...mostIn(TIMES, VALUES, 0, 5, 2)]).toEqual([1, 1]);
  expect([...mostIn(TIMES, VALUES, 5, 5, 1)]).toEqual([1]);
  expect([...mostIn(TIMES, VALUES, 7, 1, 4)]).toEqual([2, 2, 3, 3]);
  // Before the first moment there is none.
  expect([...mostIn([3], [1], 0, 2, 2)]).toEqual([-1, 0]);
});

test("nothing is lost at any zoom: each column against every moment", () => {
  const next = sequence(3);
  const times = Array.from({ length: 500 }, next).sort((a, b) => a - b);
  const values = times.map(() => Math.floor(next() * 50));
  for (const [t0, width, columns] of [
    [0, 1 / 7, 7],
    [0.2, 0.001, 300],
    [0.5, 0.1, 5],
  ]) {
    mostIn(times, values, t0, width, columns).forEach((chosen, i) => {
      const [from, to] = [t0 + i * width, t0 + (i + 1) * width];
      const seen = values.filter((_, k) => times[k] < to && (times[k + 1] ?? Infinity) > from);
      expect(chosen < 0 ? undefined : values[chosen]).toBe(seen.length ? Math.max(...seen) : undefined);
    });
  }
});

test("shares of columns in which something is there", () => {
  const out = new Float32Array(4);
  // There from 1 to 3 and from 3.5 on until the last moment, 4.
  shareIn([1, 3, 3.5, 4], [2, 0, 1, 0], 0, 1.25, out);
  expect([...out].map((n) => Math.round(n * 1000) / 1000)).toEqual([0.2, 1, 0.6, 0.2]);
});

/** Weights and activations at a time; the other parts are 0. */
const moments = (...all: [time: number, row: number, weights: number, activations: number][]) =>
  readHeld(Float64Array.from(all.flatMap(([t, row, w, a]) => [t, row, w, 0, 0, a, 0, 0, 0, 0, 0])));

test("memory: the peak, the first that is too much, and one entry for columns that show one moment", () => {
  const held = moments([0, NONE, 1, 0], [0, 0, 1, 10], [1, NONE, 1, 10], [1, 1, 1, 20], [2, NONE, 1, 20], [4, 2, 1, 20], [6, NONE, 1, 10]);
  const series = memorySeries(held, 0, 0, 8, 8, 15);
  expect(series.runs.map(({ from, to, moment }) => [from, to, moment.time, moment.row, moment.total])).toEqual([
    [0, 1, 0, 0, 11],
    [1, 2, 1, 1, 21],
    [2, 4, 2, NONE, 21],
    [4, 6, 4, 2, 21],
    [6, 8, 6, NONE, 11],
  ]);
  expect([series.peak.time, series.peak.row, series.peak.parts[3]]).toEqual([1, 1, 20]);
  expect([series.over?.time, series.over?.row, series.over?.total]).toEqual([1, 1, 21]);
  expect(memorySeries(held, 0, 0, 8, 8, 21).over).toBeNull();
  expect(memorySeries(held, 0, 0, 8, 8, 0).over).toBeNull();
});

test("links: three messages, one at a time: they queue", () => {
  // All three are there from 0; each takes 2.
  const fifo = trafficOf(Float64Array.of(0, 0, 0), Float64Array.of(0, 2, 4), Float64Array.of(2, 4, 6));
  expect([...fifo.times]).toEqual([0, 2, 4, 6]);
  expect([...fifo.carried]).toEqual([1, 1, 1, 0]);
  expect([...fifo.there]).toEqual([3, 2, 1, 0]);
  // Two that share the link, 1 to 5 and 2 to 6, and a pause before: busy from 1 to 6, two at once from 2 to 5.
  const fair = trafficOf(Float64Array.of(1, 2), Float64Array.of(1, 2), Float64Array.of(5, 6));
  const series = linkSeries([fifo, fair], 0, 8, 4);
  expect([...series.busy]).toEqual([1, 1, 1, 0, 0.5, 1, 1, 0]);
  expect([...series.there]).toEqual([3, 2, 1, 0, 1, 2, 2, 0]);
  expect(series.most).toEqual([3, 2]);
});

test("what is in flight: from the start of F to the end of B or I, and kept until W", () => {
  const plan = { kinds: KINDS, stages: 1, pipes: 1, slices: 1, microbatches: 3, batches: 1 } as unknown as Plan;
  const trace = traceOf(
    [
      { at: 0, to: 1, kind: "F", on: 0, mb: 0 },
      { at: 1, to: 2, kind: "F", on: 0, mb: 1 },
      { at: 2, to: 4, kind: "I", on: 0, mb: 0 },
      { at: 5, to: 6, kind: "W", on: 0, mb: 0 },
      { at: 6, to: 8, kind: "B", on: 0, mb: 1 },
    ],
    1,
    1,
  );
  const at = (t: number) => {
    const { held, kept } = heldAt(trace, plan, 0, t);
    return [held, kept].map((slices) => slices.map((i) => trace.microbatch[i]));
  };
  expect(at(0)).toEqual([[0], []]);
  expect(at(1)).toEqual([[0, 1], []]);
  expect(at(3)).toEqual([[0, 1], []]);
  expect(at(4)).toEqual([[1], [0]]);
  expect(at(6)).toEqual([[1], []]);
  expect(at(8)).toEqual([[], []]);
});

test("numbers in a row are said shortly", () => {
  expect(runsOf([])).toBe("");
  expect(runsOf([3])).toBe("3");
  expect(runsOf([0, 1, 4])).toBe("0, 1, 4");
  expect(runsOf([0, 2, 3, 4, 5, 9])).toBe("0, 2 to 5, 9");
});
