// What `sluice.mjs` of the built site exports, by hand: the engine for other pages and for node. sluice.ts is held to
// it where it is compiled. Texts are scenarios in YAML; times are picoseconds where nothing else is said.
import type { Columns, Diagnostic, Loaded, Options, Plan } from "../../wasm/sluice.d.ts";

export type { Columns, Diagnostic, Loaded, Plan };

/** A text in one of the forms that a run can be written in; see `export_run` of the module. */
export type Format = "summary_json" | "trace_csv" | "chrome_trace" | "svg" | `svg:${string}`;

export interface CallOptions {
  /** Values put over the text, by path: {"simulation.seed": 3}. */
  set?: Options["set"];
  /** Calls the work off: the promise is then rejected with the signal's reason. */
  signal?: AbortSignal;
  /** Told between slices of work of about 30 ms. `done` and `total` are events or runs, never time. */
  progress?(done: number, total: number): void;
}

export interface RunOptions extends CallOptions {
  /** What else is wanted of the run; it comes in `files`, under the same names. */
  formats?: Format[];
  /** What each device holds at each moment comes in `memory`. */
  memory?: boolean;
}

export interface SweepOptions extends CallOptions {
  /** Axes, the last varies fastest. */
  over: NonNullable<Options["over"]>;
  /** Repeats each point with seed, seed + 1, … */
  seeds?: number;
}

/** A run that was played to its end. Nothing in it refers to the module: it may be kept, copied or sent. */
export interface RunResult {
  /** The summary, as `sluice run --json` writes it. */
  summary: Record<string, any>;
  /** Ranks, resources and kinds, to which the columns of `trace` point. */
  plan: Plan;
  trace: Columns;
  /** The scenario as it was really simulated, as YAML. */
  resolved: string;
  /** Warnings and notes; errors are thrown. */
  diagnostics: Diagnostic[];
  files: Partial<Record<Format, string>>;
  /** By device, as `Run.memory` of the module lays it out; empty unless asked for. */
  memory: Float64Array[];
}

/** A wrong scenario, or one that comes to no end (a deadlock): `message` is the first of its errors with its place, `diagnostics` are all of them. */
export class ScenarioError extends Error {
  readonly name: "ScenarioError";
  readonly diagnostics: Diagnostic[];
  constructor(diagnostics: Diagnostic[]);
}

/** One instance of the module. Two engines share nothing; one serves its calls one slice of work after another. */
export interface Engine {
  /** Version of the physics: the same scenario, seed and version give the same trace. */
  readonly version: string;
  /** Reads and checks without playing; a wrong scenario is `ok: false` here and not thrown. */
  check(text: string, options?: Pick<CallOptions, "set">): Loaded;
  /** Plays a scenario. Throws `ScenarioError`. */
  run(text: string, options?: RunOptions): Promise<RunResult>;
  /** Plays every point of a grid: the JSON of `sluice sweep`. Throws `ScenarioError`. */
  sweep(text: string, options: SweepOptions): Promise<any>;
  /** Plays every schedule that can run this scenario: the JSON of `sluice compare`. Throws `ScenarioError`. */
  compare(text: string, options?: CallOptions): Promise<any>;
}

export interface OpenOptions {
  /** Where sluice.wasm is, seen from this file, or its bytes; the file beside this one unless given. */
  wasm?: string | URL | ArrayBuffer | Uint8Array;
}

/** Loads the module: about 50 ms. For more than one call, open once and keep the engine. */
export function open(options?: OpenOptions): Promise<Engine>;

/** `run` of an engine that is opened for this one call. */
export function run(text: string, options?: RunOptions): Promise<RunResult>;
