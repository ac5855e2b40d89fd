// The colours of the canvas, read from the tokens. A token that holds light-dark() is no colour as text:
// an element must resolve it, so a hidden probe does.
import { CLASSES, type KindClass } from "../worker/kinds";

export interface Ink {
  fill: string;
  text: string;
  edge: string;
}

const NAMES = [
  "lane",
  "lane-alt",
  "idle-hatch",
  "idle-hatch-strong",
  "grid",
  "ink",
  "ink-halo",
  "text",
  "text-muted",
  "text-faint",
  "line",
  "line-strong",
  "surface",
  "sunken",
] as const;
type Name = (typeof NAMES)[number];

export interface Palette {
  plain: Record<Name, string>;
  op: Record<KindClass, Ink>;
  font: string;
}

export function readPalette(): Palette {
  const probe = document.createElement("span");
  probe.hidden = true;
  // Where the system forces its colours, it would force this one, too.
  probe.style.forcedColorAdjust = "none";
  document.body.append(probe);
  const resolve = (token: string) => {
    probe.style.color = `var(--${token})`;
    return getComputedStyle(probe).color;
  };
  const plain = Object.fromEntries(NAMES.map((name) => [name, resolve(name)])) as Record<Name, string>;
  const op = Object.fromEntries(
    CLASSES.map((k) => [k, { fill: resolve(`op-${k}`), text: resolve(`op-${k}-text`), edge: resolve(`op-${k}-edge`) }]),
  ) as Record<KindClass, Ink>;
  const font = getComputedStyle(document.body).fontFamily;
  probe.remove();
  return { plain, op, font };
}

/** The colours of the papers' figures: blue forwards, green backwards, teal and amber where those are split. */
export const PAPER: Record<KindClass, Ink> = {
  f: { fill: "#3569b0", text: "#ffffff", edge: "#ffffff" },
  b: { fill: "#5da653", text: "#000000", edge: "#ffffff" },
  i: { fill: "#4fbdb5", text: "#000000", edge: "#ffffff" },
  w: { fill: "#eab54a", text: "#000000", edge: "#ffffff" },
  send: { fill: "#b9c3c7", text: "#000000", edge: "#ffffff" },
  recv: { fill: "#8d989d", text: "#000000", edge: "#ffffff" },
  update: { fill: "#5b6467", text: "#ffffff", edge: "#ffffff" },
  fail: { fill: "#c03a1d", text: "#ffffff", edge: "#ffffff" },
};

/** Eight fills that stay apart for colour-blind eyes, light enough for dark text. */
const WHEEL = ["#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#99ddff", "#44bb99", "#bbcc33", "#cfb3e6"];

export const microbatchInk = (microbatch: number): Ink => ({
  fill: WHEEL[microbatch % WHEEL.length],
  text: "#14191b",
  edge: "#3d474a",
});

/** Red, green and blue of "rgb(1, 2, 3)" or "#010203". */
export function channels(colour: string): number[] {
  const hex = colour.match(/^#(..)(..)(..)$/);
  if (hex) return hex.slice(1).map((part) => Number.parseInt(part, 16));
  return (colour.match(/[\d.]+/g) ?? ["0", "0", "0"]).slice(0, 3).map(Number);
}

/** A colour as the little-endian word of an opaque pixel. */
export function pixelOf(colour: string): number {
  const [r, g, b] = channels(colour);
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}
