// One step of a plan over time, small: a lane for each stage, drawn as the simulator draws it.
import { useEffect, useRef, useState } from "preact/hooks";
import { openCanvas, paintAxis, paintEnd, paintRows, type Scene } from "../timeline/paint";
import { readPalette } from "../timeline/palette";
import { layRows } from "../timeline/rows";
import { words } from "../text/plan";
import type { RunResult } from "../worker/protocol";
import type { Shown } from "./report";
import { nameOf, ofMs } from "./say";
import { repaints } from "./state";

const NAMES = 40;
const AXIS = 20;
const MOST_HEIGHT = 320;

function paint(canvas: HTMLCanvasElement, width: number, plan: Shown, run: RunResult): void {
  const { trace, pyramid } = run;
  const lane = Math.max(4, Math.min(16, MOST_HEIGHT / trace.devices));
  const { rows, height } = layRows(trace, { axis: 0, lane, link: 0, more: 0 }, false);
  canvas.style.height = `${height + AXIS}px`;
  const palette = readPalette();
  const surface = openCanvas(canvas, width, height + AXIS);
  const { g, ratio } = surface;
  const scene: Scene = { trace, plan: run.plan, pyramid, mode: "kind", labels: false, palette, unit: null, t0: 0, t1: trace.end };
  g.font = `11px ${palette.font}`;
  g.fillStyle = palette.plain["text-muted"];
  // Thin lanes: every n-th name, so that they do not run into each other.
  const every = Math.ceil(12 / lane);
  let i = 0;
  plan.pipelines.forEach(({ stages }, p) =>
    stages.forEach((_, s) => {
      if (i % every === 0) g.fillText(`p${p}.${s}`, 0, rows[i].y + lane / 2);
      i++;
    }),
  );
  g.setTransform(ratio, 0, 0, ratio, NAMES * ratio, 0);
  const lanes = { ...surface, width: width - NAMES, height };
  paintRows(lanes, scene, rows);
  paintEnd(lanes, scene, 0, height);
  g.setTransform(ratio, 0, 0, ratio, NAMES * ratio, height * ratio);
  paintAxis({ ...lanes, height: AXIS }, scene, AXIS);
}

export function Preview({ plan, run }: { plan: Shown; run: RunResult | undefined }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const repaint = repaints.value;
  useEffect(() => {
    const node = canvas.current as HTMLCanvasElement;
    const observer = new ResizeObserver(() => setWidth(node.clientWidth));
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (canvas.current && run && width > 0) paint(canvas.current, width, plan, run);
  }, [run, width, repaint]);
  return (
    <figure class="plan-preview">
      <figcaption>{words.preview}</figcaption>
      <canvas ref={canvas} role="img" aria-label={words.previewOf(nameOf(plan.id), ofMs(plan.iteration_ms))} />
    </figure>
  );
}
