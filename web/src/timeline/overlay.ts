// What lies over the slices: the selection, what is under the pointer, and arrows from what decided a start.
// On a canvas of its own, so that moving the pointer never repaints the lanes.
import type { Selection } from "../state/store";
import { lasts } from "../state/clock";
import { NONE, type Trace } from "../worker/protocol";
import { endOf, laneOf } from "./gaps";
import { hatch, type Scene, type Surface } from "./paint";
import { type Row, sliceBox } from "./rows";

type X = (t: number) => number;
type BoxOf = (lane: number, half?: number) => { y: number; h: number } | null;

/** The slice a selection is about: itself, or the one that ends the gap. */
export function subjectOf(trace: Trace, selection: Selection): number {
  if (selection.type === "slice") return selection.index;
  return selection.next < trace.offsets[selection.lane + 1] ? selection.next : NONE;
}

/** The device slice behind `index`: transfers are skipped, they lie between the two ends of the arrow. */
function sourceOf(trace: Trace, index: number): number {
  const firstLink = trace.offsets[trace.devices];
  let at = trace.predecessor[index];
  for (let steps = 0; at !== NONE && at >= firstLink && steps < 16; steps++) at = trace.predecessor[at];
  return at;
}

export function paintOverlay(
  surface: Surface,
  scene: Scene,
  rows: Row[],
  selection: Selection | null,
  hover: Selection | null,
): void {
  const { trace, t0, t1 } = scene;
  const { width } = surface;
  const x: X = (t) => ((t - t0) / (t1 - t0)) * width;
  const boxOf: BoxOf = (lane, half = 0) => {
    const row = rows.find((r) => r.type !== "more" && r.lane === lane);
    return row ? sliceBox(row, half) : null;
  };
  if (hover) outlineThing(surface, scene, hover, x, boxOf, true);
  if (!selection) return;
  if (selection.type === "gap") outlineThing(surface, scene, selection, x, boxOf, false);
  const subject = subjectOf(trace, selection);
  if (subject === NONE) return;
  outlineThing(surface, scene, { type: "slice", index: subject }, x, boxOf, false);
  // On a phone arrows would cover what they explain.
  const depth = width > 480 ? 2 : 1;
  let target = subject;
  for (let step = 0; step < depth; step++) {
    const source = sourceOf(trace, target);
    if (source === NONE) break;
    const [a, b] = [laneOf(trace, source), laneOf(trace, target)];
    const [from, to] = [boxOf(a, trace.half[source]), boxOf(b, trace.half[target])];
    if (a !== b && from && to) {
      const start = { x: x(endOf(trace, source)), y: from.y + from.h / 2 };
      const end = { x: x(trace.start[target]), y: to.y + to.h / 2 };
      if (end.x > -50 && start.x < width + 50) paintArrow(surface, scene, start, end);
    }
    target = source;
  }
}

function outlineThing({ g, width }: Surface, scene: Scene, thing: Selection, x: X, boxOf: BoxOf, faint: boolean): void {
  const { trace } = scene;
  const slice = thing.type === "slice";
  const box = slice ? boxOf(laneOf(trace, thing.index), trace.half[thing.index]) : boxOf(thing.lane);
  if (!box) return;
  const left = Math.max(x(slice ? trace.start[thing.index] : thing.start), -8);
  const right = Math.min(x(slice ? endOf(trace, thing.index) : thing.end), width + 8);
  if (right < 0 || left > width) return;
  const w = Math.max(right - left, 2);
  const { plain, font } = scene.palette;
  if (faint || slice) {
    g.lineJoin = "round";
    g.strokeStyle = plain["ink-halo"];
    g.lineWidth = faint ? 3 : 5;
    g.strokeRect(left - 0.5, box.y - 0.5, w + 1, box.h + 1);
    g.strokeStyle = plain.ink;
    g.lineWidth = faint ? 1 : 2;
    g.strokeRect(left - 0.5, box.y - 0.5, w + 1, box.h + 1);
    return;
  }
  g.fillStyle = plain["ink-halo"];
  g.fillRect(left, box.y, w, box.h);
  hatch(g, plain["idle-hatch-strong"], left, box.y, w, box.h, 6, 1.2);
  g.strokeStyle = plain.ink;
  g.lineWidth = 1.5;
  g.setLineDash([4, 2]);
  g.strokeRect(left + 0.75, box.y + 0.75, Math.max(w - 1.5, 0.5), box.h - 1.5);
  g.setLineDash([]);
  const text = `idle ${lasts(thing.end - thing.start)}`;
  g.font = `600 11px ${font}`;
  const tw = g.measureText(text).width;
  if (tw + 12 > w) return;
  const middle = (Math.max(left, 0) + Math.min(right, width)) / 2;
  g.fillStyle = plain["ink-halo"];
  g.fillRect(middle - tw / 2 - 4, box.y + 3, tw + 8, box.h - 6);
  g.fillStyle = plain.ink;
  g.textAlign = "center";
  g.fillText(text, middle, box.y + box.h / 2 + 0.5);
}

interface Point {
  x: number;
  y: number;
}

/** From the end of one slice to the start of another, leaving and arriving along time. */
function paintArrow({ g }: Surface, scene: Scene, a: Point, b: Point): void {
  const { plain } = scene.palette;
  const tip = b.x - 5;
  const bend = Math.max(9, (tip - a.x) / 2);
  for (const [colour, lineWidth] of [
    [plain["ink-halo"], 4.5],
    [plain.ink, 1.75],
  ] as const) {
    g.strokeStyle = colour;
    g.lineWidth = lineWidth;
    g.beginPath();
    g.moveTo(a.x, a.y);
    g.bezierCurveTo(a.x + bend, a.y, tip - bend, b.y, tip, b.y);
    g.stroke();
  }
  g.fillStyle = plain.ink;
  g.beginPath();
  g.arc(a.x, a.y, 2.25, 0, 2 * Math.PI);
  g.fill();
  g.strokeStyle = plain["ink-halo"];
  g.lineWidth = 1.5;
  g.beginPath();
  g.moveTo(b.x + 1, b.y);
  g.lineTo(b.x - 6, b.y - 4);
  g.lineTo(b.x - 6, b.y + 4);
  g.closePath();
  g.stroke();
  g.fill();
}
