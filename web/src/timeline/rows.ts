// Which rows the timeline has and how tall each is: devices first, then links, then a row that shows or hides
// the links that matter less.
import type { Trace } from "../worker/protocol";

export interface Row {
  type: "lane" | "link" | "more";
  /** Lane of the trace; of "more", how many links are hidden (or would be). */
  lane: number;
  y: number;
  h: number;
}

export interface RowHeights {
  axis: number;
  lane: number;
  link: number;
  more: number;
}

const FEW_LINKS = 4;
const SHOWN_LINKS = 2;

/** The busiest links, in the order of the lanes. */
function chosenLinks(trace: Trace, all: boolean): number[] {
  const links: number[] = [];
  for (let lane = trace.devices; lane < trace.lanes; lane++) links.push(lane);
  if (all || links.length <= FEW_LINKS) return links;
  const byBusy = [...links].sort((a, b) => trace.busy[b] - trace.busy[a] || a - b);
  return byBusy.slice(0, SHOWN_LINKS).sort((a, b) => a - b);
}

export function layRows(trace: Trace, heights: RowHeights, all: boolean): { rows: Row[]; height: number } {
  const rows: Row[] = [];
  let y = heights.axis;
  const add = (type: Row["type"], lane: number, h: number) => {
    rows.push({ type, lane, y, h });
    y += h;
  };
  for (let lane = 0; lane < trace.devices; lane++) add("lane", lane, heights.lane);
  if (heights.link > 0) {
    for (const lane of chosenLinks(trace, all)) add("link", lane, heights.link);
    const links = trace.lanes - trace.devices;
    if (links > FEW_LINKS) add("more", links - SHOWN_LINKS, heights.more);
  }
  return { rows, height: y };
}

/** Rows that show between `top` and `bottom`. */
export const rowsBetween = (rows: Row[], top: number, bottom: number): Row[] =>
  rows.filter((row) => row.y + row.h > top && row.y < bottom);

/** Where slices stand in a row; `half` is that of the trace: 1 above, 2 below, 0 all of the height. */
export function sliceBox(row: Row, half = 0): { y: number; h: number } {
  const pad = row.type === "link" ? 4 : row.h >= 22 ? 3 : row.h >= 10 ? 2 : 1;
  const h = row.h - 2 * pad;
  if (half === 0) return { y: row.y + pad, h };
  return { y: row.y + pad + (half === 2 ? h / 2 : 0), h: h / 2 };
}
