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
  /** Index into `Plan.kinds`. */
  kind: Uint8Array;
  /** Index into `Plan.resources`: devices first, then links. */
  resource: Uint32Array;
  /** Virtual stage; for a transfer the stage that sends; 65535 when none. */
  stage: Uint16Array;
  /** Microbatch within its batch; 4294967295 when none. */
  microbatch: Uint32Array;
  batch: Uint32Array;
  /** Row of the segment that decided this one's start (its binding predecessor); 4294967295 when none. */
  predecessor: Uint32Array;
}

/** A simulation that has been played. */
export interface Run {
  /** The summary as JSON text. */
  summary(): string;
  columns(): Columns;
  /** Ranks, resources, kinds and sizes as JSON text; see `Plan`. */
  plan(): string;
  /** The scenario as it was really simulated (SI units, presets resolved), as YAML text. */
  resolved(): string;
  delete(): void;
}

/** The JSON of `Run.plan()`. */
export interface Plan {
  /** E.g. ["F","B","I","W","FB","activation","gradient","allreduce","update","barrier","failure","recompute"]. */
  kinds: string[];
  stages: number;
  microbatches: number;
  batches: number;
  ranks: { rank: number; resource: number; device: string; node: string; stages: number[] }[];
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

/** Long work in small steps. `units` are events or evaluations, never time, so that the result is the same everywhere. */
export interface Job {
  /** Does up to `units` more; `partial` is JSON text with what can be shown already, or "". */
  step(units: number): { done: number; total: number; finished: boolean; partial: string };
  /** After `finished`: a `Run` for kind "simulate", JSON text for every other kind. */
  result(): Run | string;
  delete(): void;
}

/** The JSON of the `options` argument; every member may be absent. */
export interface Options {
  /** Values put over the text, by path: {"simulation.seed": 3}. */
  set?: Record<string, unknown>;
  /** For kind "sweep": axes, last varies fastest; `seeds` repeats each point with seed, seed+1, … */
  over?: { path: string; values: unknown[] }[];
  seeds?: number;
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
  /** {"name","ranks","microbatches","chunks"?,"set"?} in, the order per rank out; both JSON text. */
  order(request: string): string;
  /** Reads and checks a scenario without playing it. */
  load(text: string, options: string): Loaded;
  /** Makes a job; `kind` is "simulate" or "sweep". `job` is null when not ok; with "simulate" the rest is as from `load`. */
  job(kind: string, text: string, options: string): Loaded & { job: Job | null };
  /** `format`: "summary_json", "trace_csv", "chrome_trace" or "svg". */
  export_run(run: Run, format: string): string;
}

export interface ModuleOptions {
  wasmBinary?: ArrayBuffer | Uint8Array;
  locateFile?: (path: string, prefix: string) => string;
}

export default function createSluice(options?: ModuleOptions): Promise<SluiceModule>;
