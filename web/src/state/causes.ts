// What the module knows of the shown run's waits: why a device is idle, and what the critical path consists of.
import { type Gap, NONE, type Trace } from "../worker/protocol";
import { worker } from "./run";
import * as s from "./store";

export const PS_PER_MS = 1e9;

export interface Path {
  /** Slices of the critical path, newest first. */
  slices: number[];
  /** By slice: whether it is one of them. */
  on: Uint8Array;
  /** By slice, picoseconds; empty where it is not known. */
  slack: Float64Array;
}

const places = new WeakMap<Trace, Uint32Array>();

/** The slice of a row of the module's table. */
export function sliceOfRow(trace: Trace, row: number): number {
  let known = places.get(trace);
  if (!known) {
    known = new Uint32Array(trace.row.length).fill(NONE);
    for (let i = 0; i < trace.row.length; i++) known[trace.row[i]] = i;
    places.set(trace, known);
  }
  return known[row] ?? NONE;
}

/** An answer speaks of the run that the worker holds, which may be a newer one than the reader sees. */
const current = (result: s.Result): boolean => s.result.peek() === result;

/** Gaps of each of these lanes that have a part in [from, to]; null when another run has come. */
export async function gapsIn(
  result: s.Result,
  lanes: number[],
  [from, to]: [number, number],
  brief: boolean,
): Promise<Gap[][] | null> {
  const resources = lanes.map((lane) => result.trace.resource[lane]);
  const answer = await worker()
    .ask((id) => ({ type: "gaps", id, resources, from, to, brief }))
    .catch(() => null);
  return answer?.type === "gaps" && current(result) ? answer.gaps : null;
}

const paths = new WeakMap<s.Result, Promise<Path | null>>();

async function askPath(result: s.Result): Promise<Path | null> {
  const answer = await worker()
    .ask((id) => ({ type: "path", id }))
    .catch(() => null);
  if (answer?.type !== "path" || !current(result)) return null;
  const { trace } = result;
  const slices = [...answer.rows].map((row) => sliceOfRow(trace, row)).filter((slice) => slice !== NONE);
  const on = new Uint8Array(trace.start.length);
  for (const slice of slices) on[slice] = 1;
  return { slices, on, slack: answer.slack.length > 0 ? Float64Array.from(trace.row, (row) => answer.slack[row]) : answer.slack };
}

/** The critical path of the run; asked for once. */
export function pathOf(result: s.Result): Promise<Path | null> {
  let path = paths.get(result);
  if (!path) paths.set(result, (path = askPath(result)));
  return path;
}
