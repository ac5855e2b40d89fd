// The timeline's twin for those who read better than they see: the slices in the visible range as a table that
// can be sorted by any column.
import { useEffect, useMemo, useState } from "preact/hooks";
import * as s from "../state/store";
import { later } from "../text/later";
import { lasts as time, when as moment } from "../state/clock";
import { endOf } from "../timeline/gaps";
import { fullName, laneName } from "../timeline/names";
import { firstReaching, firstStarting } from "../worker/coverage";
import type { Trace } from "../worker/protocol";
import { Dialog } from "./dialog";

const LIMIT = 1000;
/** Rows put in at a time. */
const STEP = 100;
/** Of the visible time, until the part that fills the table is known. */
const HALVINGS = 30;

interface Row {
  index: number;
  lane: number;
  laneText: string;
  name: string;
  start: number;
  duration: number;
  end: number;
}

/** How many slices of the lane start before `t` and end behind the view's start. */
function countBefore(trace: Trace, lane: number, from: number, t: number): number {
  const first = firstReaching(trace, lane, from);
  let gone = 0;
  for (let index = first; index < trace.offsets[lane + 1] && trace.start[index] < from; index++) {
    if (endOf(trace, index) < from) gone++;
  }
  return Math.max(0, firstStarting(trace, lane, t) - first - gone);
}

/** The first rows by start, over all lanes, and how many there are in all. Of a million slices few are looked at. */
function collect(result: s.Result, view: s.View): { rows: Row[]; all: number } {
  const { trace, plan } = result;
  const lanes = Array.from({ length: trace.lanes }, (_, lane) => lane);
  const count = (t: number) => lanes.reduce((sum, lane) => sum + countBefore(trace, lane, view.t0, t), 0);
  const all = count(view.t1);
  // A time before which the table is full, or nearly all of it.
  let [from, until] = [view.t0, view.t1];
  for (let i = 0; i < HALVINGS && all > LIMIT; i++) {
    const middle = (from + until) / 2;
    if (count(middle) < LIMIT) from = middle;
    else until = middle;
  }
  const found: { index: number; lane: number }[] = [];
  for (const lane of lanes) {
    const stop = firstStarting(trace, lane, until);
    for (let index = firstReaching(trace, lane, view.t0); index < stop; index++) {
      if (endOf(trace, index) >= view.t0) found.push({ index, lane });
    }
  }
  found.sort((a, b) => trace.start[a.index] - trace.start[b.index] || a.index - b.index);
  const rows = found.slice(0, LIMIT).map(({ index, lane }) => ({
    index,
    lane,
    laneText: laneName(plan, trace, lane).long,
    name: fullName(plan, trace, index),
    start: trace.start[index],
    duration: trace.dur[index],
    end: endOf(trace, index),
  }));
  return { rows, all };
}

/** How many of the rows are there yet: a thousand at once would hold up the page. */
function useGrowing(rows: Row[]): number {
  const [grown, setGrown] = useState({ rows, shown: STEP });
  const shown = grown.rows === rows ? grown.shown : STEP;
  useEffect(() => {
    if (shown >= rows.length) return;
    const timer = setTimeout(() => setGrown({ rows, shown: shown + STEP }));
    return () => clearTimeout(timer);
  }, [rows, shown]);
  return shown;
}

type Column = "lane" | "name" | "start" | "duration" | "end";
const COLUMNS: [Column, string][] = [
  ["lane", later.tableColumns.lane],
  ["name", later.tableColumns.operation],
  ["start", later.tableColumns.start],
  ["duration", later.tableColumns.duration],
  ["end", later.tableColumns.end],
];

export function Table() {
  const result = s.result.value;
  const view = s.view.value;
  const [order, setOrder] = useState<{ by: Column; down: boolean }>({ by: "start", down: false });
  const { rows, all } = useMemo(() => (result ? collect(result, view) : { rows: [], all: 0 }), [result, view]);
  const sorted = useMemo(() => {
    const sign = order.down ? -1 : 1;
    return [...rows].sort((a, b) => {
      const [x, y] = [a[order.by], b[order.by]];
      const compared =
        typeof x === "string" ? x.localeCompare(y as string, "en", { numeric: true }) : x - (y as number);
      return sign * compared || a.index - b.index;
    });
  }, [rows, order]);
  const shown = useGrowing(sorted);
  const span = result?.trace.end ?? 0;
  return (
    <Dialog id="table" heading={later.tableHeading} note={later.tableNote(rows.length, all)} wide>
      <div class="dialog-body" tabIndex={0} role="region" aria-label={later.tableHeading}>
        <table class="data">
          <thead>
            <tr>
              {COLUMNS.map(([id, label]) => (
                <th
                  key={id}
                  scope="col"
                  class={id === "lane" || id === "name" ? "" : "num"}
                  aria-sort={order.by === id ? (order.down ? "descending" : "ascending") : undefined}
                >
                  <button
                    type="button"
                    class="text-button"
                    onClick={() => setOrder({ by: id, down: order.by === id && !order.down })}
                  >
                    {label}
                    <span aria-hidden="true">{order.by === id ? (order.down ? " ▼" : " ▲") : ""}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, shown).map((row) => (
              <tr key={row.index}>
                <td>{row.laneText}</td>
                <td>{row.name}</td>
                <td class="num">{moment(row.start, span)}</td>
                <td class="num">{time(row.duration, 4)}</td>
                <td class="num">{moment(row.end, span)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Dialog>
  );
}
