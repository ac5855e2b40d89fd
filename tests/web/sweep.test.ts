// Sweeps and Monte Carlo: the syntax of axes, the rows of the CSV, what a sample says by closed forms, places on axes,
// and values in the text by their paths.
import { expect, test } from "vitest";
import { readScalar, writeAt } from "../../web/src/editor/scalar";
import { numberText, parseAxis } from "../../web/src/sweep/axis";
import { offersOf } from "../../web/src/sweep/offers";
import { bestOf, pointsOf, readRecords, readRow } from "../../web/src/sweep/rows";
import { figure, placesOf, roundStep, ticksOf, unitOf } from "../../web/src/sweep/scale";
import { histogram, precisionOf, quantile, runsNeeded, sampleOf } from "../../web/src/sweep/stats";

// The same tables as the command's own, tests/api/sweep_test.cpp.
test.each([
  ["p=0:1:0.1", ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"]],
  ["p=1:8:1", ["1", "2", "3", "4", "5", "6", "7", "8"]],
  ["p=1:8:3", ["1", "4", "7"]],
  ["p=5:5:1", ["5"]],
  ["p=-1:1:1", ["-1", "0", "1"]],
  ["p=1e-3:3e-3:1e-3", ["0.001", "0.002", "0.003"]],
  ["p=1f1b,gpipe", ["1f1b", "gpipe"]],
  ["p=[1,2],{a: 1, b: 2},3", ["[1,2]", "{a: 1, b: 2}", "3"]],
  [`p='a,b',"c,d"`, ["'a,b'", '"c,d"']],
  ["p=a=b", ["a=b"]],
  ["p=1:2", ["1:2"]],
  ["p=01:2:1", ["01:2:1"]],
])("the axis %s", (text, values) => {
  expect(parseAxis(text)).toEqual({ path: "p", values });
});

test.each(["", "p", "=1", "p=", "p=1,,2", "p=1,", "p=2:1:1", "p=1:2:0", "p=1:2:-1", "p=0:1:1e-9", "p=0:1e300:1"])(
  "%j is no axis",
  (text) => expect(parseAxis(text)).toBe(null),
);

// What C's %.17g writes for the shortest digits.
test.each([
  [0, "0"],
  [-0, "0"],
  [4, "4"],
  [0.0001, "0.0001"],
  [0.00005, "5e-05"],
  [1.25e-7, "1.25e-07"],
  [1e15, "1e+15"],
  [1.5e120, "1.5e+120"],
  [-2.5, "-2.5"],
])("the number %d is written %s", (value, text) => expect(numberText(value)).toBe(text));

test("quantiles lie between the two nearest values", () => {
  const sorted = Array.from({ length: 21 }, (_, i) => i); // 0 … 20: the q-quantile is 20 q
  for (const q of [0, 0.05, 0.5, 0.95, 1]) expect(quantile(sorted, q)).toBeCloseTo(20 * q, 12);
  expect(quantile([3], 0.95)).toBe(3);
  expect(quantile([1, 2], 0.25)).toBe(1.25);
  expect(quantile([], 0.5)).toBeNaN();
});

test("a sample's band and deviation, and how many runs a precision takes", () => {
  // 1 … 101: median and mean 51, 5 % at 6, 95 % at 96; the variance of n − 1 is n (n + 1) / 12 = 101 · 102 / 12.
  const values = Array.from({ length: 101 }, (_, i) => 101 - i);
  const sample = sampleOf(values);
  expect(sample).toMatchObject({ n: 101, least: 1, most: 101, mean: 51, median: 51 });
  expect(sample?.low).toBeCloseTo(6, 12);
  expect(sample?.high).toBeCloseTo(96, 12);
  expect(sample?.deviation).toBeCloseTo(Math.sqrt((101 * 102) / 12), 12);
  expect(values[0]).toBe(101);
  expect(sampleOf([])).toBe(null);
  expect(sampleOf([7])?.deviation).toBe(0);
});

test("runs needed are (z s / (share · mean))², and that many give the precision", () => {
  const sample = { n: 100, mean: 50, deviation: 5, low: 0, median: 0, high: 0, least: 0, most: 0 };
  // 1.959964 · 5 / (0.01 · 50) = 19.59964; squared 384.15.
  expect(runsNeeded(sample, 0.01)).toBe(385);
  expect(precisionOf({ ...sample, n: 385 })).toBeLessThanOrEqual(0.01);
  expect(precisionOf({ ...sample, n: 384 })).toBeGreaterThan(0.01);
  expect(runsNeeded({ ...sample, deviation: 0 }, 0.01)).toBe(2);
});

test("a histogram has round bins, holds every value once, and its ends are inside", () => {
  const values = [600, 601, 605, 610, 619.9, 620, 640];
  const bins = histogram(values, roundStep);
  expect(bins.map(({ from, to, count }) => [from, to, count])).toEqual([
    [600, 610, 3],
    [610, 620, 2],
    [620, 630, 1],
    [630, 640, 1],
  ]);
  expect(histogram([5, 5], roundStep)).toEqual([{ from: 5, to: 5, count: 2 }]);
  expect(histogram([], roundStep)).toEqual([]);
});

const HEADER =
  "# sluice sweep 0123456789abcdef\nindex,a,b,seed,makespan_ms,throughput_per_s,bubble_idle_over_makespan," +
  "bubble_idle_over_work,bubble_span,latency_p50_ms,latency_p99_ms,peak_memory_bytes,fits,trace_hash,problem\n";
const run = (index: number, a: string, b: string, ms: number, fits = 1) =>
  `${index},${a},${b},1,${ms},20,0.2,0.25,0.2,60,79.4,1048576,${fits},00ff,\n`;

test("rows are read as they come, with quotes and line breaks in what cannot run", () => {
  const bad = '3,2,"{x: 1, y: 2}",1,,,,,,,,,,,"""b"" is wrong,\nsee there [value.range]"\n';
  const records = readRecords(HEADER + run(0, "1", "x", 150) + bad);
  expect(records.map(({ line }) => line).join("")).toBe(HEADER + run(0, "1", "x", 150) + bad);
  expect(records[1].fields.length).toBe(15);
  const row = readRow(records[2], 2);
  expect(row).toMatchObject({ index: 0, seed: "1", fits: true, problem: "" });
  expect(row.values).toEqual([150, 20, 0.2, 0.25, 0.2, 60, 79.4, 1048576]);
  expect(readRow(records[3], 2)).toMatchObject({
    index: 3,
    values: [],
    fits: false,
    problem: '"b" is wrong,\nsee there [value.range]',
  });
});

test("points gather their seeds in the order of the command, and the best of those that fit is found", () => {
  const axes = [
    { path: "a", values: ["1", "2"] },
    { path: "b", values: ["x", "y"] },
  ];
  const read = (text: string) => readRow(readRecords(text)[0], 2);
  const rows = [];
  // Two seeds: rows 0 and 1 are (1, x), 2 and 3 (1, y), 4 and 5 (2, x); (2, y) has not run yet.
  for (const [i, ms, fits] of [[0, 10, 1], [1, 30, 1], [2, 5, 0], [3, 5, 0], [5, 18, 1]] as const) {
    rows[i] = read(run(i, "", "", ms, fits));
  }
  const points = pointsOf(axes, 2, rows, 0);
  expect(points.map(({ at }) => at.join(""))).toEqual(["1x", "1y", "2x", "2y"]);
  expect(points.map(({ sample }) => sample?.median)).toEqual([20, 5, 18, undefined]);
  expect(points.map(({ fits }) => fits)).toEqual([true, false, true, true]);
  expect(bestOf(points, 0)?.at).toEqual(["2", "x"]);
  // Of throughput the most is best; all are 20, so the first that fits.
  expect(bestOf(pointsOf(axes, 2, rows, 1), 1)?.at).toEqual(["1", "x"]);
  expect(bestOf([], 0)).toBe(null);
});

test("axes by size, or by factors where that is more even; names have no places", () => {
  expect(placesOf([0, 1, 2, 4])).toEqual([0, 0.25, 0.5, 1]);
  const factors = placesOf([4, 8, 16, 32, 64]) as number[];
  factors.forEach((place, i) => expect(place).toBeCloseTo(i / 4, 12));
  expect(placesOf([1, 2, 3])).toEqual([0, 0.5, 1]);
  expect(placesOf([Number.NaN, 1])).toBe(null);
  expect(placesOf([2, 1])).toBe(null);
  expect(placesOf([1])).toBe(null);
});

test("units by the largest figure, marks that enclose the values", () => {
  const ms = unitOf(0, 2780);
  expect(ms.name).toBe("s");
  expect(figure(2780, ms)).toBe("2.780");
  expect(figure(0.5, unitOf(2, 0.5))).toBe("50.00");
  expect(unitOf(7, 5 * 2 ** 30)).toEqual({ name: "GiB", size: 2 ** 30 });
  expect(figure(0, ms)).toBe("0.000");
  const ticks = ticksOf(1209, 9041, 170, ms);
  expect(ticks.marks.map(ticks.label)).toEqual(["0", "5", "10"]);
  const flat = ticksOf(100, 100, 170, unitOf(0, 100));
  expect(flat.low).toBeLessThanOrEqual(100);
  expect(flat.high).toBeGreaterThan(flat.low);
});

const TEXT = `simulation:
  microbatches: 4   # few
pipeline:
  stages:
    - device: a
      compute: &c {mode: explicit, distribution: 10}
    - {device: b, weights_mb: 512, compute: *c}
hardware:
  devices:
    - {id: gpu.0, gpu: a100}
    - id: b
      gpu: a100
`;

test.each([
  ["simulation.microbatches", "8", "microbatches: 4 ", "microbatches: 8 "],
  ["simulation.seed", "3", "  microbatches", "  seed: 3\n  microbatches"],
  ["pipeline.stages[1].weights_mb", "600", "weights_mb: 512", "weights_mb: 600"],
  ["pipeline.stages[0].weights_mb", "7", "- device: a", "- weights_mb: 7\n      device: a"],
  ["pipeline.stages[1].update", "5", "{device: b", "{update: 5, device: b"],
  ["pipeline.stages[1].compute", "{mode: explicit, distribution: 5}", "*c", "{mode: explicit, distribution: 5}"],
  ["hardware.devices[gpu.0].gpu", "h100", "gpu.0}".replace("}", ", gpu: a100"), "gpu.0, gpu: h100"],
  ["hardware.devices.b.gpu", "h100", "id: b\n      gpu: a100", "id: b\n      gpu: h100"],
  ["hardware.interconnect.same_node", "nvlink", "  devices:", "  interconnect: {same_node: nvlink}\n  devices:"],
])("%s is written in its place", (path, value, before, after) => {
  expect(writeAt(TEXT, path, value)).toBe(TEXT.replace(before, after));
});

test.each(["pipeline.stages[0].compute.distribution", "pipeline.stages[1].compute.mode", "pipeline.stages[2].x", "hardware.devices.zz.gpu", ""])(
  "%s cannot be written: it is shared, or not there",
  (path) => expect(writeAt(TEXT, path, "1")).toBe(null),
);

test("single values are read in lists too", () => {
  expect(readScalar(TEXT, "pipeline.stages[1].weights_mb")?.value).toBe("512");
  expect(readScalar(TEXT, "hardware.devices[gpu.0].gpu")?.value).toBe("a100");
  expect(readScalar(TEXT, "pipeline.stages")).toBe(null);
});

test("numbers and names of the text are offered, with values around the one that stands there", () => {
  const schema = {
    properties: {
      simulation: { properties: { microbatches: { type: "integer", minimum: 1 }, jitter: { type: "number", minimum: 0, maximum: 1 } } },
      pipeline: { properties: { schedule: { type: "string" }, precision: { enum: ["bf16", "fp8"] }, stages: { items: { properties: { weights_mb: { type: "number" }, device: { type: "string" } } } } } },
    },
  };
  const text =
    "simulation: {microbatches: 2, jitter: 0.1}\npipeline:\n  schedule: 1f1b\n  precision: bf16\n  stages:\n    - {device: a, weights_mb: 100}\n";
  expect(offersOf(text, schema, ["1f1b", "gpipe"])).toEqual([
    { path: "simulation.microbatches", value: "2", values: "1,2,4,8" },
    { path: "simulation.jitter", value: "0.1", values: "0:1:0.1" },
    { path: "pipeline.schedule", value: "1f1b", values: "1f1b,gpipe" },
    { path: "pipeline.precision", value: "bf16", values: "bf16,fp8" },
    { path: "pipeline.stages[0].weights_mb", value: "100", values: "25,50,100,200,400" },
  ]);
});
