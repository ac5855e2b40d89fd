// What a reader meets first: which gap is selected, and which stage the sentence above the numbers speaks of.
import { endOf, type Gap, gapBefore, idleSplit } from "../timeline/gaps";
import { firstStarting } from "../worker/coverage";
import { NONE, type Trace } from "../worker/protocol";
import type { Selection } from "./store";

/** Searching every gap of a huge trace would cost more than the answer is worth: each lane gets its part of this. */
const SEARCH_LIMIT = 50_000;

/** Time of a gap in which a link carried what ended it. */
function linkShare(trace: Trace, gap: Gap): number {
  const decider = trace.predecessor[gap.next];
  if (decider === NONE || decider < trace.offsets[trace.devices]) return 0;
  return Math.min(endOf(trace, decider), gap.end) - Math.max(trace.start[decider], gap.start);
}

/**
 * The wait between two operations, in the middle half of the run, that has most to tell: the one a link had the
 * largest part in, and of equals the longest.
 */
export function defaultSelection(trace: Trace): Selection | null {
  let best: Gap | null = null;
  let score = 0;
  const [from, to] = [trace.end * 0.25, trace.end * 0.75];
  const most = Math.ceil(SEARCH_LIMIT / Math.max(trace.devices, 1));
  for (let lane = 0; lane < trace.devices; lane++) {
    const first = Math.max(firstStarting(trace, lane, from), trace.offsets[lane] + 1);
    const stop = Math.min(trace.offsets[lane + 1], first + most);
    for (let next = first; next < stop && trace.start[next] <= to; next++) {
      const gap = gapBefore(trace, lane, next);
      if (!gap || gap.start < from || gap.end > to) continue;
      const points = linkShare(trace, gap) + (gap.end - gap.start) / 100;
      if (points <= score * 1.001) continue;
      score = points;
      best = gap;
    }
  }
  return best;
}

/** The device that idles most of those that do anything; of equals the last, where the pipeline fills slowest. */
export function idlestLane(trace: Trace): number {
  let worst = -1;
  for (let lane = 0; lane < trace.devices; lane++) {
    if (trace.busy[lane] === 0) continue;
    if (worst < 0 || idleSplit(trace, lane).total >= idleSplit(trace, worst).total * 0.9999) worst = lane;
  }
  return Math.max(worst, 0);
}
