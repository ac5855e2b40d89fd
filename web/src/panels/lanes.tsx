// Runs as figures beside each other: lanes without links, an axis. A lane may have several strips, one for each run.
import { useEffect, useRef } from "preact/hooks";
import * as s from "../state/store";
import { paletteVersion } from "../state/theme";
import { laneName } from "../timeline/names";
import { openCanvas, paintEnd, paintGrid, paintRows, type Surface } from "../timeline/paint";
import { layRows } from "../timeline/rows";
import { Axis as TimeAxis, type Drawn, sceneOf, useWidth } from "./axis";
import "../styles/lanes.css";

const MOST_HEIGHT = 320;

/** A run in a part of its time; `unit` is that of its axis, where it does not count in seconds. */
export interface Strip {
  run: Drawn;
  view: s.View;
  unit: number | null;
}

const tallest = ({ trace }: Drawn): number => (trace.halves ? 36 : 20);

/** A canvas as wide as its place, painted anew when that or what it shows changes. */
function useCanvas(height: number, shown: unknown[], paint: (surface: Surface) => void) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(canvas);
  useEffect(() => {
    if (canvas.current && width > 0) paint(openCanvas(canvas.current, width, height));
  }, [height, s.colourMode.value, width, paletteVersion.value, ...shown]);
  return canvas;
}

const shownOf = ({ run, view, unit }: Strip): unknown[] => [run, view.t0, view.t1, unit];

export function Lanes({ strips }: { strips: Strip[] }) {
  const lanes = Math.max(1, ...strips.map(({ run }) => run.trace.devices));
  const most = strips.reduce((sum, { run }) => sum + tallest(run), 0);
  const pitch = Math.max(4 * strips.length, Math.min(most, (MOST_HEIGHT * strips.length) / lanes));
  const height = lanes * pitch;
  const canvas = useCanvas(height, strips.flatMap(shownOf), (surface) => {
    strips.forEach((strip, k) => {
      const scene = sceneOf(strip.run, strip.view, strip.unit);
      const h = pitch / strips.length;
      const { rows } = layRows(strip.run.trace, { axis: 0, lane: h, link: 0, more: 0 }, false);
      paintRows(
        surface,
        scene,
        rows.map((row, i) => ({ ...row, y: i * pitch + k * h })),
      );
      if (k === 0) paintGrid(surface, scene, 0, height);
      paintEnd(surface, scene, 0, height);
    });
  });
  // Thin lanes: every n-th number, so that they do not run into each other.
  const every = Math.max(1, Math.ceil(12 / pitch));
  const { plan, trace } = strips.reduce((a, b) => (b.run.trace.devices > a.run.trace.devices ? b : a)).run;
  const named = Array.from({ length: Math.ceil(lanes / every) }, (_, i) => i * every);
  return (
    <div class="stack-body" style={{ "--h": `${height}px`, "--pitch": `${pitch * every}px` }} aria-hidden="true">
      <ol class="stack-ranks num">
        {named.map((lane) => (
          <li key={lane}>{laneName(plan, trace, lane).short}</li>
        ))}
      </ol>
      <canvas ref={canvas} class="stack-lanes" />
    </div>
  );
}

export const Axis = (strip: Strip) => <TimeAxis {...strip} name="stack-axis" />;
