// What tells the stages of one rank apart: each later one is painted lighter, as the papers do, with text that can
// still be read. Slices of a pipe that runs up the ranks get a strip as well.
import type { Plan } from "../worker/protocol";
import { channels, type Ink } from "./palette";

/** "None" in the trace's column of stages. */
export const NO_STAGE = 65535;

/** How far the last stage of a rank is mixed with white. */
const LIGHTEST = 0.56;

export interface Chunks {
  /** Place of a stage among those of its rank, from 0. */
  at: Map<number, number>;
  /** Most stages that a rank holds. */
  most: number;
}

const known = new WeakMap<Plan, Chunks>();

/** Places of all stages; the keys count over all pipes: pipe * stages + stage. */
export function chunksOf(plan: Plan): Chunks {
  let chunks = known.get(plan);
  if (!chunks) {
    chunks = { at: new Map(), most: 1 };
    for (const { stages } of plan.ranks) {
      stages.forEach((stage, place) => chunks?.at.set(stage, place));
      chunks.most = Math.max(chunks.most, stages.length);
    }
    known.set(plan, chunks);
  }
  return chunks;
}

export const chunkAt = (plan: Plan, pipe: number, stage: number): number =>
  chunksOf(plan).at.get(pipe * plan.stages + stage) ?? 0;

const luminance = (rgb: number[]): number => {
  const [r, g, b] = rgb.map((v) => (v <= 10 ? v / 3295 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

/** Black or white, whichever stands out more: at least 4.5 to 1 on any fill. */
export const textOn = (rgb: number[]): string => (luminance(rgb) > 0.179 ? "#000000" : "#ffffff");

const shaded = new WeakMap<Ink, Map<number, Ink>>();

/** The ink of the stage at `place` of `most`. */
export function shade(ink: Ink, place: number, most: number): Ink {
  if (place <= 0 || most < 2) return ink;
  const mix = (LIGHTEST * Math.min(place, most - 1)) / (most - 1);
  let made = shaded.get(ink);
  if (!made) shaded.set(ink, (made = new Map()));
  let light = made.get(mix);
  if (!light) {
    const rgb = channels(ink.fill).map((v) => Math.round(v + (255 - v) * mix));
    light = { fill: `rgb(${rgb.join(", ")})`, text: textOn(rgb), edge: ink.edge };
    made.set(mix, light);
  }
  return light;
}
