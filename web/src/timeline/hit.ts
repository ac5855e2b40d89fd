// What lies under a point, and what comes next to a selection: the same answers for pointer and keys.
import type { Selection } from "../state/store";
import { firstReaching, firstStarting } from "../worker/coverage";
import type { Trace } from "../worker/protocol";
import { endOf, gapBefore, laneOf } from "./gaps";

/**
 * The slice or gap of a lane at time `t`; of overlapping transfers the one that started last, of an overlapped cell
 * the half that `upper` says.
 */
export function thingAt(trace: Trace, lane: number, t: number, upper = true): Selection | null {
  if (t < 0 || t > trace.end) return null;
  const next = firstStarting(trace, lane, t + 1e-3);
  for (let i = next - 1; i >= firstReaching(trace, lane, t); i--) {
    if (endOf(trace, i) > t) return { type: "slice", index: upper && trace.half[i] === 2 ? i - 1 : i };
  }
  const gap = gapBefore(trace, lane, next);
  return gap && gap.start <= t && t < gap.end ? gap : null;
}

export const laneOfThing = (trace: Trace, thing: Selection): number =>
  thing.type === "slice" ? laneOf(trace, thing.index) : thing.lane;

export function spanOfThing(trace: Trace, thing: Selection): [number, number] {
  if (thing.type === "gap") return [thing.start, thing.end];
  return [trace.start[thing.index], endOf(trace, thing.index)];
}

/** The next (or previous) slice or gap of the same lane, or null at its end. */
export function neighbour(trace: Trace, thing: Selection, forward: boolean): Selection | null {
  const lane = laneOfThing(trace, thing);
  const first = trace.offsets[lane];
  const stop = trace.offsets[lane + 1];
  const slice = (index: number): Selection | null => (index >= first && index < stop ? { type: "slice", index } : null);
  if (thing.type === "gap") return slice(forward ? thing.next : thing.next - 1);
  const gap = gapBefore(trace, lane, forward ? thing.index + 1 : thing.index);
  return gap ?? slice(thing.index + (forward ? 1 : -1));
}

/** What lies at the middle of `thing` on another lane, or the nearest slice there. */
export function across(trace: Trace, thing: Selection, lane: number): Selection | null {
  const [start, end] = spanOfThing(trace, thing);
  const middle = (start + end) / 2;
  const found = thingAt(trace, lane, middle);
  if (found) return found;
  const first = trace.offsets[lane];
  const stop = trace.offsets[lane + 1];
  if (first === stop) return null;
  const next = firstStarting(trace, lane, middle);
  if (next === stop) return { type: "slice", index: stop - 1 };
  const left = next > first ? middle - endOf(trace, next - 1) : Number.POSITIVE_INFINITY;
  return { type: "slice", index: left < trace.start[next] - middle ? next - 1 : next };
}
