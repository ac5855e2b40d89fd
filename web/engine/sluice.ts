// The engine as an ES module: the WebAssembly module behind promises, for other pages and for node.
// It keeps no state of its own; everything belongs to the engine that `open` returns.
import createSluice from "sluice-module";
import type { Columns, Diagnostic, Job, Loaded, Plan, Run, Unfinished } from "../../wasm/sluice.d.ts";
import type { CallOptions, Engine, OpenOptions, RunOptions, RunResult, SweepOptions } from "./sluice.mjs";

const SLICE_MS = 30;

const place = ({ line, column, message }: Diagnostic): string => (line > 0 ? `${line}:${column}: ${message}` : message);

export class ScenarioError extends Error {
  readonly name = "ScenarioError";
  constructor(readonly diagnostics: Diagnostic[]) {
    const first = diagnostics.find(({ severity }) => severity === "error");
    super(first ? place(first) : "the scenario cannot be played");
  }
}

/** fetch does not read files: under node the bytes come from the file system. */
async function bytesOf(url: URL): Promise<ArrayBuffer | Uint8Array> {
  if (url.protocol === "file:") return process.getBuiltinModule("node:fs").readFileSync(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

/** Steps the job to its end, and lets everything else have its turn between slices. */
async function finish(job: Job, { signal, progress }: CallOptions): Promise<void> {
  let units = 1;
  for (;;) {
    signal?.throwIfAborted();
    const before = performance.now();
    const { done, total, finished } = job.step(units);
    progress?.(done, total);
    if (finished) return;
    const took = performance.now() - before;
    if (took < SLICE_MS / 2) units *= 2;
    else if (took > SLICE_MS * 2) units = Math.max(1, Math.floor(units / 2));
    // A slice that was cheap is followed by the next at once: only real work has to make room.
    if (took >= SLICE_MS / 2) await new Promise((resolve) => setTimeout(resolve));
  }
}

/** The module's arrays are views into its memory, which the next call may move. */
const copied = (columns: Columns): Columns =>
  Object.fromEntries(Object.entries(columns).map(([name, view]) => [name, view.slice()])) as unknown as Columns;

export async function open({ wasm = "./sluice.wasm" }: OpenOptions = {}): Promise<Engine> {
  const isAddress = wasm instanceof URL || typeof wasm === "string";
  const wasmBinary = isAddress ? await bytesOf(new URL(wasm, import.meta.url)) : wasm;
  const module = await createSluice({ wasmBinary });

  async function work<T>(
    kind: string,
    text: string,
    options: CallOptions & Partial<SweepOptions>,
    read: (job: Job, loaded: Loaded) => T,
  ): Promise<T> {
    const { set, over, seeds } = options;
    const made = module.job(kind, text, JSON.stringify({ set, over, seeds }));
    if (!made.ok || !made.job) throw new ScenarioError(made.diagnostics);
    try {
      await finish(made.job, options);
      return read(made.job, made);
    } finally {
      made.job.delete();
    }
  }

  function harvest(run: Run, { diagnostics }: Loaded, { formats, memory }: RunOptions): RunResult {
    try {
      const plan: Plan = JSON.parse(run.plan());
      const devices = memory ? plan.resources.filter(({ type }) => type === "device") : [];
      return {
        summary: JSON.parse(run.summary()),
        plan,
        trace: copied(run.columns()),
        resolved: run.resolved(),
        diagnostics,
        files: Object.fromEntries((formats ?? []).map((format) => [format, module.export_run(run, format)])),
        // Devices come first among the resources.
        memory: devices.map((_, device) => run.memory(device).slice()),
      };
    } finally {
      run.delete();
    }
  }

  return {
    version: module.version().engine_version,
    check: (text, { set } = {}) => module.load(text, JSON.stringify({ set })),
    run: (text, options = {}) =>
      work("simulate", text, options, (job, loaded) => {
        const run = job.result() as Run | Unfinished;
        if ("diagnostics" in run) throw new ScenarioError(run.diagnostics);
        return harvest(run, loaded, options);
      }),
    sweep: (text, options) => work("sweep", text, options, (job) => JSON.parse(job.result() as string)),
    compare: (text, options = {}) => work("compare", text, options, (job) => JSON.parse(job.result() as string)),
  };
}

export async function run(text: string, options?: RunOptions): Promise<RunResult> {
  return (await open()).run(text, options);
}

({ open, run, ScenarioError }) satisfies typeof import("./sluice.mjs");
