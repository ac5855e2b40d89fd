// Brings a thing into sight in the timeline and selects it, for panels that stand elsewhere.
import * as s from "../state/store";
import type { Trace } from "../worker/protocol";
import { spanOfThing } from "./hit";
import { layRows } from "./rows";
import { measureHeights } from "./sizes";
import { frame, setView } from "./view";

/** Shows all links where `lane` is one that is folded away, and scrolls to it. */
function showLane(trace: Trace, lane: number): void {
  const rowOf = (all: boolean) => layRows(trace, measureHeights(trace), all).rows.find((r) => r.type !== "more" && r.lane === lane);
  s.allLinks.value ||= !rowOf(false);
  const row = rowOf(s.allLinks.value);
  const scroll = document.querySelector(".tl-scroll");
  const { shown, axis } = frame.peek();
  if (row && scroll && (row.y - axis < scroll.scrollTop || row.y + row.h > scroll.scrollTop + shown)) {
    scroll.scrollTop = row.y - axis;
  }
}

/** `range` is what to show of the lane; without one the view moves only if the thing is not in it. */
export function goTo(thing: s.Selection | null, lane: number, range?: s.View): void {
  const result = s.result.peek();
  if (!result) return;
  if (range) setView(range.t0, range.t1);
  if (thing) {
    s.selection.value = thing;
    const [start, end] = spanOfThing(result.trace, thing);
    const { t0, t1 } = s.view.peek();
    if (start >= t1 || end <= t0) setView((start + end - t1 + t0) / 2, (start + end + t1 - t0) / 2);
  }
  showLane(result.trace, lane);
}
