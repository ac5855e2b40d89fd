// The small picture of a gallery card: a real run of its scenario, played when the gallery first opens and kept.
import { worker } from "../state/run";
import { readFacts } from "../state/facts";
import { hatch, openCanvas, paintRows, type Scene } from "../timeline/paint";
import type { Row } from "../timeline/rows";
import { currentPalette } from "../timeline/view";
import type { RunResult } from "../worker/protocol";

const CAP = 100_000;
const MOST_LANES = 16;
const PAD = 8;

export interface Thumb {
  run: RunResult;
  bubble: number | null;
}

const cache = new Map<string, Promise<Thumb | null>>();
let queue: Promise<unknown> = Promise.resolve();

/** Plays a scenario beside the shown one; one after the other, so that a real run can always come between. */
export function thumbOf(text: string): Promise<Thumb | null> {
  const known = cache.get(text);
  if (known) return known;
  const made = queue.then(async () => {
    const run = await worker()
      .probe(text, {}, CAP)
      .catch(() => null);
    return run ? { run, bubble: readFacts(run.summary).bubble } : null;
  });
  queue = made;
  cache.set(text, made);
  return made;
}

export function paintThumb(canvas: HTMLCanvasElement, { run }: Thumb): void {
  const surface = openCanvas(canvas, canvas.clientWidth, canvas.clientHeight);
  const palette = currentPalette();
  const { trace, plan, pyramid } = run;
  const lanes = Math.min(trace.devices, MOST_LANES);
  const pitch = (surface.height - 2 * PAD) / lanes;
  const width = surface.width - 2 * PAD;
  const scene: Scene = { trace, plan, pyramid, mode: "kind", labels: false, palette, t0: 0, t1: trace.end };
  const rows: Row[] = [];
  for (let lane = 0; lane < lanes; lane++) rows.push({ type: "lane", lane, y: lane * pitch, h: pitch });
  const { g } = surface;
  g.setTransform(surface.ratio, 0, 0, surface.ratio, PAD * surface.ratio, PAD * surface.ratio);
  paintRows({ ...surface, width }, scene, rows);
  if (lanes === 0) hatch(g, palette.plain["idle-hatch"], 0, 0, width, surface.height - 2 * PAD, 5);
}
