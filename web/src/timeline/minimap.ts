// The whole run in a strip: each device a line, its colour the kind that fills most of each column, the view as a
// window with two grips. The lines are painted once for a run; only the window moves.
import { CLASSES } from "../worker/kinds";
import { coverageOf, inkSet, openCanvas, type Scene } from "./paint";
import { pixelOf } from "./palette";

/** More lines than this would be thinner than a pixel: every n-th device stands for its neighbours. */
const MAX_LINES = 28;

/** One pixel row a device, transparent where idle. */
export function paintStrip(scene: Scene, columns: number, maxLines = MAX_LINES): OffscreenCanvas {
  const { trace } = scene;
  const lines = Math.min(Math.max(trace.devices, 1), maxLines);
  const whole = { ...scene, t0: 0, t1: trace.end };
  const set = inkSet(scene);
  const words = CLASSES.map((name) => pixelOf(set[name].fill) & 0xffffff);
  const image = new ImageData(columns, lines);
  const pixels = new Uint32Array(image.data.buffer);
  for (let line = 0; line < lines; line++) {
    const lane = Math.floor((line * trace.devices) / lines);
    const shares = coverageOf(whole, lane, columns, false);
    for (let x = 0; x < columns; x++) {
      let most = 0;
      let sum = 0;
      for (let c = 0; c < words.length; c++) {
        const share = shares[x * words.length + c];
        sum += share;
        if (share > shares[x * words.length + most]) most = c;
      }
      const alpha = Math.round(255 * Math.min(1, sum));
      pixels[line * columns + x] = ((alpha << 24) | words[most]) >>> 0;
    }
  }
  const strip = new OffscreenCanvas(columns, lines);
  strip.getContext("2d")?.putImageData(image, 0, 0);
  return strip;
}

export function paintMinimap(
  canvas: HTMLCanvasElement,
  scene: Scene,
  strip: OffscreenCanvas,
  width: number,
  height: number,
): void {
  const { g } = openCanvas(canvas, width, height);
  const { plain } = scene.palette;
  const x = (t: number) => (t / scene.trace.end) * width;
  g.fillStyle = plain.sunken;
  g.fillRect(0, 0, width, height);
  g.imageSmoothingEnabled = false;
  const pitch = (height - 6) / strip.height;
  for (let line = 0; line < strip.height; line++) {
    const h = pitch >= 3 ? pitch - 1 : pitch;
    g.drawImage(strip, 0, line, strip.width, 1, 0, 3 + line * pitch, width, h);
  }
  const left = x(scene.t0);
  const right = x(scene.t1);
  g.fillStyle = plain.surface;
  g.globalAlpha = 0.72;
  g.fillRect(0, 0, left, height);
  g.fillRect(right, 0, width - right, height);
  g.globalAlpha = 1;
  g.strokeStyle = plain.ink;
  g.lineWidth = 1;
  g.strokeRect(left + 0.5, 0.5, Math.max(right - left - 1, 2), height - 1);
  g.fillStyle = plain.ink;
  for (const edge of [left, right]) {
    g.fillRect(Math.min(Math.max(edge - 1.5, 0), width - 3), height / 2 - 6, 3, 12);
  }
}
