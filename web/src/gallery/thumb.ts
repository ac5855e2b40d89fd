// The small picture of a run that was just played.
import { hatch, openCanvas, paintRows, type Scene } from "../timeline/paint";
import type { Row } from "../timeline/rows";
import { currentPalette } from "../timeline/view";
import type { RunResult } from "../worker/protocol";

const MOST_LANES = 16;
const PAD = 8;

export function paintThumb(canvas: HTMLCanvasElement, run: RunResult): void {
  const surface = openCanvas(canvas, canvas.clientWidth, canvas.clientHeight);
  const palette = currentPalette();
  const { trace, plan, pyramid } = run;
  const lanes = Math.min(trace.devices, MOST_LANES);
  const pitch = (surface.height - 2 * PAD) / lanes;
  const width = surface.width - 2 * PAD;
  const scene: Scene = { trace, plan, pyramid, mode: "kind", labels: false, palette, unit: null, t0: 0, t1: trace.end };
  const rows: Row[] = [];
  for (let lane = 0; lane < lanes; lane++) rows.push({ type: "lane", lane, y: lane * pitch, h: pitch });
  const { g } = surface;
  g.setTransform(surface.ratio, 0, 0, surface.ratio, PAD * surface.ratio, PAD * surface.ratio);
  paintRows({ ...surface, width }, scene, rows);
  if (lanes === 0) hatch(g, palette.plain["idle-hatch"], 0, 0, width, surface.height - 2 * PAD, 5);
}
