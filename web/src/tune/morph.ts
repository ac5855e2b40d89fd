// A run on its way from another: each operation moves from where it stood there to where it stands here.
import type { Drawn } from "../panels/axis";
import type { Trace } from "../worker/protocol";

/** More slices than this are not seen to move, only that something does. */
export const MOST_MOVING = 4_000;

const nameOf = ({ kind, microbatch, stage, batch, slice, pipe }: Trace, i: number): string =>
  [kind[i], microbatch[i], stage[i], batch[i], slice[i], pipe[i]].join();

/**
 * For each slice of `to`, its place (start, duration) in `from`: that of the same operation, or its own where there is
 * none, since stages may have been cut otherwise.
 */
export function placesIn(from: Trace, to: Trace): { start: Float64Array; dur: Float32Array } {
  const at = new Map<string, number>();
  for (let i = 0; i < from.start.length; i++) at.set(nameOf(from, i), i);
  const start = to.start.slice();
  const dur = to.dur.slice();
  for (let i = 0; i < start.length; i++) {
    const old = at.get(nameOf(to, i));
    if (old === undefined) continue;
    start[i] = from.start[old];
    dur[i] = from.dur[old];
  }
  return { start, dur };
}

/** `to` when `share` of the way is done. Lanes are not in order on the way: it can be drawn whole, not searched. */
export function onTheWay<T extends Drawn>(places: ReturnType<typeof placesIn>, to: T, share: number): T {
  const { trace } = to;
  const start = trace.start.map((t, i) => places.start[i] + share * (t - places.start[i]));
  const dur = trace.dur.map((t, i) => places.dur[i] + share * (t - places.dur[i]));
  return { ...to, trace: { ...trace, start, dur } };
}
