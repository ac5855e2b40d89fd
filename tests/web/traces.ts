// Small traces for the tests, made from rows that say what they mean.
import { layLanes, type Table } from "../../web/src/worker/lanes";
import { NONE } from "../../web/src/worker/protocol";

export const KINDS = ["F", "B", "I", "W", "FB", "activation", "gradient", "allreduce", "update", "barrier", "failure"];

export interface RowOf {
  at: number;
  to: number;
  kind: string;
  on: number;
  mb?: number;
  slice?: number;
  pipe?: number;
  after?: number;
}

export function tableOf(rows: RowOf[]): Table {
  return {
    start: Float64Array.from(rows, (r) => r.at),
    end: Float64Array.from(rows, (r) => r.to),
    kind: Uint8Array.from(rows, (r) => KINDS.indexOf(r.kind)),
    resource: Uint32Array.from(rows, (r) => r.on),
    stage: Uint16Array.from(rows, (r) => r.on),
    slice: Uint8Array.from(rows, (r) => r.slice ?? 0),
    pipe: Uint8Array.from(rows, (r) => r.pipe ?? 0),
    microbatch: Uint32Array.from(rows, (r) => r.mb ?? NONE),
    batch: Uint32Array.from(rows, () => 0),
    predecessor: Uint32Array.from(rows, (r) => r.after ?? NONE),
  };
}

export const traceOf = (rows: RowOf[], resources: number, devices: number) =>
  layLanes(tableOf(rows), resources, devices, KINDS);

/** A fixed sequence in [0, 1), so that every run of the tests sees the same traces. */
export function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** `lanes` devices, each with `count` slices of mixed kinds and some gaps; of FB cells both rows. */
export function randomTrace(lanes: number, count: number, seed: number) {
  const next = sequence(seed);
  const rows: RowOf[] = [];
  for (let on = 0; on < lanes; on++) {
    let at = next() * 1e6;
    for (let mb = 0; mb < count; mb++) {
      if (next() < 0.2) at += next() * 4e6;
      const to = at + 1e5 + next() * 2e6;
      const kind = KINDS[Math.floor(next() * 5)];
      rows.push({ at, to, kind, on, mb });
      if (kind === "FB") rows.push({ at, to, kind: next() < 0.5 ? "B" : "I", on, mb });
      at = to;
    }
  }
  rows.sort((a, b) => a.at - b.at);
  return traceOf(rows, lanes, lanes);
}
