// The order of each rank's operations as a run played it: read off the trace, changed by one move, and placed.
import type { Plan, Trace } from "../worker/protocol";

export interface Operation {
  letter: "F" | "B" | "I" | "W";
  microbatch: number;
  slice: number;
  /** Within its pipe. */
  stage: number;
}

/** What a rank does in one go: one operation, or the two halves of an overlapped cell. */
export interface Cell {
  operations: Operation[];
  /** Its (first) slice of the trace. */
  index: number;
}

export interface Order {
  /** One list a rank. */
  ranks: Cell[][];
  /** Rank of each stage, pipe by pipe: "down", then "up". */
  placement: [pipe: string, ranks: number[]][];
  slices: number;
}

/** Where a cell stands. */
export interface Place {
  rank: number;
  at: number;
}

const LETTERS: Record<string, Operation["letter"]> = { F: "F", B: "B", I: "I", W: "W", FB: "F" };
const PIPES = ["down", "up"];

/**
 * The order of the first batch, with an entry for each rank; null when there is none to write out: batches that run
 * into each other (an order written out begins anew in each), or more than two pipes. O(slices of the devices).
 */
export function readOrder(trace: Trace, plan: Plan): Order | null {
  if (plan.pipes > PIPES.length) return null;
  const letters = plan.kinds.map((name) => LETTERS[name]);
  const lanes = [...trace.resource.subarray(0, trace.devices)];
  const placement: Order["placement"] = PIPES.slice(0, plan.pipes).map((pipe) => [pipe, Array(plan.stages).fill(-1)]);
  const ranks: Cell[][] = [];
  for (const { rank, resource, stages } of plan.ranks) {
    for (const stage of stages) placement[Math.floor(stage / plan.stages)][1][stage % plan.stages] = rank;
    const cells = readRank(trace, lanes.indexOf(resource), letters, new Set(stages), plan.stages);
    if (!cells) return null;
    ranks[rank] = cells;
  }
  return { ranks, placement, slices: plan.slices };
}

function readRank(
  trace: Trace,
  lane: number,
  letters: (Operation["letter"] | undefined)[],
  own: Set<number>,
  stages: number,
): Cell[] | null {
  const cells: Cell[] = [];
  const seen = new Set<string>();
  let batch = 0;
  for (let index = trace.offsets[lane]; index < trace.offsets[lane + 1]; index++) {
    const letter = letters[trace.kind[index]];
    const stage = trace.stage[index];
    if (!letter || !own.has(trace.pipe[index] * stages + stage)) continue;
    if (trace.batch[index] < batch) return null;
    batch = trace.batch[index];
    if (batch > 0) continue;
    const operation = { letter, microbatch: trace.microbatch[index], slice: trace.slice[index], stage };
    // A failure in the middle of an operation leaves two rows of it.
    const name = nameOf([operation]);
    if (seen.has(name)) continue;
    seen.add(name);
    if (trace.half[index] === 2) cells[cells.length - 1].operations.push(operation);
    else cells.push({ operations: [operation], index });
  }
  return cells;
}

/** The same for the same cell of any run of the scenario. */
export const nameOf = (operations: Operation[]): string =>
  operations.map(({ letter, microbatch, slice, stage }) => `${letter}${microbatch}.${slice}@${stage}`).join("|");

/** Where the cell with that name stands, or null. */
export function placeOf(order: Order, name: string): Place | null {
  for (let rank = 0; rank < order.ranks.length; rank++) {
    const at = order.ranks[rank].findIndex(({ operations }) => nameOf(operations) === name);
    if (at >= 0) return { rank, at };
  }
  return null;
}

/** Where the cell of a slice of the trace stands (either half of an overlapped one), or null. */
export function placeOfSlice(order: Order, trace: Trace, index: number): Place | null {
  const first = trace.half[index] === 2 ? index - 1 : index;
  for (let rank = 0; rank < order.ranks.length; rank++) {
    const at = order.ranks[rank].findIndex((cell) => cell.index === first);
    if (at >= 0) return { rank, at };
  }
  return null;
}

/** The order with one cell at another place of its rank; `to` counts the others. */
export function moved(order: Order, { rank, at }: Place, to: number): Order {
  const cells = [...order.ranks[rank]];
  const [cell] = cells.splice(at, 1);
  cells.splice(to, 0, cell);
  return { ...order, ranks: order.ranks.map((list, r) => (r === rank ? cells : list)) };
}
