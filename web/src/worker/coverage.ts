// How much of each bin of time is covered by each class. The one piece of mathematics behind every zoomed-out
// picture: the pyramid's finest level and the exact path both call it, so that they agree.
import type { Trace } from "./protocol";

/** First slice of the lane that may reach `t` or later. */
export function firstReaching(trace: Trace, lane: number, t: number): number {
  let low = trace.offsets[lane];
  let high = trace.offsets[lane + 1];
  const from = t - trace.longest[lane];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (trace.start[middle] < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First slice of the lane that starts at `t` or later. */
export function firstStarting(trace: Trace, lane: number, t: number): number {
  let low = trace.offsets[lane];
  let high = trace.offsets[lane + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (trace.start[middle] < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Adds to `out` ([bin][class], in shares of a bin) what the lane's slices cover of `bins` bins from `t0` on.
 * The halves of an overlapped cell count half each.
 */
export function addCoverage(
  trace: Trace,
  lane: number,
  table: number[],
  classes: number,
  t0: number,
  width: number,
  bins: number,
  out: Float32Array,
): void {
  const stop = firstStarting(trace, lane, t0 + width * bins);
  for (let i = firstReaching(trace, lane, t0); i < stop; i++) {
    const from = Math.max((trace.start[i] - t0) / width, 0);
    const to = Math.min((trace.start[i] + trace.dur[i] - t0) / width, bins);
    if (to <= from) continue;
    const at = table[trace.kind[i]];
    const share = trace.half[i] ? 0.5 : 1;
    const last = Math.min(Math.floor(to), bins - 1);
    for (let bin = Math.floor(from); bin <= last; bin++) {
      out[bin * classes + at] += (Math.min(to, bin + 1) - Math.max(from, bin)) * share;
    }
  }
}
