// All schedules on the shown scenario, side by side: what each takes, what it needs, or why it cannot run here. One
// press takes a schedule; ticked ones can be drawn under each other.
import { useEffect, useMemo, useState } from "preact/hooks";
import { readSchedule } from "../editor/schedule";
import * as c from "../state/compare";
import { type Column, reasonOf, type Row, sortRows, verdictOf } from "../state/compare_rows";
import { loadSchedules, schedules } from "../state/schedule_list";
import * as s from "../state/store";
import { later } from "../text/later";
import { bytes, percent, short, time, trim } from "../text/format";
import { Icon } from "./icon";

/** More than this is compared only when asked: it takes thirty times as long as one run. */
const AUTO_EVENTS = 500_000;

const COLUMNS: Column[] = ["name", "time", "bubble", "gap", "bytes", "stages", "copies"];
const size = (n: number) => bytes(n).join(" ");

/** The slowest are not to squeeze all others: bars end at twice the fastest. */
const LONGEST_BAR = 2;

function Bar({ row, fastest }: { row: Row; fastest: number }) {
  const all = LONGEST_BAR * fastest;
  const taken = row.time ?? 0;
  const bound = row.gap === null ? 0 : taken / (1 + row.gap);
  return (
    <span
      class={`time-bar${taken > all ? " cut" : ""}`}
      aria-hidden="true"
      style={{ "--share": Math.min(1, taken / all), "--bound": Math.min(1, bound / all) }}
    />
  );
}

/** The parameters the text gives its schedule: the row of the others is that of their usual ones. */
const writtenIn = (text: string): string =>
  Object.entries(readSchedule(text).parameters)
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`)
    .join(", ");

function Name({ row, stale, written = "" }: { row: Row; stale: boolean; written?: string }) {
  return (
    <>
      {row.current ? (
        <>
          <strong>{row.name}</strong>
          {written && <span class="muted">, {written}</span>}
        </>
      ) : (
        <button
          type="button"
          class="text-button"
          title={row.doc}
          aria-label={later.use(row.name)}
          disabled={row.time === null}
          onClick={() => c.applySchedule(row.name, row.name)}
        >
          {row.name}
        </button>
      )}
      {row.current && <span class="tag now">{later.current}</span>}
      {stale && <span class="tag">{later.staleWeights}</span>}
    </>
  );
}

interface LineProps {
  row: Row;
  fastest: number;
  stale: boolean;
  written: string;
}

function Line({ row, fastest, stale, written }: LineProps) {
  const ticked = c.picked.value.includes(row.name);
  const full = !ticked && c.picked.value.length >= c.MOST_PICKED;
  if (row.time === null) {
    return (
      <tr class="cannot">
        <td />
        <th scope="row">
          <Name row={row} stale={stale} written={written} />
        </th>
        <td colSpan={COLUMNS.length - 1} class="why">
          {reasonOf(row)}
        </td>
      </tr>
    );
  }
  return (
    <tr class={row.current ? "now" : ""}>
      <td>
        <input
          type="checkbox"
          aria-label={later.pick(row.name)}
          checked={ticked}
          disabled={full}
          onChange={() => c.togglePicked(row.name)}
        />
      </td>
      <th scope="row">
        <Name row={row} stale={stale} written={written} />
      </th>
      <td class="num with-bar">
        <Bar row={row} fastest={fastest} />
        {time(row.time, 4)}
      </td>
      <td class="num">{percent(row.bubble)}</td>
      <td class="num">{row.gap === null ? "–" : `+${percent(row.gap)}`}</td>
      <td class={`num${row.fits ? "" : " over"}`}>
        {size(row.bytes)}
        {!row.fits && <span class="tag strong">{later.tooLarge}</span>}
      </td>
      <td class="num">{Number(trim(row.stages))}</td>
      <td class="num">{row.copies} ×</td>
    </tr>
  );
}

function Verdict({ rows, stale }: { rows: Row[]; stale: Set<string> }) {
  const verdict = verdictOf(rows, stale);
  if (!verdict) return <p>{rows.length > 0 ? later.noneFits : ""}</p>;
  const { fastest, leanest, current } = verdict;
  const change = fastest.current
    ? later.fastestNow
    : current
      ? later.shorter(percent(1 - (fastest.time as number) / (current.time as number)), current.name)
      : "";
  return (
    <p>
      <strong>{later.fastest(fastest.name)}</strong>
      {later.fastestRest(time(fastest.time as number, 4), change)}
      {leanest && later.leanest(leanest.name, size(leanest.bytes), time(leanest.time as number, 4))}
    </p>
  );
}

function Head({ state, stale }: { state: c.Comparison | null; stale: Set<string> }) {
  const running = state?.state === "running";
  const old = state !== null && state.text !== s.result.value?.text;
  const n = c.picked.value.length;
  return (
    <header class="compare-head">
      <div class="compare-say" role="status">
        {running ? (
          <p class="run-state busy">
            <progress max={state.total || 1} value={state.done} aria-label={later.compareHeading} />
            <span class="num">{later.comparing(state.done, state.total)}</span>
            <button type="button" class="button small" onClick={c.stopComparing}>
              {later.compareStop}
            </button>
          </p>
        ) : state?.state === "failed" ? (
          <p>
            {later.compareFailed} {state.problem}
          </p>
        ) : state ? (
          <>
            <Verdict rows={state.rows} stale={stale} />
            {(old || state.state === "stopped") && (
              <p class="muted">
                {old ? later.compareOld : later.compareStopped}{" "}
                <button type="button" class="button small" onClick={again}>
                  {later.compareAgain}
                </button>
              </p>
            )}
          </>
        ) : null}
      </div>
      <div class="compare-tools">
        <button type="button" class="button small" onClick={() => (s.dialog.value = "picker")}>
          {later.withParameters}
        </button>
        <button
          type="button"
          class="button small"
          id="draw-picked"
          disabled={n < 2}
          title={later.drawHint(c.MOST_PICKED)}
          onClick={() => (s.dialog.value = "stacked")}
        >
          <Icon name="lanes" />
          {later.drawPicked(n)}
        </button>
      </div>
    </header>
  );
}

function again(): void {
  const text = s.result.peek()?.text;
  if (text !== undefined) void c.compare(text, true);
}

/** What the table is about, when there is too much of it to be played unasked. */
function Ask({ events }: { events: number }) {
  return (
    <p class="compare-ask">
      {later.compareLarge(short(events))}{" "}
      <button type="button" class="button" onClick={again}>
        {later.compareGo}
      </button>
    </p>
  );
}

export function Schedules() {
  const text = s.result.value?.text;
  const events = s.result.value?.trace.start.length ?? 0;
  const large = events > AUTO_EVENTS;
  useEffect(loadSchedules, []);
  useEffect(() => {
    if (text !== undefined && !large) void c.compare(text);
  }, [text, large]);
  const [order, setOrder] = useState<{ by: Column; down: boolean }>({ by: "time", down: false });
  const state = c.comparison.value;
  const written = useMemo(() => (state ? writtenIn(state.text) : ""), [state?.text]);
  if (large && !state) return <Ask events={events} />;
  const stale = new Set(schedules.value.filter((one) => !one.synchronous).map((one) => one.name));
  const rows = sortRows(state?.rows ?? [], order.by, order.down);
  const fastest = Math.min(...rows.map((row) => row.time ?? Number.POSITIVE_INFINITY));
  return (
    <>
      <Head state={state} stale={stale} />
      <table class={`data compare${state?.state === "running" ? " busy" : ""}`} aria-label={later.compareHeading}>
        <thead>
          <tr>
            <td />
            {COLUMNS.map((id) => (
              <th
                key={id}
                scope="col"
                class={id === "name" ? "" : "num"}
                aria-sort={order.by === id ? (order.down ? "descending" : "ascending") : undefined}
              >
                <button
                  type="button"
                  class="text-button"
                  title={later.columnHints[id]}
                  onClick={() => setOrder({ by: id, down: order.by === id && !order.down })}
                >
                  {later.columns[id]}
                  <span aria-hidden="true">{order.by === id ? (order.down ? " ▼" : " ▲") : ""}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Line key={row.name} row={row} fastest={fastest} stale={stale.has(row.name)} written={written} />
          ))}
        </tbody>
      </table>
    </>
  );
}
