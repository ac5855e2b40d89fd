// Links over time: how busy each is in each part of the visible range, as a map of heat, with what it carries and how
// many messages queue.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { unit } from "../state/clock";
import { number, object } from "../state/facts";
import { useSeries } from "../state/series";
import * as s from "../state/store";
import { paletteVersion } from "../state/theme";
import { later } from "../text/later";
import { bytes, percent } from "../text/format";
import { goTo } from "../timeline/goto";
import { laneName, type LaneName } from "../timeline/names";
import { channels } from "../timeline/palette";
import { rangeLabel } from "../timeline/ticks";
import { firstStarting } from "../worker/coverage";
import type { LinkSeries } from "../worker/protocol";
import { Axis, useWidth } from "./axis";
import { DataTable } from "./data_table";
import { Twin } from "./twin";
import "../styles/series.css";

/** The table has as many parts of the range, and the map a multiple of them, at least so many pixels wide. */
const PARTS = 10;
const PITCH = 8;
/** More links than this say no more; the busiest are shown. */
const MOST_LINKS = 48;

interface LinkRow {
  lane: number;
  name: LaneName;
  busy: number;
  messages: number;
  bytes: number;
}

/** By busy time. All messages of a run are of one size. */
function linksOf({ trace, plan, summary }: s.Result): LinkRow[] {
  const sent = object(summary.communication);
  const each = (number(sent.bytes) ?? 0) / (number(sent.messages) || 1);
  const lanes = Array.from({ length: trace.lanes - trace.devices }, (_, i) => trace.devices + i);
  lanes.sort((a, b) => trace.busy[b] - trace.busy[a] || a - b);
  return lanes.slice(0, MOST_LINKS).map((lane) => {
    let messages = 0;
    for (let i = trace.offsets[lane]; i < trace.offsets[lane + 1]; i++) {
      if (plan.kinds[trace.kind[i]] !== "allreduce") messages++;
    }
    const busy = trace.end > 0 ? trace.busy[lane] / trace.end : 0;
    return { lane, name: laneName(plan, trace, lane), busy, messages, bytes: messages * each };
  });
}

/** Something is never painted as nothing. */
const LEAST = 0.08;

interface StripProps {
  series: LinkSeries;
  row: number;
  /** The chosen cell of this row, or -1. */
  cell: number;
  choose(event: MouseEvent): void;
}

function Strip({ series, row, cell, choose }: StripProps) {
  const { columns, busy } = series;
  const canvas = useRef<HTMLCanvasElement>(null);
  const version = paletteVersion.value;
  useEffect(() => {
    const node = canvas.current as HTMLCanvasElement;
    node.width = columns;
    node.height = 1;
    const image = new ImageData(columns, 1);
    const ink = channels(getComputedStyle(node).color);
    for (let i = 0; i < columns; i++) {
      const share = busy[row * columns + i];
      image.data.set([...ink, share > 0 ? 255 * Math.max(LEAST, share) : 0], 4 * i);
    }
    node.getContext("2d")?.putImageData(image, 0, 0);
  }, [series, row, version]);
  return (
    <span class="heat-strip" onPointerMove={choose}>
      <canvas ref={canvas} />
      {cell >= 0 && <span class="heat-ring" style={{ "--from": cell / columns, "--share": 1 / columns }} />}
    </span>
  );
}

function LinkTable({ rows, series }: { rows: LinkRow[]; series: LinkSeries }) {
  const { t0, t1, columns, busy, most } = series;
  const part = (t1 - t0) / PARTS;
  const each = columns / PARTS;
  const parts = Array.from({ length: PARTS }, (_, i) => i);
  const mean = (from: number) => busy.subarray(from, from + each).reduce((a, b) => a + b) / each;
  return (
    <DataTable
      id="links-table"
      caption={later.linksCaption}
      head={[...later.linkColumns, ...parts.map((i) => rangeLabel(t0 + i * part, t0 + (i + 1) * part, unit.value))]}
      rows={rows.map(({ name, busy: share, messages, bytes: all }, row) => [
        name.long,
        percent(share),
        `${messages}`,
        bytes(all).join(" "),
        `${most[row]}`,
        ...parts.map((i) => percent(mean(row * columns + i * each), 0)),
      ])}
    />
  );
}

export function Links() {
  const result = s.result.value as s.Result;
  const { trace } = result;
  const axis = useRef<HTMLDivElement>(null);
  const width = useWidth(axis);
  const [chosen, choose] = useState(-1);
  const rows = useMemo(() => linksOf(result), [result]);
  const { t0, t1 } = s.view.value;
  const wanted = PARTS * Math.max(1, Math.floor(width / PITCH / PARTS));
  const links = rows.map(({ lane }) => trace.resource[lane]);
  const answer = useSeries<LinkSeries>(width > 0 ? { of: "links", links, t0, t1, columns: wanted } : null);
  // The answer may still be of the run before.
  const series = answer?.most.length === rows.length ? answer : null;
  const columns = series?.columns ?? 1;
  const cells = rows.length * columns;
  const cell = series && chosen < cells ? chosen : -1;
  const row = Math.floor(cell / columns);
  const per = series ? (series.t1 - series.t0) / columns : 0;
  const from = series ? series.t0 + (cell % columns) * per : 0;

  const go = () => {
    if (cell < 0) return;
    const { lane } = rows[row];
    const index = firstStarting(trace, lane, from + per) - 1;
    const there = index >= trace.offsets[lane] && trace.start[index] + trace.dur[index] > from;
    goTo(there ? { type: "slice", index } : null, lane, { t0: from - 5 * per, t1: from + 6 * per });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    if (event.key === "Enter") go();
    else if (by === undefined) return;
    else if (cell < 0) choose(0);
    else if (cell + by >= 0 && cell + by < cells) choose(cell + by);
    event.preventDefault();
  };
  return (
    <>
      <div class="heat-head">
        <p id="links-now" aria-live="polite" class="num">
          {series && cell >= 0
            ? later.linkAt(
                rows[row].name.long,
                rangeLabel(from, from + per, unit.value),
                percent(series.busy[cell], 0),
                series.there[cell],
              )
            : later.linksHint(rows.length, trace.lanes - trace.devices)}
        </p>
        <span class="heat-scale num" aria-hidden="true">
          0 <span /> {later.busyScale}
        </span>
      </div>
      <div
        class="heat"
        id="links-map"
        role="application"
        aria-roledescription={later.heatMap}
        aria-label={later.linksLabel}
        aria-describedby="links-keys"
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerLeave={() => choose(-1)}
        onBlur={() => choose(-1)}
        onClick={go}
      >
        <p class="visually-hidden" id="links-keys">
          {later.linksKeys}
        </p>
        <ol>
          {rows.map(({ lane, name, busy, bytes: all }, i) => (
            <li key={lane} class="over-time" title={name.detail}>
              <span class="heat-name num">
                <span class="long">{name.long}</span>
                <span class="short">{name.short}</span>
                <strong>{percent(busy, busy < 0.1 ? 1 : 0)}</strong>
                <span class="muted">
                  {bytes(all).join(" ")}
                  {series && series.most[i] > 1 && later.queueOf(series.most[i])}
                </span>
              </span>
              {series && (
                <Strip
                  series={series}
                  row={i}
                  cell={row === i ? cell % columns : -1}
                  choose={({ offsetX, currentTarget }) => {
                    const column = Math.floor((offsetX / (currentTarget as Element).clientWidth) * columns);
                    choose(i * columns + Math.min(column, columns - 1));
                  }}
                />
              )}
            </li>
          ))}
        </ol>
        <div class="over-time">
          <span />
          <div ref={axis}>{series && <Axis name="time-axis" run={result} view={series} unit={unit.value} />}</div>
        </div>
      </div>
      {series && <Twin>{() => <LinkTable rows={rows} series={series} />}</Twin>}
    </>
  );
}
