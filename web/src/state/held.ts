// Which microbatches a device holds at a moment: those whose forward has begun and whose backward has not ended.
import { endOf } from "../timeline/gaps";
import type { Plan, Trace } from "../worker/protocol";

/** The parts of a device's memory by the summary's names, in the module's order. */
export const PARTS = [
  "weights",
  "gradients",
  "optimizer",
  "activations",
  "logits",
  "kept_for_weights",
  "working",
  "buffers",
  "reserve",
];

/** Slices of one piece, a slice of a microbatch on a stage: its forward, its backward or I, its W. */
type Piece = [forward?: number, backward?: number, weight?: number];
const PLACE: Record<string, number> = { F: 0, FB: 0, B: 1, I: 1, W: 2 };

let last: { trace: Trace; lane: number; pieces: Piece[] } | null = null;

/** Of work that an outage made void only the repetition counts. */
function piecesOf(trace: Trace, plan: Plan, lane: number): Piece[] {
  if (last?.trace === trace && last.lane === lane) return last.pieces;
  const pieces = new Map<string, Piece>();
  for (let i = trace.offsets[lane]; i < trace.offsets[lane + 1]; i++) {
    const place = PLACE[plan.kinds[trace.kind[i]]];
    if (place === undefined) continue;
    const key = [trace.batch, trace.microbatch, trace.slice, trace.pipe, trace.stage].map((column) => column[i]).join();
    const piece = pieces.get(key) ?? [];
    piece[place] = i;
    pieces.set(key, piece);
  }
  last = { trace, lane, pieces: [...pieces.values()] };
  return last.pieces;
}

/** Slices that are forwards: of what is in flight, and of what is kept for its W. */
export function heldAt(trace: Trace, plan: Plan, lane: number, t: number): { held: number[]; kept: number[] } {
  // Durations are stored rounded: what ends at `t` may seem to end a little later.
  const ended = (i?: number): boolean => i !== undefined && endOf(trace, i) <= t + trace.dur[i] * 2e-7;
  const held: number[] = [];
  const kept: number[] = [];
  for (const [forward, backward, weight] of piecesOf(trace, plan, lane)) {
    if (forward === undefined || trace.start[forward] > t) continue;
    if (!ended(backward)) held.push(forward);
    else if (weight !== undefined && !ended(weight)) kept.push(forward);
  }
  return { held, kept };
}

/** "0, 2 to 5": numbers in order, runs of three and more shortened. */
export function runsOf(numbers: number[]): string {
  const parts: (number | string)[] = [];
  for (let i = 0, j = 0; i < numbers.length; i = ++j) {
    while (numbers[j + 1] === numbers[j] + 1) j++;
    parts.push(...(j - i > 1 ? [`${numbers[i]} to ${numbers[j]}`] : numbers.slice(i, j + 1)));
  }
  return parts.join(", ");
}
