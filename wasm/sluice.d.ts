// The module's surface, by hand: what `sluice.mjs` exports, for the page and for other users of the module.
// A test compares the names below with the module's own exports. Everything here is synchronous; nothing throws for
// a wrong scenario (that is `ok: false` with diagnostics).

/** What was found wrong (or worth saying) in a scenario, with its place in the text. Lines and columns start at 1. */
export interface Diagnostic {
  /** Stable name such as `key.unknown`; messages may change, codes may not. */
  code: string;
  severity: "error" | "warning" | "info";
  /** Place in the document, e.g. `pipeline.stages[2].device`; "" is the document itself. */
  path: string;
  /** 0 when the place is not in the text (e.g. a default). */
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  message: string;
  /** What to do about it, or "". */
  hint: string;
  /** Text that, put in the place of [line:column, end_line:end_column), mends it; "" when there is none. */
  fix: string;
}

/**
 * Rows of the trace, one entry a segment, in the order they were asked for; equal lengths.
 * The arrays are views into the module's memory: `slice()` each before the next call into the module.
 */
export interface Columns {
  /** Picoseconds since the start of the run. */
  start: Float64Array;
  end: Float64Array;
  /**
   * Index into `Plan.kinds`. An overlapped cell is two rows one after the other with the same times: FB, which stands
   * for its forward, and the B or I that runs beside it.
   */
  kind: Uint8Array;
  /** Index into `Plan.resources`: devices first, then links. */
  resource: Uint32Array;
  /** Stage within its pipe; for a transfer the stage that sends; 65535 when none. */
  stage: Uint16Array;
  /** Slice of the sequence, and pipe ("down" is 0, "up" is 1). */
  slice: Uint8Array;
  pipe: Uint8Array;
  /** Microbatch within its batch; 4294967295 when none. */
  microbatch: Uint32Array;
  batch: Uint32Array;
  /** Row of the segment that decided this one's start (its binding predecessor); 4294967295 when none. */
  predecessor: Uint32Array;
  /**
   * Version of the stage's weights that the microbatch's forward read there, and that its backward read (updates
   * before it, counted through the run). Only of schedules that never drain.
   */
  version_forward?: Uint16Array;
  version_backward?: Uint16Array;
}

/** A simulation that has been played. */
export interface Run {
  /** The summary as JSON text. */
  summary(): string;
  columns(): Columns;
  /**
   * JSON text of `Gap[]`: the idle intervals of a device (an index into `Plan.resources`) that have a part in
   * [from, to], in picoseconds and in order of time; a hundred at most, chains of up to 500 steps. The first call
   * of this, `path` or `summary` looks through the whole run.
   */
  gaps(resource: number, from: number, to: number): string;
  /** Rows of the critical path, newest first, without those that only waited. A view, as in `columns()`. */
  path(): Uint32Array;
  /**
   * By row, picoseconds: how much later it could end without a later end of its step. Empty unless communication is
   * asynchronous. A view, as in `columns()`.
   */
  slack(): Float64Array;
  /**
   * What a device (an index into `Plan.resources`) holds, moment by moment and eleven numbers each: picoseconds, the
   * row that runs from then on (4294967295 between operations), and the bytes of weights, gradients, optimizer,
   * activations, logits, what W still needs, working memory, buffers and reserve. The first moment, at 0, is before
   * anything runs. Empty for what is no device. A view, as in `columns()`.
   */
  memory(resource: number): Float64Array;
  /** Ranks, resources, kinds and sizes as JSON text; see `Plan`. */
  plan(): string;
  /** The scenario as it was really simulated (SI units, presets resolved), as YAML text. */
  resolved(): string;
  delete(): void;
}

/** Causes of idle time; the documentation's page "Physics" defines them. */
export type IdleCause =
  | "warm_up"
  | "drain"
  | "dependency"
  | "link_busy"
  | "link_latency"
  | "memory"
  | "order"
  | "straggler"
  | "failure"
  | "optimizer"
  | "barrier";

/** A stretch of a chain of waits, or something that could have run. */
export interface WaitStep {
  cause: IdleCause;
  start_ms: number;
  end_ms: number;
  /** What ran, travelled or waited: a row of `Columns`, in words ("B3@1"), and its device or link; null in a pause. */
  row: number | null;
  what: string | null;
  where: string | null;
  /** Whether it waited to start; else it was under way. */
  waits: boolean;
}

/** An idle interval of a device: an entry of `Run.gaps()` and of `top_gaps` in the summary. */
export interface Gap {
  rank: number;
  device: string;
  start_ms: number;
  end_ms: number;
  idle_ms: number;
  /** The operation that ended it; null at the end of the run. */
  next: string | null;
  /** Those that are not 0; their sum is `idle_ms`. */
  causes_ms: Partial<Record<IdleCause, number>>;
  /** Newest first: what the device waited for, what that waited for, and so on; the last step is the root. */
  chain: WaitStep[];
  /** Length of the whole chain. */
  chain_steps: number;
  /** Work of the device's own that was ready and would have fitted; it takes the place of the chain in `causes_ms`. */
  could_run: WaitStep[];
}

/** The JSON of `Run.plan()`. */
export interface Plan {
  /** E.g. ["F","B","I","W","FB","activation","gradient","allreduce","update","barrier","failure","recompute"]. */
  kinds: string[];
  /** Of one pipe, of the longest. */
  stages: number;
  pipes: number;
  slices: number;
  microbatches: number;
  batches: number;
  /** `stages` counts over all pipes: pipe * stages + stage. */
  ranks: { rank: number; resource: number; device: string; node: string; stages: number[] }[];
  /** Names of independent pipelines, one a pipe; not there where pipes are copies over the same ranks. */
  pipelines?: string[];
  resources: {
    type: "device" | "link";
    name: string;
    /** Of a link: the devices it joins, and its figures. */
    from?: string;
    to?: string;
    bandwidth_GBps?: number;
    latency_us?: number;
    /** Of a device. */
    node?: string;
    memory_capacity_bytes?: number;
  }[];
}

/** A simulation that came to no end, e.g. since its sends wait for each other (`order.deadlock`). */
export interface Unfinished {
  ok: false;
  diagnostics: Diagnostic[];
}

/** Long work in small steps. `units` are events or evaluations, never time, so that the result is the same everywhere. */
export interface Job {
  /** Does up to `units` more; `partial` is JSON text (a sweep's CSV when asked for) with what can be shown already, or "". */
  step(units: number): { done: number; total: number; finished: boolean; partial: string };
  /** After `finished`: a `Run` for kind "simulate", or why it could not end; JSON text for every other kind. */
  result(): Run | Unfinished | string;
  delete(): void;
}

/** The JSON of the `options` argument; every member may be absent. */
export interface Options {
  /** Values put over the text, by path: {"simulation.seed": 3}. */
  set?: Record<string, unknown>;
  /** For kind "sweep": axes, last varies fastest; `seeds` repeats each point with seed, seed+1, … */
  over?: { path: string; values: unknown[] }[];
  seeds?: number;
  /**
   * For kind "sweep": only the points from `first` up to, and without, `last`, as the rows of the command's CSV. Then
   * `partial` is the rows since the step before, and `result()` all of the part. The header comes with the first
   * point's part, so that parts one after the other are the CSV of the whole.
   */
  csv?: [first: number, last: number];
}

/** The JSON of the `options` argument of `tune`; every member may be absent. */
export interface TuneOptions {
  set?: Record<string, unknown>;
  /** Plans that are tried beside the known schedules: 40,000 unless told. */
  evaluations?: number;
  /** What may change: all three unless told. With all three, each is also tuned by itself. */
  axes?: ("partition" | "placement" | "schedule")[];
}

/** A plan that a search has found. `plan` is a scenario, its order written out. */
export interface FoundPlan {
  name: string;
  makespan_ms: number;
  plan: string;
}

/** A search in small steps; evaluations, never time, so that what it finds is the same everywhere. */
export interface Tuning {
  /** `version` rises when `best` may have changed. */
  step(evaluations: number): { done: number; total: number; version: number; finished: boolean };
  /** The fastest so far that fits, as the engine plays it; null before there is one. Costs a run, and changes nothing. */
  best(): FoundPlan | null;
  /** After `finished`: JSON text, as `sluice tune --json` prints it. */
  result(): string;
  delete(): void;
}

export interface Loaded {
  ok: boolean;
  diagnostics: Diagnostic[];
  /** When ok: what the page may show before it runs. */
  events: number;
  title: string;
  schedule: string;
  ranks: number;
  microbatches: number;
}

export interface SluiceModule {
  version(): { name: string; version: string; engine_version: string; schema_version: number };
  /** JSON texts. */
  presets(): string;
  schema(): string;
  schedules(): string;
  /** {"name","ranks","microbatches","chunks"?,"parameters"?} in, the order per rank out; both JSON text. */
  order(request: string): string;
  /** Reads and checks a scenario without playing it. */
  load(text: string, options: string): Loaded;
  /** Makes a job; `kind` is "simulate", "sweep" or "compare" (every schedule that can run this scenario). `job` is null when not ok; with "simulate" the rest is as from `load`. */
  job(kind: string, text: string, options: string): Loaded & { job: Job | null };
  /** `format`: "summary_json", "trace_csv", "chrome_trace" or "svg"; "svg:paper", "svg:kind.u" and "svg:paper.u" look like the papers' figures. */
  export_run(run: Run, format: string): string;
}

/** A search for pipelines over a cluster, in steps. */
export interface Planning {
  /**
   * So many more pipelines planned, divisions looked at or plans played. `part` is 0 while it searches, then 1 to 5 for
   * the other planners, then 6 while the engine plays; `best_ms` is the closed form's of the best so far.
   */
  step(units: number): { done: number; total: number; part: number; best_ms?: number; finished: boolean };
  /** Ends the search with what it has; what is left to `step` is to play that. */
  enough(): void;
  /** When finished, as a scenario: the plan of this index ("0" is the best) or of this baseline; "" without one. */
  plan(which: string): string;
  /** The JSON of `sluice plan --json`, without its seconds. */
  result(): string;
  delete(): void;
}

/** How the schedules of a scenario learn, under way (see `SearchModule.learn`). Units are microbatches. */
export interface Learning {
  step(microbatches: number): { done: number; total: number; finished: boolean };
  /** At any time: JSON text, as `sluice learn --json` prints it, of what is known so far. */
  result(): string;
  delete(): void;
}

/**
 * What `sluice_search.wasm` is with the same glue: the module, in which also `schedule: adaptive` and several `pipelines`
 * run, two searches, and the learning lab. Options: `set`, as of a run.
 */
export interface SearchModule extends SluiceModule {
  plan(text: string, options: string): { ok: boolean; diagnostics: Diagnostic[]; job: Planning | null };
  tune(text: string, options: string): { ok: boolean; diagnostics: Diagnostic[]; job: Tuning | null };
  /**
   * Options beside `set`: `schedules` (values of `pipeline.schedule` to compare with), `model` ("mlp", "transformer",
   * "linear"), `optimizer` ("sgd", "momentum", "adamw", "nadam", "muon"), `rates`, `seeds`, `microbatches`, `test_every`.
   */
  learn(text: string, options: string): { ok: boolean; diagnostics: Diagnostic[]; job: Learning | null };
}

export interface ModuleOptions {
  wasmBinary?: ArrayBuffer | Uint8Array;
  locateFile?: (path: string, prefix: string) => string;
}

export default function createSluice(options?: ModuleOptions): Promise<SluiceModule>;
