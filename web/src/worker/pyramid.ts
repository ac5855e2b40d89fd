// Levels of detail: the coverage of each lane in power-of-two bins, halved until 256 or fewer remain.
// Zoomed out, drawing then costs a few bins a pixel, whatever the number of slices.
import { addCoverage } from "./coverage";
import { CLASSES } from "./kinds";
import type { Pyramid, Trace } from "./protocol";

/** Below this the exact path is fast enough at any zoom. */
export const EXACT_LIMIT = 40_000;
const SMALLEST = 256;
const LARGEST = 32_768;
const MAX_BYTES = 32 << 20;

/** Twice as many bins as the fullest lane has slices, within bounds. */
export function finestBins(trace: Trace): number {
  let fullest = 0;
  for (let lane = 0; lane < trace.lanes; lane++) {
    fullest = Math.max(fullest, trace.offsets[lane + 1] - trace.offsets[lane]);
  }
  let bins = SMALLEST;
  while (bins < 2 * fullest && bins < LARGEST) bins *= 2;
  while (bins > SMALLEST && bins * trace.lanes * CLASSES.length > MAX_BYTES) bins /= 2;
  return bins;
}

export function buildPyramid(trace: Trace, table: number[], finest = finestBins(trace)): Pyramid {
  const classes = CLASSES.length;
  const bins: number[] = [];
  for (let n = finest; ; n /= 2) {
    bins.push(n);
    if (n <= SMALLEST) break;
  }
  const levels = bins.map((n) => new Uint8Array(trace.lanes * n * classes));
  const exact = new Float32Array(finest * classes);
  for (let lane = 0; lane < trace.lanes; lane++) {
    exact.fill(0);
    addCoverage(trace, lane, table, classes, 0, trace.end / finest, finest, exact);
    // Each level is rounded from the exact sums, so that errors do not add up from level to level.
    bins.forEach((n, level) => {
      if (level > 0) halve(exact, n, classes);
      const base = lane * n * classes;
      const out = levels[level];
      for (let k = 0; k < n * classes; k++) out[base + k] = Math.min(255, Math.round(exact[k] * 255));
    });
  }
  return { classes, bins, levels, span: trace.end };
}

function halve(values: Float32Array, n: number, classes: number): void {
  for (let bin = 0; bin < n; bin++) {
    for (let c = 0; c < classes; c++) {
      const left = values[2 * bin * classes + c];
      values[bin * classes + c] = (left + values[(2 * bin + 1) * classes + c]) / 2;
    }
  }
}

/** Coarsest level whose bins are no longer than half a pixel, or the finest. */
export function levelFor(pyramid: Pyramid, timePerPixel: number): number {
  let level = 0;
  while (level + 1 < pyramid.bins.length && pyramid.span / pyramid.bins[level + 1] <= timePerPixel / 2) {
    level++;
  }
  return level;
}

/** The same as `addCoverage`, read from the pyramid: each bin counts by its overlap with the pixel. */
export function readCoverage(
  pyramid: Pyramid,
  lane: number,
  t0: number,
  width: number,
  pixels: number,
  out: Float32Array,
): void {
  const { classes } = pyramid;
  const level = levelFor(pyramid, width);
  const n = pyramid.bins[level];
  const data = pyramid.levels[level];
  const perBin = pyramid.span / n;
  const base = lane * n;
  for (let x = 0; x < pixels; x++) {
    const from = (t0 + x * width) / perBin;
    const to = (t0 + (x + 1) * width) / perBin;
    const last = Math.min(Math.ceil(to), n);
    for (let bin = Math.max(0, Math.floor(from)); bin < last; bin++) {
      const part = (Math.min(to, bin + 1) - Math.max(from, bin)) / (to - from) / 255;
      const at = (base + bin) * classes;
      for (let c = 0; c < classes; c++) out[x * classes + c] += data[at + c] * part;
    }
  }
}
