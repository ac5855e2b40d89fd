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

/** In print-like figures kinds are told by letter and hatch; grey only separates forward from backward. */
export const PAPER: Record<KindClass, Ink> = {
  f: { fill: "#ffffff", text: "#111111", edge: "#222222" },
  b: { fill: "#cfd3d4", text: "#111111", edge: "#222222" },
  i: { fill: "#e4e7e8", text: "#111111", edge: "#222222" },
  w: { fill: "#9aa1a4", text: "#0a0a0a", edge: "#222222" },
  send: { fill: "#ffffff", text: "#111111", edge: "#222222" },
  recv: { fill: "#cfd3d4", text: "#111111", edge: "#222222" },
  update: { fill: "#5b6467", text: "#ffffff", edge: "#222222" },
  fail: { fill: "#111111", text: "#ffffff", edge: "#000000" },
};

/** Eight fills that stay apart for colour-blind eyes, light enough for dark text. */
const WHEEL = ["#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#99ddff", "#44bb99", "#bbcc33", "#cfb3e6"];

export const microbatchInk = (microbatch: number): Ink => ({
  fill: WHEEL[microbatch % WHEEL.length],
  text: "#14191b",
  edge: "#3d474a",
});

/** "rgb(1, 2, 3)" or "#010203" as the little-endian word of an opaque pixel. */
export function pixelOf(colour: string): number {
  const hex = colour.match(/^#(..)(..)(..)$/);
  const [r, g, b] = hex
    ? hex.slice(1).map((part) => Number.parseInt(part, 16))
    : (colour.match(/[\d.]+/g) ?? ["0", "0", "0"]).slice(0, 3).map(Number);
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}
