// The visible range of the timeline as a picture, with its title and the names of the lanes, at twice the size.
// Saved as a file, and printed.
import { unit } from "../state/clock";
import { titleOf } from "../state/source";
import * as s from "../state/store";
import { en } from "../text/en";
import { percent, time } from "../text/format";
import { laneName } from "../timeline/names";
import { openCanvas, paintAxis, paintEnd, paintGrid, paintRows, type Scene, type Surface } from "../timeline/paint";
import type { Palette } from "../timeline/palette";
import { layRows, type Row } from "../timeline/rows";
import { measureHeights } from "../timeline/sizes";
import { currentPalette } from "../timeline/view";

const WIDTH = 1200;
const NAMES = 110;
const HEAD = 36;
const AXIS = 24;
const MOST_LANES = 200;

/** A part of the picture with its own origin. */
function part(surface: Surface, x: number, y: number, width: number, height: number): Surface {
  surface.g.setTransform(surface.ratio, 0, 0, surface.ratio, x * surface.ratio, y * surface.ratio);
  return { ...surface, width, height };
}

function paintNames(surface: Surface, scene: Scene, rows: Row[]): void {
  const { g } = surface;
  g.textAlign = "left";
  for (const row of rows) {
    g.font = `${row.type === "lane" ? 12 : 11}px ${scene.palette.font}`;
    g.fillStyle = row.type === "lane" ? scene.palette.plain.text : scene.palette.plain["text-muted"];
    g.fillText(laneName(scene.plan, scene.trace, row.lane).long, 16, row.y + row.h / 2);
  }
}

/** The picture, on a canvas of its own; there has to be a result. */
export function paintTimeline(palette: Palette): HTMLCanvasElement {
  const result = s.result.peek() as s.Result;
  const { trace, plan, pyramid, facts } = result;
  const scene: Scene = {
    trace,
    plan,
    pyramid,
    mode: s.colourMode.peek(),
    labels: true,
    palette,
    unit: unit.peek(),
    ...s.view.peek(),
  };
  const laid = layRows(trace, { axis: AXIS, lane: measureHeights(trace).lane, link: 19, more: 0 }, s.allLinks.peek());
  const rows = laid.rows.filter((row) => row.type !== "more").slice(0, MOST_LANES);
  const bottom = Math.max(...rows.map((row) => row.y + row.h));
  const canvas = document.createElement("canvas");
  const surface = { ...openCanvas(canvas, 1, 1), ratio: 2 };
  canvas.width = WIDTH * 2;
  canvas.height = (HEAD + bottom + 12) * 2;
  surface.g.textBaseline = "middle";
  part(surface, 0, 0, WIDTH, HEAD);
  surface.g.fillStyle = scene.palette.plain.surface;
  surface.g.fillRect(0, 0, WIDTH, HEAD + bottom + 12);
  surface.g.fillStyle = scene.palette.plain.text;
  surface.g.font = `600 14px ${scene.palette.font}`;
  const title = titleOf(result.text) || en.heading;
  const numbers = [
    facts.stepMs === null ? "" : `${en.step} ${time(facts.stepMs * 1e9)}`,
    facts.bubble === null ? "" : `${en.bubble} ${percent(facts.bubble)}`,
  ].filter(Boolean);
  surface.g.fillText([title, ...numbers].join(", "), 16, HEAD / 2 + 2);
  paintNames(part(surface, 0, HEAD, NAMES, bottom), scene, rows);
  const lanes = part(surface, NAMES, HEAD, WIDTH - NAMES - 16, bottom);
  paintRows(lanes, scene, rows);
  paintGrid(lanes, scene, AXIS, bottom);
  paintEnd(lanes, scene, AXIS, bottom);
  paintAxis(lanes, scene, AXIS);
  return canvas;
}

export function timelinePng(): Promise<Blob> {
  const canvas = paintTimeline(currentPalette());
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
  );
}
