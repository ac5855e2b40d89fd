// Two looks that ask the module about the run: idle gaps in the colour of their main cause, and all but the critical
// path dimmed. Painted over the lanes; asked for when one of them is wanted.
import { effect } from "@preact/signals";
import { gapsIn, type Path, pathOf, PS_PER_MS } from "../state/causes";
import * as s from "../state/store";
import { paletteVersion } from "../state/theme";
import { later } from "../text/later";
import { firstReaching, firstStarting } from "../worker/coverage";
import type { Gap, IdleCause } from "../worker/protocol";
import { endOf } from "./gaps";
import { hatch, type Scene, type Surface } from "./paint";
import type { Palette } from "./palette";
import { type Row, sliceBox } from "./rows";
import { currentPalette, visibleRows } from "./view";

/** A reader who moves the view asks when it rests. */
const PATIENCE_MS = 120;
/** The module hands out a hundred gaps at once; of more than this many the reader sees no single one. */
const MOST_ROUNDS = 4;
const ROUND = 100;
const DIM = 0.78;

/** Each in the colour of what it waits for: work, bytes, what holds the device back, what went wrong. */
export function causeColour({ op, plain }: Palette, cause: IdleCause): string {
  const colours: Record<IdleCause, string> = {
    warm_up: plain["text-faint"],
    drain: plain["line-strong"],
    dependency: op.f.fill,
    link_busy: op.send.fill,
    link_latency: op.recv.fill,
    memory: op.w.fill,
    order: op.b.fill,
    straggler: op.fail.fill,
    failure: op.fail.edge,
    optimizer: op.update.fill,
    barrier: op.update.edge,
  };
  return colours[cause];
}

export const causesOf = (gap: Pick<Gap, "causes_ms">): [IdleCause, number][] =>
  (Object.entries(gap.causes_ms) as [IdleCause, number][]).sort((a, b) => b[1] - a[1]);

interface Coloured {
  start: number;
  end: number;
  cause: IdleCause;
}

let known: { of: s.Result; byLane: Map<number, Coloured[]> } | null = null;
let path: { of: s.Result; path: Path } | null = null;

function paintCauses(surface: Surface, { t0, t1, palette }: Scene, rows: Row[], byLane: Map<number, Coloured[]>): void {
  const { g, width } = surface;
  const x = (t: number) => ((t - t0) / (t1 - t0)) * width;
  g.font = `600 10px ${palette.font}`;
  g.textAlign = "center";
  for (const row of rows) {
    if (row.type !== "lane") continue;
    const { y, h } = sliceBox(row);
    for (const { start, end, cause } of byLane.get(row.lane) ?? []) {
      const left = Math.max(x(start), 0);
      const w = Math.min(x(end), width) - left;
      if (w < 1.5) continue;
      const colour = causeColour(palette, cause);
      g.fillStyle = colour;
      g.globalAlpha = 0.28;
      g.fillRect(left, y, w, h);
      g.globalAlpha = 1;
      hatch(g, colour, left, y, w, h, 6, 2);
      const name = later.causes[cause];
      const room = g.measureText(name).width + 10;
      if (room > w - 4 || h < 12) continue;
      const middle = left + w / 2;
      g.fillStyle = palette.plain["ink-halo"];
      g.fillRect(middle - room / 2, y + 2, room, h - 4);
      g.fillStyle = palette.plain.ink;
      g.fillText(name, middle, y + h / 2 + 0.5);
    }
  }
}

/** A veil over every row with holes where the path is. */
function paintPath({ g, width }: Surface, { trace, t0, t1, palette }: Scene, rows: Row[], { on }: Path): void {
  const x = (t: number) => ((t - t0) / (t1 - t0)) * width;
  g.fillStyle = palette.plain.lane;
  g.globalAlpha = DIM;
  for (const row of rows) {
    if (row.type === "more") continue;
    g.beginPath();
    g.rect(0, row.y, width, row.h);
    const stop = firstStarting(trace, row.lane, t1);
    for (let i = firstReaching(trace, row.lane, t0); i < stop; i++) {
      if (!on[i]) continue;
      const box = sliceBox(row, trace.half[i]);
      const left = x(trace.start[i]);
      g.rect(left, box.y, Math.max(x(endOf(trace, i)) - left, 1), box.h);
    }
    g.fill("evenodd");
  }
  g.globalAlpha = 1;
}

function refresh(): void {
  const result = s.result.peek();
  const causes = s.colourMode.peek() === "cause" && known?.of === result ? known?.byLane : null;
  const only = s.onlyPath.peek() && path?.of === result ? path?.path : null;
  const present = new Set([...(causes?.values() ?? [])].flat().map(({ cause }) => cause));
  s.veilColours.value = (Object.keys(later.causes) as IdleCause[])
    .filter((cause) => present.has(cause))
    .map((cause) => ({ name: later.causes[cause].toLowerCase(), colour: causeColour(currentPalette(), cause) }));
  s.veil.value =
    causes || only
      ? (surface, scene, rows) => {
          if (causes) paintCauses(surface, scene, rows, causes);
          if (only) paintPath(surface, scene, rows, only);
        }
      : null;
}

async function laneGaps(result: s.Result, lane: number, from: number, to: number): Promise<Coloured[] | null> {
  const out: Coloured[] = [];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const found = await gapsIn(result, [lane], [from, to], true);
    if (!found) return null;
    for (const gap of found[0]) {
      const [start, end] = [gap.start_ms * PS_PER_MS, gap.end_ms * PS_PER_MS];
      if (start >= (out.at(-1)?.end ?? 0)) out.push({ start, end, cause: causesOf(gap)[0][0] });
    }
    if (found[0].length < ROUND) break;
    from = (out.at(-1) as Coloured).end;
  }
  return out;
}

async function findCauses(result: s.Result, lanes: number[], view: s.View, wanted: () => boolean): Promise<void> {
  const byLane = new Map(known?.of === result ? known.byLane : []);
  for (const lane of lanes) {
    const gaps = await laneGaps(result, lane, view.t0, view.t1);
    if (!gaps || !wanted()) return;
    byLane.set(lane, gaps);
  }
  known = { of: result, byLane };
  refresh();
}

export function startVeil(): void {
  let asked = 0;
  effect(() => {
    const result = s.result.value;
    const view = s.view.value;
    const lanes = visibleRows.value.filter((row) => row.type === "lane").map((row) => row.lane);
    paletteVersion.value;
    const own = ++asked;
    if (result && s.colourMode.value === "cause") {
      setTimeout(() => own === asked && void findCauses(result, lanes, view, () => own === asked), PATIENCE_MS);
    }
    refresh();
  });
  effect(() => {
    const result = s.result.value;
    if (result && s.onlyPath.value && path?.of !== result) {
      void pathOf(result).then((found) => {
        if (found) path = { of: result, path: found };
        refresh();
      });
    }
    refresh();
  });
}
