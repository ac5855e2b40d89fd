// The timeline's place in the page: toolbar, minimap, headers of the rows in sight, canvases, and what is said
// about a thing under the pointer or under the selection.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import * as s from "../state/store";
import { en } from "../text/en";
import { lasts, unit, when } from "../state/clock";
import { percent } from "../text/format";
import { idleSplit, placeOf } from "../timeline/gaps";
import { laneOfThing, spanOfThing } from "../timeline/hit";
import { wireMinimap, wireTimeline } from "../timeline/input";
import { fullName, laneName } from "../timeline/names";
import type { Row } from "../timeline/rows";
import { rangeLabel } from "../timeline/ticks";
import { versionRead } from "../timeline/versions";
import { fit, frame, TimelineView, visibleRows } from "../timeline/view";
import { Icon } from "./icon";
import { Lazy } from "./lazy";
import { Legend } from "./legend";

const TOOLS = {
  order: () => import("../order/bar").then((m) => m.OrderBar),
  play: () => import("../play/bar").then((m) => m.PlayBar),
};

function Tool({ id, label, hint }: { id: "order" | "play"; label: string; hint: string }) {
  const open = s.tool.value === id;
  return (
    <button
      class="button small"
      id={`tool-${id}`}
      type="button"
      title={hint}
      aria-pressed={open}
      disabled={!s.result.value}
      onClick={() => (s.tool.value = open ? null : id)}
    >
      {label}
    </button>
  );
}

function Toolbar() {
  return (
    <div class="tl-toolbar">
      <h3 id="timeline-heading">{en.timeline}</h3>
      <Legend />
      <div class="tl-tools">
        <label class="field">
          <span class="visually-hidden">{en.colourBy}</span>
          <select
            id="colour-mode"
            value={s.colours.value}
            onChange={(event) => (s.colourMode.value = event.currentTarget.value as s.ColourMode)}
          >
            <option value="kind">{en.byKind}</option>
            <option value="microbatch">{en.byMicrobatch}</option>
            {s.result.value?.trace.readForward && <option value="version">{en.byVersion}</option>}
            <option value="cause">{en.byCause}</option>
            <option value="paper">{en.paper}</option>
          </select>
        </label>
        <button
          class="button small"
          id="unit-time"
          type="button"
          title={en.unitTimeHint}
          aria-pressed={s.unitTime.value}
          disabled={!s.result.value?.forward}
          onClick={() => (s.unitTime.value = !s.unitTime.value)}
        >
          {en.unitTime}
        </button>
        <Tool id="play" label={en.play} hint={en.playHint} />
        <Tool id="order" label={en.editOrder} hint={en.editOrderHint} />
        <button
          class="button small"
          type="button"
          title={en.asTableHint}
          disabled={!s.result.value}
          onClick={() => (s.dialog.value = "table")}
        >
          {en.asTable}
        </button>
        <button class="button small" id="fit" type="button" title={en.fitHint} onClick={fit}>
          <Icon name="fit" />
          {en.fit}
        </button>
      </div>
    </div>
  );
}

function Range() {
  const result = s.result.value;
  const { t0, t1 } = s.view.value;
  const whole = !result || (t0 <= 0 && t1 >= result.trace.end);
  return (
    <div class="tl-range" id="tl-range">
      {whole ? en.whole : rangeLabel(t0, t1, unit.value)}
    </div>
  );
}

function Header({ row, result }: { row: Row; result: s.Result }) {
  const place = { "--y": `${row.y}px`, "--h": `${row.h}px` };
  if (row.type === "more") {
    return (
      <li class="row row-more" style={place}>
        <button type="button" class="text-button" onClick={() => (s.allLinks.value = !s.allLinks.value)}>
          <span class="long">{s.allLinks.value ? en.fewerLinks : en.moreLinks(row.lane)}</span>
          <span class="short">{s.allLinks.value ? en.fewerShort : en.moreShort(row.lane)}</span>
        </button>
      </li>
    );
  }
  const { trace, plan } = result;
  const name = laneName(plan, trace, row.lane);
  const selected = s.selection.value;
  const current = selected !== null && laneOfThing(trace, selected) === row.lane;
  const link = row.type === "link";
  const share = trace.end > 0 ? trace.busy[row.lane] / trace.end : 0;
  const idle = trace.end > 0 ? idleSplit(trace, row.lane).total / trace.end : 0;
  return (
    <li class={`row row-${row.type}${current ? " current" : ""}`} style={place} title={name.detail}>
      <span class="row-name">
        <span class="long">{name.long}</span>
        <span class="short">{name.short}</span>
      </span>
      <span class="row-fact num">
        {link ? en.linkBusy(percent(share, 0)) : percent(idle, 0)}
        {!link && <span class="visually-hidden"> {en.idle}</span>}
      </span>
    </li>
  );
}

function Headers() {
  const result = s.result.value;
  const { axis, total, shown } = frame.value;
  return (
    <div class="tl-heads">
      <div class="row row-axis" style={{ "--h": `${axis}px` }} aria-hidden="true">
        <span class="row-fact">{en.idle}</span>
      </div>
      {result && (
        <ul
          class="tl-headers"
          aria-label={en.rows}
          style={{ "--axis": `${axis}px`, "--shown": `${Math.min(shown, total)}px` }}
        >
          {visibleRows.value.map((row) => (
            <Header row={{ ...row, y: row.y - axis }} result={result} key={`${row.type}${row.lane}`} />
          ))}
        </ul>
      )}
    </div>
  );
}

/** What the selection is, in words, for those who do not see the canvas. */
function liveText(): string {
  const result = s.result.value;
  const thing = s.selection.value;
  if (!result || !thing) return "";
  const { trace, plan } = result;
  const lane = laneName(plan, trace, laneOfThing(trace, thing)).long;
  const [start, end] = spanOfThing(trace, thing);
  if (thing.type === "slice") {
    return en.liveSlice(fullName(plan, trace, thing.index), lane, lasts(end - start), when(start, trace.end));
  }
  const last = thing.next >= trace.offsets[thing.lane + 1];
  return en.liveGap(lane, lasts(end - start), last ? en.untilEnd : en.beforeOp(fullName(plan, trace, thing.next)));
}

interface TipState {
  title: string;
  rest: string;
  x: number;
  y: number;
}

function describe(thing: s.Selection): { title: string; rest: string } {
  const result = s.result.peek() as s.Result;
  const { trace, plan } = result;
  const [start, end] = spanOfThing(trace, thing);
  const title = thing.type === "gap" ? en.tipIdle[placeOf(trace, thing)] : fullName(plan, trace, thing.index);
  const rest = en.tipFrom(lasts(end - start), when(start, trace.end));
  const read = thing.type === "slice" && versionRead(trace, plan, thing.index);
  return { title, rest: read ? `${rest}; ${en.weights(en.versions(read))}` : rest };
}

export function showDetails(): void {
  s.detailTab.value = "inspector";
  document.getElementById("panel-inspector")?.focus();
}

export function Timeline() {
  const scroll = useRef<HTMLDivElement>(null);
  const view = useRef<HTMLDivElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const lanes = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const minimap = useRef<HTMLCanvasElement>(null);
  const tip = useSignal<TipState | null>(null);
  const touched = useSignal(false);

  useEffect(() => {
    const parts = {
      scroll: scroll.current as HTMLElement,
      view: view.current as HTMLElement,
      host: host.current as HTMLElement,
      lanes: lanes.current as HTMLCanvasElement,
      over: over.current as HTMLCanvasElement,
      minimap: minimap.current as HTMLCanvasElement,
    };
    const timeline = new TimelineView(parts);
    const unwire = wireTimeline(parts.host, timeline, {
      tip(thing, x, y) {
        if (!thing) return void (tip.value = null);
        const box = parts.host.getBoundingClientRect();
        const left = Math.min(Math.max(x - box.left + 12, 0), Math.max(box.width - 220, 0));
        // Near the lower edge the tip stands above the pointer, where there is room.
        const below = y - box.top + 14;
        const top = below + 44 > box.height ? Math.max(below - 68, 0) : below;
        tip.value = { ...describe(thing), x: left, y: top };
      },
      details: showDetails,
    });
    const unmap = wireMinimap(parts.minimap);
    return () => {
      unwire();
      unmap();
      timeline.dispose();
    };
  }, []);

  const { total, shown } = frame.value;
  const sizes = { "--total": `${total}px`, "--shown": `${shown}px` };
  return (
    <section class={`timeline${s.result.value ? "" : " waiting"}`} id="timeline" aria-labelledby="timeline-heading">
      <Toolbar />
      {s.tool.value && <Lazy key={s.tool.value} load={TOOLS[s.tool.value]} />}
      <div class="tl-scroll" ref={scroll} style={sizes}>
        <div class="tl-top">
          <Range />
          <canvas class="minimap" id="minimap" ref={minimap} aria-hidden="true" />
        </div>
        <div class="tl-body">
          <div class="tl-view" ref={view}>
            <Headers />
            <div
              class="tl-canvas"
              id="tl-canvas"
              ref={host}
              role="application"
              aria-roledescription="timeline"
              aria-label={en.timelineLabel}
              aria-describedby="tl-keys"
              tabIndex={0}
              onKeyDown={() => (touched.value = true)}
              onPointerDown={() => (touched.value = true)}
            >
              <canvas id="lanes" ref={lanes} aria-hidden="true" />
              <canvas id="over" ref={over} aria-hidden="true" />
              {tip.value && (
                <div class="tl-tip" style={{ left: `${tip.value.x}px`, top: `${tip.value.y}px` }}>
                  <strong>{tip.value.title}</strong> {tip.value.rest}
                </div>
              )}
            </div>
          </div>
        </div>
      </div>
      <p class="visually-hidden" id="tl-keys">
        {en.keysHint}
      </p>
      <p class="visually-hidden" id="tl-live" aria-live="polite">
        {touched.value ? liveText() : ""}
      </p>
    </section>
  );
}
