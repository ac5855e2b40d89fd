// Idle time as things one can point at. A gap lies before a slice of a device's lane, or after its last one.
import type { Selection } from "../state/store";
import type { Trace } from "../worker/protocol";

export type Gap = Extract<Selection, { type: "gap" }>;

/** Below a nanosecond, or the rounding of a stored duration, nothing is idle. */
const least = (duration: number) => Math.max(1e3, duration * 2e-7);

export const endOf = (trace: Trace, index: number): number => trace.start[index] + trace.dur[index];

/** The lane a slice lies in. */
export function laneOf(trace: Trace, index: number): number {
  let low = 0;
  let high = trace.lanes - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (trace.offsets[middle] <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The gap just before slice `next` of a device's lane (`next` may be the lane's end), or null. */
export function gapBefore(trace: Trace, lane: number, next: number): Gap | null {
  if (lane >= trace.devices) return null;
  const first = trace.offsets[lane];
  const stop = trace.offsets[lane + 1];
  const start = next > first ? endOf(trace, next - 1) : 0;
  const end = next < stop ? trace.start[next] : trace.end;
  const rounding = next > first ? trace.dur[next - 1] : 0;
  if (end - start <= least(rounding)) return null;
  return { type: "gap", lane, next, start, end };
}

export type GapPlace = "warm-up" | "drain" | "between";

export function placeOf(trace: Trace, gap: Gap): GapPlace {
  if (gap.next === trace.offsets[gap.lane]) return "warm-up";
  return gap.next === trace.offsets[gap.lane + 1] ? "drain" : "between";
}

export interface IdleSplit {
  warmUp: number;
  drain: number;
  between: number;
  total: number;
}

/** Idle time of a device's lane by where it lies; `busy` may count overlaps once, so the rest is "between". */
export function idleSplit(trace: Trace, lane: number): IdleSplit {
  const first = trace.offsets[lane];
  const stop = trace.offsets[lane + 1];
  const total = Math.max(0, trace.end - trace.busy[lane]);
  if (first === stop) return { warmUp: total, drain: 0, between: 0, total };
  const warmUp = trace.start[first];
  const drain = Math.max(0, trace.end - endOf(trace, stop - 1));
  return { warmUp, drain, between: Math.max(0, total - warmUp - drain), total };
}
