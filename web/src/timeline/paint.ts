// Paints the rows of the timeline: exact slices with borders and labels while they are wide enough to be seen,
// stacked coverage by kind when they are not. Idle time shows as a hatch in both.
import type { ColourMode } from "../state/store";
import { addCoverage, firstReaching, firstStarting } from "../worker/coverage";
import { CLASSES, classTable, kindOf } from "../worker/kinds";
import { NONE, type Plan, type Pyramid, type Trace } from "../worker/protocol";
import { EXACT_LIMIT, readCoverage } from "../worker/pyramid";
import { gapBefore } from "./gaps";
import { labelFor, numberOf, widestNumber } from "./labels";
import { type Ink, microbatchInk, PAPER, type Palette, pixelOf } from "./palette";
import { type Row, sliceBox } from "./rows";
import { versionRead } from "./versions";
import { chunkAt, chunksOf, NO_STAGE, shade } from "./shades";
import { stepFor, tickLabel } from "./ticks";

export interface Scene {
  trace: Trace;
  plan: Plan;
  pyramid: Pyramid | null;
  mode: ColourMode;
  /** Small pictures go without. */
  labels: boolean;
  palette: Palette;
  /** Picoseconds of one forward, where the axis counts in those. */
  unit: number | null;
  t0: number;
  t1: number;
}

/** A canvas in CSS pixels, sharp at any pixel ratio; beyond 2 the extra pixels cost more than they show. */
export interface Surface {
  g: CanvasRenderingContext2D;
  width: number;
  height: number;
  ratio: number;
}

export function openCanvas(canvas: HTMLCanvasElement, width: number, height: number): Surface {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const w = Math.max(1, Math.round(width * ratio));
  const h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const g = canvas.getContext("2d") as CanvasRenderingContext2D;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  g.textBaseline = "middle";
  return { g, width, height, ratio };
}

const MAX_EXACT_SLICES = 6_000;
const MIN_SLICE_PX = 2;

export function hatch(
  g: CanvasRenderingContext2D,
  colour: string,
  x: number,
  y: number,
  w: number,
  h: number,
  pitch: number,
  lineWidth = 1,
): void {
  g.save();
  g.beginPath();
  g.rect(x, y, w, h);
  g.clip();
  g.strokeStyle = colour;
  g.lineWidth = lineWidth;
  g.beginPath();
  // Anchored to the page, not to the gap: neighbours line up and pans do not shimmer.
  for (let i = Math.floor((x - h) / pitch) * pitch; i < x + w; i += pitch) {
    g.moveTo(i, y + h);
    g.lineTo(i + h, y);
  }
  g.stroke();
  g.restore();
}

/** The ink of a slice: its kind's, lighter for the later stages of a rank. */
function inkOf(scene: Scene, row: Row, kindName: string, i: number): Ink {
  const { trace, plan } = scene;
  const microbatch = trace.microbatch[i];
  if (scene.mode === "microbatch" && microbatch !== NONE) return microbatchInk(microbatch);
  const version = scene.mode === "version" && row.type === "lane" ? versionRead(trace, plan, i) : null;
  if (version) return microbatchInk(version.reads);
  const ink = inkSet(scene)[kindOf(kindName).paint];
  if (row.type !== "lane" || microbatch === NONE || trace.stage[i] === NO_STAGE) return ink;
  return shade(ink, chunkAt(plan, trace.pipe[i], trace.stage[i]), chunksOf(plan).most);
}

/** The inks of the kinds in this scene's colours. */
export const inkSet = ({ mode, palette }: Scene) => (mode === "paper" ? PAPER : palette.op);

const BACKWARD = new Set(["B", "I", "W"]);
const STRIP = 2;

function paintSlice(
  surface: Surface,
  scene: Scene,
  row: Row,
  i: number,
  x: (t: number) => number,
  widest: string,
): void {
  const { g, width } = surface;
  const { trace, plan } = scene;
  const { y, h } = sliceBox(row, trace.half[i]);
  const fullLeft = x(trace.start[i]);
  const fullRight = x(trace.start[i] + trace.dur[i]);
  const left = Math.max(fullLeft, 0);
  const right = Math.min(fullRight, width);
  const w = right - left;
  if (w < 0.3) return;
  const name = scene.plan.kinds[trace.kind[i]] ?? "";
  const paper = scene.mode === "paper";
  const ink = inkOf(scene, row, name, i);
  g.fillStyle = ink.fill;
  g.fillRect(left, y, w, h);
  if (name === "W" && w >= 6 && !paper) hatch(g, "#ffffff59", left, y, w, h, 5);
  // Where colour does not say the kind, a foot says that the slice goes backward.
  if ((scene.mode === "microbatch" || scene.mode === "version") && row.type === "lane" && BACKWARD.has(name)) {
    g.fillStyle = ink.edge;
    g.fillRect(left, y + h - 3, w, 3);
  }
  // A strip at the head: this pipe runs up the ranks. On paper the shade alone says it, as the papers do.
  if (trace.pipe[i] % 2 && !plan.pipelines && row.type === "lane" && !paper && w >= 3) {
    g.fillStyle = scene.palette.plain.ink;
    g.fillRect(left, y, w, STRIP);
  }
  if (w >= 4) {
    g.strokeStyle = ink.edge;
    g.lineWidth = 1;
    g.strokeRect(left + 0.5, y + 0.5, w - 1, h - 1);
  }
  if (h < 10 || !scene.labels) return;
  const measure = (text: string) => g.measureText(text).width;
  const { letter } = kindOf(name);
  const number =
    trace.microbatch[i] === NONE
      ? ""
      : numberOf(trace.microbatch[i], letter ? trace.slice[i] : 0, letter ? plan.slices : 1);
  const label = labelFor(paper ? "" : letter, number, fullRight - fullLeft, w, widest, measure);
  if (!label) return;
  g.fillStyle = ink.text;
  g.textAlign = "center";
  g.fillText(label, (left + right) / 2, y + h / 2 + 0.5);
}

function paintLaneGround(surface: Surface, scene: Scene, row: Row): void {
  const { g, width } = surface;
  const { plain } = scene.palette;
  g.fillStyle = row.type === "lane" && row.lane % 2 ? plain["lane-alt"] : plain.lane;
  g.fillRect(0, row.y, width, row.h);
}

/** Idle time: hatched, or plain grey as on paper. */
function paintIdle({ g }: Surface, scene: Scene, left: number, y: number, w: number, h: number): void {
  const { plain } = scene.palette;
  if (scene.mode !== "paper") return hatch(g, plain["idle-hatch"], left, y, w, h, 6);
  g.fillStyle = plain.line;
  g.fillRect(left, y, w, h);
}

function paintExact(surface: Surface, scene: Scene, row: Row, x: (t: number) => number, widest: string): void {
  const { g, width } = surface;
  const { trace, palette, t0, t1 } = scene;
  const box = sliceBox(row);
  const from = firstReaching(trace, row.lane, t0);
  const stop = firstStarting(trace, row.lane, t1);
  paintLaneGround(surface, scene, row);
  for (let next = from; next <= stop && row.type === "lane"; next++) {
    const gap = gapBefore(trace, row.lane, next);
    if (!gap) continue;
    const left = Math.max(x(gap.start), 0);
    const right = Math.min(x(gap.end), width);
    if (right - left > 1.5) paintIdle(surface, scene, left, box.y, right - left, box.h);
  }
  g.font = `${row.h >= 22 ? 11 : 10}px ${palette.font}`;
  for (let i = from; i < stop; i++) paintSlice(surface, scene, row, i, x, widest);
}

let coverage = new Float32Array(0);

/** Coverage of one lane for `columns` pixels, from the pyramid when there are too many slices to read. */
export function coverageOf(scene: Scene, lane: number, columns: number, exact: boolean): Float32Array {
  const size = columns * CLASSES.length;
  if (coverage.length < size) coverage = new Float32Array(size);
  const out = coverage.subarray(0, size);
  out.fill(0);
  const width = (scene.t1 - scene.t0) / columns;
  if (scene.pyramid && !exact) readCoverage(scene.pyramid, lane, scene.t0, width, columns, out);
  else addCoverage(scene.trace, lane, classTable(scene.plan.kinds), CLASSES.length, scene.t0, width, columns, out);
  return out;
}

/** Stacks the classes of each column from below, in `steps` rows; what is idle stays transparent. */
function stack(
  pixels: Uint32Array,
  columns: number,
  top: number,
  steps: number,
  shares: Float32Array,
  words: number[],
) {
  const k = words.length;
  for (let x = 0; x < columns; x++) {
    let sum = 0;
    let y = steps - 1;
    for (let c = 0; c < k; c++) {
      sum += shares[x * k + c] * steps;
      const stop = steps - Math.round(Math.min(sum, steps));
      for (; y >= stop && y >= 0; y--) pixels[(top + y) * columns + x] = words[c];
    }
    for (; y >= 0; y--) pixels[(top + y) * columns + x] = 0;
  }
}

let scratch: OffscreenCanvas | null = null;

function paintCoverage(surface: Surface, scene: Scene, rows: Row[], exact: boolean): void {
  const { g, width, ratio } = surface;
  const columns = Math.max(1, Math.round(width * ratio));
  const lanes = rows.length;
  const tallest = Math.max(...rows.map((row) => sliceBox(row).h));
  const steps = Math.max(4, Math.min(Math.round(tallest), Math.floor(400_000 / (columns * lanes))));
  const set = inkSet(scene);
  const words = CLASSES.map((name) => pixelOf(set[name].fill));
  const image = new ImageData(columns, lanes * steps);
  const pixels = new Uint32Array(image.data.buffer);
  rows.forEach((row, i) =>
    stack(pixels, columns, i * steps, steps, coverageOf(scene, row.lane, columns, exact), words),
  );
  if (!scratch || scratch.width < columns || scratch.height < lanes * steps) {
    scratch = new OffscreenCanvas(columns, lanes * steps);
  }
  scratch.getContext("2d")?.putImageData(image, 0, 0);
  g.imageSmoothingEnabled = false;
  // Behind the end of the run nothing is idle.
  const end = Math.max(0, Math.min(width, ((scene.trace.end - scene.t0) / (scene.t1 - scene.t0)) * width));
  rows.forEach((row, i) => {
    const box = sliceBox(row);
    paintLaneGround(surface, scene, row);
    if (row.type === "lane") paintIdle(surface, scene, 0, box.y, end, box.h);
    g.drawImage(scratch as OffscreenCanvas, 0, i * steps, columns, steps, 0, box.y, width, box.h);
  });
}

function slicesIn(scene: Scene, rows: Row[]): number {
  let sum = 0;
  for (const { lane } of rows) {
    sum += firstStarting(scene.trace, lane, scene.t1) - firstReaching(scene.trace, lane, scene.t0);
  }
  return sum;
}

/** Paints rows whose `y` is already relative to the surface. */
export function paintRows(surface: Surface, scene: Scene, all: Row[]): void {
  const rows = all.filter((row) => row.type !== "more");
  if (rows.length === 0) return;
  const { width } = surface;
  const x = (t: number) => ((t - scene.t0) / (scene.t1 - scene.t0)) * width;
  const slices = slicesIn(scene, rows);
  if (slices <= MAX_EXACT_SLICES && slices * MIN_SLICE_PX <= width * rows.length) {
    const widest = widestNumber(scene.plan.microbatches, scene.plan.slices);
    for (const row of rows) paintExact(surface, scene, row, x, widest);
  } else {
    paintCoverage(surface, scene, rows, slices <= EXACT_LIMIT);
  }
}

export function paintGrid(surface: Surface, scene: Scene, top: number, bottom: number): void {
  const { g, width } = surface;
  const span = scene.t1 - scene.t0;
  const step = stepFor(span, width, 84, scene.unit);
  g.fillStyle = scene.palette.plain.grid;
  for (let k = Math.ceil(scene.t0 / step); k * step <= scene.t1; k++) {
    g.fillRect(Math.round(((k * step - scene.t0) / span) * width), top, 1, bottom - top);
  }
}

export function paintAxis(surface: Surface, scene: Scene, height: number): void {
  const { g, width } = surface;
  const { plain, font } = scene.palette;
  const span = scene.t1 - scene.t0;
  const step = stepFor(span, width, 84, scene.unit);
  g.fillStyle = plain.surface;
  g.fillRect(0, 0, width, height);
  g.font = `11px ${font}`;
  g.textAlign = "left";
  g.fillStyle = plain.line;
  g.fillRect(0, height - 1, width, 1);
  for (let k = Math.ceil((scene.t0 / step) * 5); (k * step) / 5 <= scene.t1; k++) {
    const t = (k * step) / 5;
    const at = Math.round(((t - scene.t0) / span) * width);
    const major = k % 5 === 0;
    g.fillStyle = major ? plain["text-faint"] : plain["line-strong"];
    g.fillRect(at, height - (major ? 7 : 4), 1, major ? 7 : 4);
    if (!major) continue;
    const text = tickLabel(t, step, scene.t1, scene.unit);
    if (at + 4 + g.measureText(text).width >= width) continue;
    g.fillStyle = plain["text-muted"];
    g.fillText(text, at + 4, height / 2 - 1);
  }
}

/** The end of the step as a flag. */
export function paintEnd(surface: Surface, scene: Scene, top: number, bottom: number): void {
  const at = Math.round(((scene.trace.end - scene.t0) / (scene.t1 - scene.t0)) * surface.width);
  if (at > surface.width + 1 || at < 0) return;
  surface.g.fillStyle = scene.palette.plain.ink;
  surface.g.fillRect(Math.min(at, surface.width - 1), top, 1, bottom - top);
}
