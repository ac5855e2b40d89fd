// The messages between the page and its worker, and the arrays that travel with them.
// Times are picoseconds, as in the module; the page formats them.
import type { Diagnostic, FoundPlan, Gap, IdleCause, Options, Plan, TuneOptions, WaitStep } from "../../../wasm/sluice.d.ts";

export type { Diagnostic, FoundPlan, Gap, IdleCause, Options, Plan, TuneOptions, WaitStep };

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
  /** Slice of the sequence, and pipe: 0 runs down the ranks, 1 up. */
  slice: Uint8Array;
  pipe: Uint8Array;
  /** 1 and 2: the forward and the backward half of an overlapped cell, one after the other with the same times. */
  half: Uint8Array;
  /** Some slice is such a half. */
  halves: boolean;
  /** Of each kind of the plan: 1 where a slice has it. */
  present: Uint8Array;
  /** Row in the module's table. */
  row: Uint32Array;
  /** Slice (an index into these arrays) that decided this one's start, or NONE. */
  predecessor: Uint32Array;
  /**
   * Of schedules that never drain, for each slice of a microbatch on a device: the version of its stage's weights that
   * the microbatch's forward read, and that its backward read.
   */
  readForward?: Uint16Array;
  readBackward?: Uint16Array;
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
  /** Picoseconds of one forward on one rank, the papers' unit of time; 0 when nothing runs forward. */
  forward: number;
  /** Wall clock of the worker, from the request to here. */
  milliseconds: number;
}

/** What a device holds from `time` on; `row` runs from then on, NONE between operations. */
export interface MemoryMoment {
  time: number;
  row: number;
  /** Bytes by part, in the module's order: that of `PARTS` in state/held.ts. */
  parts: number[];
  total: number;
}

/** A device's memory in columns of [t0, t1): each shows the moment that holds most in it. */
export interface MemorySeries {
  of: "memory";
  device: number;
  t0: number;
  t1: number;
  columns: number;
  /** Columns [from, to) that show one moment, together. */
  runs: { from: number; to: number; moment: MemoryMoment }[];
  /** Of the whole run: the most, and the first that is more than the limit. */
  peak: MemoryMoment;
  over: MemoryMoment | null;
}

/** Links in columns of [t0, t1), [link][column]. */
export interface LinkSeries {
  of: "links";
  t0: number;
  t1: number;
  columns: number;
  /** Share of the column in which the link carries something. */
  busy: Float32Array;
  /** Most messages at one time, those that wait for the link counted. */
  there: Uint32Array;
  /** The same over the whole run, of each link. */
  most: number[];
}

export type Series = MemorySeries | LinkSeries;
/** Devices and links are indices into `Plan.resources`; `limit` is the device's capacity, 0 for none. */
export type SeriesRequest = { t0: number; t1: number; columns: number } & (
  | { of: "memory"; device: number; limit: number }
  | { of: "links"; links: number[] }
);

export type ExportFormat = "summary_json" | "trace_csv" | "chrome_trace" | "svg";

/** What `learn` of the module may be told. */
export interface LearnOptions {
  /** Values of `pipeline.schedule`, beside the scenario's own. */
  schedules: string[];
  model: string;
  optimizer: string;
  rates: number[];
  seeds: number;
  microbatches: number;
  /** Microbatches between two points of a curve. */
  test_every: number;
}

/** The problem of a search that could not be fetched. */
export const NO_SEARCH = "no search";

export type Request =
  /** `search`: these are the bytes of the module with the search. */
  | { type: "boot"; wasm: ArrayBuffer | null; search?: boolean }
  | { type: "check"; id: number; text: string }
  | { type: "run"; id: number; text: string; cap: number }
  | { type: "probe"; id: number; text: string; set: Record<string, unknown>; cap: number }
  | { type: "stop"; id: number }
  /** An ExportFormat, "svg" also with a look behind a colon. */
  | { type: "export"; id: number; format: string }
  | { type: "schema"; id: number }
  /** Of the shown run: its gaps on these devices in [from, to], and rows of its critical path with all slack. */
  | { type: "gaps"; id: number; resources: number[]; from: number; to: number; brief: boolean }
  | { type: "path"; id: number }
  | { type: "schedules"; id: number }
  /** Of the shown run. */
  | { type: "series"; id: number; ask: SeriesRequest }
  /** JSON in, JSON out: see `order` of the module. */
  | { type: "order"; id: number; request: string }
  | { type: "compare"; id: number; text: string }
  /** A part of a sweep, as CSV. */
  | { type: "sweep"; id: number; text: string; options: Options }
  | { type: "tune"; id: number; text: string; options: TuneOptions }
  | { type: "learn"; id: number; text: string; options: LearnOptions }
  | { type: "plan"; id: number; text: string }
  /** Ends such a search with what it has found. */
  | { type: "enough"; id: number };

export type Reply =
  | { type: "ready"; version: string; engine: string }
  | { type: "checked"; id: number; loaded: Loaded }
  | { type: "capped"; id: number; loaded: Loaded }
  | { type: "progress"; id: number; done: number; total: number }
  | { type: "result"; id: number; loaded: Loaded; result: RunResult }
  | { type: "stopped"; id: number }
  | { type: "exported"; id: number; text: string }
  | { type: "schema"; id: number; text: string }
  | { type: "gaps"; id: number; gaps: Gap[][] }
  | { type: "path"; id: number; rows: Uint32Array; slack: Float64Array }
  | { type: "schedules"; id: number; text: string }
  | { type: "order"; id: number; text: string }
  /** Null when there is no such run or device. */
  | { type: "series"; id: number; series: Series | null }
  /**
   * Of a comparison `rows` is the module's JSON of the schedules played so far, of a sweep its CSV since the last such
   * reply; of a search the best plan where there is a better one, in the end the module's report; of the training of a
   * small model the report so far. Of a planning it is
   * what it is at, and in the end the report with its plans as scenarios. `problem` is why there are none.
   */
  | { type: "rows"; id: number; done: number; total: number; rows: string; finished: boolean; problem: string }
  | { type: "failed"; id: number; message: string };
