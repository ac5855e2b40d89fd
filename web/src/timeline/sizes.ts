// Heights of the timeline's rows for the three shapes of the page.
import { embedded } from "../state/store";
import type { RowHeights } from "./rows";

export const isPhone = (): boolean => matchMedia("(max-width: 599px)").matches;

export function measureHeights(): RowHeights {
  if (embedded) return { axis: 22, lane: 24, link: 0, more: 0 };
  if (isPhone()) return { axis: 24, lane: 28, link: 20, more: 44 };
  return { axis: 24, lane: 26, link: 19, more: 24 };
}
