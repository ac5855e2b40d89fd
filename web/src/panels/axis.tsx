// An axis of time below what is drawn over time, and the width of either.
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import * as s from "../state/store";
import { paletteVersion } from "../state/theme";
import { openCanvas, paintAxis, type Scene } from "../timeline/paint";
import { currentPalette } from "../timeline/view";
import type { RunResult } from "../worker/protocol";

const HEIGHT = 24;

/** Width of an element in CSS pixels, as it changes; 0 before it stands. */
export function useWidth(ref: RefObject<Element>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const node = ref.current as Element;
    const observer = new ResizeObserver(() => setWidth(node.clientWidth));
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** What a figure needs of a run. */
export type Drawn = Pick<RunResult, "trace" | "plan" | "pyramid">;

export function sceneOf({ trace, plan, pyramid }: Drawn, view: s.View, unit: number | null): Scene {
  return { trace, plan, pyramid, mode: s.colourMode.value, labels: true, palette: currentPalette(), unit, ...view };
}

export function Axis({ run, view, unit, name }: { run: Drawn; view: s.View; unit: number | null; name: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(canvas);
  const version = paletteVersion.value;
  useEffect(() => {
    if (!canvas.current || width === 0) return;
    paintAxis(openCanvas(canvas.current, width, HEIGHT), sceneOf(run, view, unit), HEIGHT);
  }, [run, view.t0, view.t1, unit, width, version]);
  return <canvas ref={canvas} class={name} aria-hidden="true" />;
}
