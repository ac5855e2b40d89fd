// Zoomed-out pictures: exact coverage against a sum by hand, and the levels of detail against exact coverage.
import { expect, test } from "vitest";
import { addCoverage } from "../../web/src/worker/coverage";
import { CLASSES, classIndex, classTable } from "../../web/src/worker/kinds";
import { buildPyramid, finestBins, levelFor, readCoverage } from "../../web/src/worker/pyramid";
import { KINDS, randomTrace, traceOf } from "./traces";

const K = CLASSES.length;
const table = classTable(KINDS);

/** Coverage of each pixel by each class, slice by slice and pixel by pixel. */
function byHand(trace: ReturnType<typeof traceOf>, lane: number, t0: number, width: number, pixels: number) {
  const out = new Float64Array(pixels * K);
  for (let i = trace.offsets[lane]; i < trace.offsets[lane + 1]; i++) {
    for (let x = 0; x < pixels; x++) {
      const from = Math.max(trace.start[i], t0 + x * width);
      const to = Math.min(trace.start[i] + trace.dur[i], t0 + (x + 1) * width);
      if (to <= from) continue;
      out[x * K + table[trace.kind[i]]] += ((to - from) / width) * (trace.half[i] ? 0.5 : 1);
    }
  }
  return out;
}

const worst = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let most = 0;
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i] - b[i]));
  return most;
};

test("the two rows of an overlapped cell share it", () => {
  const trace = traceOf(
    [
      { at: 0, to: 10, kind: "FB", on: 0 },
      { at: 0, to: 10, kind: "B", on: 0 },
    ],
    1,
    1,
  );
  const out = new Float32Array(2 * K);
  addCoverage(trace, 0, table, K, 0, 10, 2, out);
  expect(out[classIndex("f")]).toBe(0.5);
  expect(out[classIndex("b")]).toBe(0.5);
  expect([...out.subarray(K)].every((share) => share === 0)).toBe(true);
});

test("no bin is covered more than once, however many cells overlap", () => {
  const trace = randomTrace(2, 2000, 5);
  expect(trace.half).toContain(1);
  const pyramid = buildPyramid(trace, table);
  for (let lane = 0; lane < 2; lane++) {
    const fast = new Float32Array(300 * K);
    readCoverage(pyramid, lane, 0, trace.end / 300, 300, fast);
    for (let x = 0; x < 300; x++) {
      expect(fast.subarray(x * K, (x + 1) * K).reduce((a, b) => a + b, 0)).toBeLessThan(1.02);
    }
  }
});

test("exact coverage is the sum over slices, at any zoom", () => {
  const trace = randomTrace(3, 400, 7);
  for (const [from, span, pixels] of [
    [0, 1, 613],
    [0.3, 0.05, 200],
    [0.71, 0.0004, 97],
    [-0.1, 1.2, 300],
  ]) {
    const width = (trace.end * span) / pixels;
    for (let lane = 0; lane < 3; lane++) {
      const out = new Float32Array(pixels * K);
      addCoverage(trace, lane, table, K, trace.end * from, width, pixels, out);
      expect(worst(out, byHand(trace, lane, trace.end * from, width, pixels))).toBeLessThan(1e-4);
    }
  }
});

test("levels halve from the finest to 256 bins, and their size is bounded", () => {
  const trace = randomTrace(4, 3000, 11);
  expect(finestBins(trace)).toBe(8192);
  const pyramid = buildPyramid(trace, table);
  expect(pyramid.bins).toEqual([8192, 4096, 2048, 1024, 512, 256]);
  expect(pyramid.levels.map((level) => level.length)).toEqual(pyramid.bins.map((n) => 4 * n * K));
  expect(levelFor(pyramid, trace.end / 1024)).toBe(2);
  expect(levelFor(pyramid, trace.end)).toBe(5);
  expect(levelFor(pyramid, trace.end / 1e6)).toBe(0);
});

test("where bins and pixels meet, the pyramid is the exact picture within rounding", () => {
  const trace = randomTrace(4, 3000, 13);
  const pyramid = buildPyramid(trace, table);
  for (const pixels of [256, 512, 1024]) {
    for (let lane = 0; lane < 4; lane++) {
      const fast = new Float32Array(pixels * K);
      readCoverage(pyramid, lane, 0, trace.end / pixels, pixels, fast);
      expect(worst(fast, byHand(trace, lane, 0, trace.end / pixels, pixels))).toBeLessThan(0.5 / 255 + 1e-3);
    }
  }
});

test("where they do not, a pixel is off by little and the picture by nothing", () => {
  const trace = randomTrace(2, 3000, 17);
  const pyramid = buildPyramid(trace, table);
  const pixels = 777;
  const width = (trace.end * 0.9) / pixels;
  const fast = new Float32Array(pixels * K);
  readCoverage(pyramid, 1, trace.end * 0.05, width, pixels, fast);
  const exact = byHand(trace, 1, trace.end * 0.05, width, pixels);
  let sum = 0;
  for (let i = 0; i < exact.length; i++) sum += Math.abs(fast[i] - exact[i]);
  expect(worst(fast, exact)).toBeLessThan(0.3);
  expect(sum / pixels).toBeLessThan(0.12);
});
