// Heights of the timeline's rows for the three shapes of the page.
import { embedded } from "../state/store";
import type { Trace } from "../worker/protocol";
import type { RowHeights } from "./rows";

export const isPhone = (): boolean => matchMedia("(max-width: 599px)").matches;

/** Room for two labels, one above the other. */
export const SPLIT_LANE = 38;

/** Lanes with overlapped cells are taller. */
export function measureHeights(trace: Trace | null = null): RowHeights {
  const tall = trace?.halves === true;
  if (embedded) return { axis: 22, lane: tall ? SPLIT_LANE : 24, link: 0, more: 0 };
  if (isPhone()) return { axis: 24, lane: tall ? SPLIT_LANE : 28, link: 20, more: 44 };
  return { axis: 24, lane: tall ? SPLIT_LANE : 26, link: 19, more: 24 };
}
