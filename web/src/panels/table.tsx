// The timeline's twin for those who read better than they see: the slices in the visible range as a table that
// can be sorted by any column.
import { useMemo, useState } from "preact/hooks";
import * as s from "../state/store";
import { later } from "../text/later";
import { moment, time } from "../text/format";
import { endOf } from "../timeline/gaps";
import { laneName, sliceName } from "../timeline/names";
import { firstReaching, firstStarting } from "../worker/coverage";
import { Dialog } from "./dialog";

const LIMIT = 1000;

interface Row {
  index: number;
  lane: number;
  laneText: string;
  name: string;
  start: number;
  duration: number;
  end: number;
}

/** The first rows by start, over all lanes, and how many there are in all. */
function collect(result: s.Result, view: s.View): { rows: Row[]; all: number } {
  const { trace, plan } = result;
  const found: { index: number; lane: number }[] = [];
  let all = 0;
  for (let lane = 0; lane < trace.lanes; lane++) {
    const stop = firstStarting(trace, lane, view.t1);
    let taken = 0;
    for (let index = firstReaching(trace, lane, view.t0); index < stop; index++) {
      if (endOf(trace, index) < view.t0) continue;
      all++;
      // No lane can give more than the whole table holds.
      if (taken++ < LIMIT) found.push({ index, lane });
    }
  }
  found.sort((a, b) => trace.start[a.index] - trace.start[b.index] || a.index - b.index);
  const rows = found.slice(0, LIMIT).map(({ index, lane }) => ({
    index,
    lane,
    laneText: laneName(plan, trace, lane).long,
    name: sliceName(plan, trace, index),
    start: trace.start[index],
    duration: trace.dur[index],
    end: endOf(trace, index),
  }));
  return { rows, all };
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
            {sorted.map((row) => (
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
