// The timeline's engine room: keeps canvases, rows and the visible part together and repaints once a frame at most.
// It reads the signals of the store and writes `view` and `selection`; the panel around it owns the DOM.
import { effect, signal } from "@preact/signals";
import * as s from "../state/store";
import { unit } from "../state/clock";
import { paletteVersion } from "../state/theme";
import { across, laneOfThing, neighbour, spanOfThing, thingAt } from "./hit";
import { paintMinimap, paintStrip } from "./minimap";
import { openCanvas, paintAxis, paintEnd, paintGrid, paintRows, type Scene } from "./paint";
import { paintOverlay } from "./overlay";
import { type Palette, readPalette } from "./palette";
import type { Trace } from "../worker/protocol";
import { layRows, type Row, type RowHeights, rowsBetween } from "./rows";
import { measureHeights } from "./sizes";

export interface Parts {
  scroll: HTMLElement;
  view: HTMLElement;
  host: HTMLElement;
  lanes: HTMLCanvasElement;
  over: HTMLCanvasElement;
  minimap: HTMLCanvasElement;
}

const MIN_SPAN = 1e4;

/** Rows in sight, their `y` relative to the visible part; the panel writes their headers. */
export const visibleRows = signal<Row[]>([]);
/** Height of all rows, of the visible part, and of the axis. */
export const frame = signal(firstFrame());

/** Room for the scenario shown first, so that nothing moves when its lanes come. */
function firstFrame(): { total: number; shown: number; axis: number } {
  const { axis, lane, link, more } = measureHeights();
  const total = axis + 8 * lane + 2 * link + more;
  return { total, shown: total, axis };
}

let palette: Palette | null = null;
let paletteSeen = -1;
export function currentPalette(): Palette {
  if (!palette || paletteSeen !== paletteVersion.peek()) {
    palette = readPalette();
    paletteSeen = paletteVersion.peek();
  }
  return palette;
}

export function setView(t0: number, t1: number): void {
  const total = s.result.peek()?.trace.end ?? 1;
  const span = Math.min(Math.max(t1 - t0, MIN_SPAN), total);
  const start = Math.min(Math.max(t0, 0), total - span);
  s.view.value = { t0: start, t1: start + span };
}

export function zoom(factor: number, at: number): void {
  const { t0, t1 } = s.view.peek();
  setView(at - (at - t0) * factor, at + (t1 - at) * factor);
}

export function pan(share: number): void {
  const { t0, t1 } = s.view.peek();
  const by = (t1 - t0) * share;
  setView(t0 + by, t1 + by);
}

export const fit = (): void => setView(0, s.result.peek()?.trace.end ?? 1);

export class TimelineView {
  private laid: { of: Trace | null; key: string; rows: Row[]; height: number } = {
    of: null,
    key: "",
    rows: [],
    height: 0,
  };
  private strip: { of: Trace; key: string; canvas: OffscreenCanvas } | null = null;
  private queued = false;
  private stops: (() => void)[] = [];
  hover: s.Selection | null = null;

  constructor(private parts: Parts) {
    const observer = new ResizeObserver(() => this.layout());
    observer.observe(parts.scroll);
    observer.observe(parts.host);
    const onScroll = () => this.layout();
    parts.scroll.addEventListener("scroll", onScroll, { passive: true });
    this.stops.push(
      () => observer.disconnect(),
      () => parts.scroll.removeEventListener("scroll", onScroll),
      effect(() => {
        s.result.value;
        s.allLinks.value;
        this.hover = null;
        this.layout();
      }),
      effect(() => {
        s.view.value;
        s.selection.value;
        s.colourMode.value;
        s.veil.value;
        unit.value;
        paletteVersion.value;
        this.queue();
      }),
    );
  }

  dispose(): void {
    for (const stop of this.stops) stop();
  }

  private layout(): void {
    const result = s.result.peek();
    if (!result) return;
    const heights = measureHeights(result.trace);
    const { rows, height } = this.laidRows(result.trace, heights);
    const { scroll, minimap } = this.parts;
    const room = Math.max(scroll.clientHeight - minimap.offsetHeight, 120);
    const limited = getComputedStyle(scroll).overflowY !== "visible";
    const shown = limited ? Math.min(height, room) : height;
    const now = frame.peek();
    if (now.total !== height || now.shown !== shown || now.axis !== heights.axis) {
      frame.value = { total: height, shown, axis: heights.axis };
    }
    const top = this.scrollTop();
    visibleRows.value = rowsBetween(rows, top + heights.axis, top + shown).map((row) => ({
      ...row,
      y: row.y - top,
    }));
    this.queue();
  }

  /** Laid again only when something changed: scrolling asks many times a second. */
  private laidRows(trace: Trace, heights: RowHeights): { rows: Row[]; height: number } {
    const all = s.allLinks.peek();
    const key = `${heights.axis}/${heights.lane}/${heights.link}/${all}`;
    if (this.laid.of !== trace || this.laid.key !== key) {
      this.laid = { of: trace, key, ...layRows(trace, heights, all) };
    }
    return this.laid;
  }

  private scrollTop(): number {
    const { total, shown } = frame.peek();
    return Math.min(this.parts.scroll.scrollTop, Math.max(0, total - shown));
  }

  private queue(): void {
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame(() => {
      this.queued = false;
      this.paint();
    });
  }

  scene(): Scene | null {
    const result = s.result.peek();
    if (!result) return null;
    const { trace, plan, pyramid } = result;
    const mode = s.colourMode.peek();
    return { trace, plan, pyramid, mode, labels: true, palette: currentPalette(), unit: unit.peek(), ...s.view.peek() };
  }

  private paint(): void {
    const scene = this.scene();
    const { host, lanes, minimap } = this.parts;
    const width = host.clientWidth;
    if (!scene || width === 0) return;
    const { shown, axis } = frame.peek();
    const rows = visibleRows.peek();
    const surface = openCanvas(lanes, width, shown);
    const bottom = Math.min(shown, Math.max(axis, ...rows.map((row) => row.y + row.h)));
    paintRows(surface, scene, rows);
    s.veil.peek()?.(surface, scene, rows);
    paintGrid(surface, scene, axis, bottom);
    const laneRows = rows.filter((row) => row.type === "lane");
    const lastLane = laneRows[laneRows.length - 1];
    if (lastLane) paintEnd(surface, scene, axis, lastLane.y + lastLane.h);
    paintAxis(surface, scene, axis);
    this.paintOver(scene);
    const mapWidth = minimap.clientWidth;
    if (mapWidth > 0) {
      const key = `${paletteVersion.peek()}/${mapWidth}/${scene.mode === "paper"}`;
      if (this.strip?.of !== scene.trace || this.strip.key !== key) {
        this.strip = { of: scene.trace, key, canvas: paintStrip(scene, mapWidth) };
      }
      paintMinimap(minimap, scene, this.strip.canvas, mapWidth, minimap.clientHeight);
    }
  }

  private paintOver(scene: Scene): void {
    const { shown, axis } = frame.peek();
    const surface = openCanvas(this.parts.over, this.parts.host.clientWidth, shown);
    surface.g.beginPath();
    surface.g.rect(0, axis, surface.width, shown - axis);
    surface.g.clip();
    paintOverlay(surface, scene, visibleRows.peek(), s.selection.peek(), this.hover);
  }

  setHover(thing: s.Selection | null): void {
    this.hover = thing;
    const scene = this.scene();
    if (scene) this.paintOver(scene);
  }

  timeAt(clientX: number): number {
    const box = this.parts.lanes.getBoundingClientRect();
    const { t0, t1 } = s.view.peek();
    return t0 + ((clientX - box.left) / box.width) * (t1 - t0);
  }

  thingAt(clientX: number, clientY: number): s.Selection | null {
    const result = s.result.peek();
    if (!result) return null;
    const y = clientY - this.parts.lanes.getBoundingClientRect().top;
    if (y < frame.peek().axis) return null;
    const row = visibleRows.peek().find((r) => r.type !== "more" && y >= r.y && y < r.y + r.h);
    return row ? thingAt(result.trace, row.lane, this.timeAt(clientX), y < row.y + row.h / 2) : null;
  }

  /** Selects and brings into sight. */
  select(thing: s.Selection): void {
    s.selection.value = thing;
    this.reveal(thing);
  }

  private reveal(thing: s.Selection): void {
    const result = s.result.peek();
    if (!result) return;
    const [start, end] = spanOfThing(result.trace, thing);
    const { t0, t1 } = s.view.peek();
    if (start >= t1 || end <= t0 || (end - start < t1 - t0 && (start < t0 || end > t1))) {
      const middle = (start + end) / 2;
      setView(middle - (t1 - t0) / 2, middle + (t1 - t0) / 2);
    }
    const row = this.laid.rows.find((r) => r.type !== "more" && r.lane === laneOfThing(result.trace, thing));
    const { total, shown, axis } = frame.peek();
    if (!row || total <= shown) return;
    const top = this.scrollTop();
    if (row.y - axis < top) this.parts.scroll.scrollTop = row.y - axis;
    else if (row.y + row.h > top + shown) this.parts.scroll.scrollTop = row.y + row.h - shown;
  }

  move(along: -1 | 0 | 1, lanes: -1 | 0 | 1): void {
    const trace = s.result.peek()?.trace;
    if (!trace) return;
    const now = s.selection.peek();
    if (!now) {
      const first = thingAt(trace, 0, s.view.peek().t0 + 1) ?? { type: "slice" as const, index: 0 };
      return this.select(first);
    }
    if (along !== 0) {
      const next = neighbour(trace, now, along > 0);
      if (next) this.select(next);
      return;
    }
    const order = this.laid.rows.filter((row) => row.type !== "more").map((row) => row.lane);
    const at = order.indexOf(laneOfThing(trace, now));
    for (let i = at + lanes; i >= 0 && i < order.length; i += lanes) {
      const next = across(trace, now, order[i]);
      if (next) return this.select(next);
    }
  }

  fitSelection(): void {
    const trace = s.result.peek()?.trace;
    const now = s.selection.peek();
    if (!trace || !now) return;
    const [start, end] = spanOfThing(trace, now);
    const room = Math.max((end - start) * 1.5, MIN_SPAN);
    setView(start - room, end + room);
  }
}
