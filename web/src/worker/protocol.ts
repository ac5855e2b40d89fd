// The messages between the page and its worker, and the arrays that travel with them.
// Times are picoseconds, as in the module; the page formats them.
import type { Diagnostic, Plan } from "../../../wasm/sluice.d.ts";

export type { Diagnostic, Plan };

/** "None" in the module's microbatch and predecessor columns, and in ours. */
export const NONE = 0xffffffff;

/**
 * A trace, lane by lane: the slices of lane `l` are [offsets[l], offsets[l + 1]), by start.
 * The first `devices` lanes are devices; then come the links that carried something.
 */
export interface Trace {
  lanes: number;
  devices: number;
  /** Of each lane: its index in `Plan.resources`. */
  resource: Uint32Array;
  offsets: Uint32Array;
  start: Float64Array;
  dur: Float32Array;
  kind: Uint8Array;
  microbatch: Uint32Array;
  stage: Uint16Array;
  batch: Uint32Array;
  /** Row in the module's table. */
  row: Uint32Array;
  /** Slice (an index into these arrays) that decided this one's start, or NONE. */
  predecessor: Uint32Array;
  /** Of each lane: its longest slice, and the time in which it works. */
  longest: Float64Array;
  busy: Float64Array;
  /** End of the last slice. */
  end: number;
}

/** Coverage of time by class, lane by lane, in bins that double from level to level. */
export interface Pyramid {
  classes: number;
  /** Bins of each level, falling to 256 or fewer. */
  bins: number[];
  /** [lane][bin][class], 255 = all of the bin. */
  levels: Uint8Array[];
  span: number;
}

/** The longest chain of decisions that ends the step, by what it is made of. */
export interface CriticalPath {
  compute: number;
  link: number;
  wait: number;
}

export interface Loaded {
  ok: boolean;
  diagnostics: Diagnostic[];
  events: number;
  title: string;
  schedule: string;
  ranks: number;
  microbatches: number;
}

export interface RunResult {
  summary: Record<string, unknown>;
  plan: Plan;
  resolved: string;
  trace: Trace;
  pyramid: Pyramid | null;
  path: CriticalPath | null;
  /** Wall clock of the worker, from the request to here. */
  milliseconds: number;
}

export type ExportFormat = "summary_json" | "trace_csv" | "chrome_trace" | "svg";

export type Request =
  | { type: "boot"; wasm: ArrayBuffer | null }
  | { type: "check"; id: number; text: string }
  | { type: "run"; id: number; text: string; cap: number }
  | { type: "probe"; id: number; text: string; set: Record<string, unknown>; cap: number }
  | { type: "stop"; id: number }
  | { type: "export"; id: number; format: ExportFormat }
  | { type: "schema"; id: number };

export type Reply =
  | { type: "ready"; version: string; engine: string }
  | { type: "checked"; id: number; loaded: Loaded }
  | { type: "capped"; id: number; loaded: Loaded }
  | { type: "progress"; id: number; done: number; total: number }
  | { type: "result"; id: number; loaded: Loaded; result: RunResult }
  | { type: "stopped"; id: number }
  | { type: "exported"; id: number; text: string }
  | { type: "schema"; id: number; text: string }
  | { type: "failed"; id: number; message: string };
