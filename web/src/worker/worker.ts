// The worker: owns the module, checks and plays scenarios in slices of about ten milliseconds, and hands out
// arrays the page can draw. Between slices it reads its messages, so the newest request always wins.
import createSluice from "sluice-module";
import searchUrl from "sluice-search-wasm?url";
import wasmUrl from "sluice-wasm?url";
import type { Job, Run, SearchModule, SluiceModule, Unfinished } from "../../../wasm/sluice.d.ts";
import { classTable } from "./kinds";
import { buffersOf, layLanes } from "./lanes";
import { type Gap, type Loaded, NO_SEARCH, type Plan, type Reply, type Request, type RunResult } from "./protocol";
import { buildPyramid, EXACT_LIMIT } from "./pyramid";
import { nextUnits } from "./slices";
import { forwardTime } from "./units";

const PROGRESS_MS = 60;

let sluice: SluiceModule;
/** The run shown on the page, kept for exports by the module that has played it. */
let shown: { run: Run; of: SluiceModule } | null = null;
/** The request being played; a newer one, or a stop, takes its place. */
let current = 0;
/** The search that is to end with what it has. */
let enough = 0;
const wanted = (id: number) => current === id;

const post = (reply: Reply, transfer: ArrayBuffer[] = []) => self.postMessage(reply, { transfer });

// A message to oneself comes after those already waiting, and without the 4 ms of a nested timer.
const channel = new MessageChannel();
const yielded: (() => void)[] = [];
channel.port1.onmessage = () => yielded.shift()?.();
const yieldToMessages = () =>
  new Promise<void>((resolve) => {
    yielded.push(resolve);
    channel.port2.postMessage(0);
  });

const host = { post, turn: yieldToMessages, wanted, enough: (id: number) => enough === id };

/** What a message may carry: no handles. */
function plain({ ok, diagnostics, events, title, schedule, ranks, microbatches }: Loaded): Loaded {
  return { ok, diagnostics, events, title, schedule, ranks, microbatches };
}

/** Plays the job to its end, if it comes to one; null when something newer came. */
async function play(job: Job, id: number, quiet: boolean): Promise<Run | Unfinished | null> {
  let units = 2_000;
  let told = performance.now();
  for (;;) {
    const before = performance.now();
    const { done, total, finished } = job.step(units);
    if (finished) return job.result() as Run | Unfinished;
    const now = performance.now();
    const took = now - before;
    units = nextUnits(units, took);
    if (!quiet && now - told > PROGRESS_MS) {
      told = now;
      post({ type: "progress", id, done, total });
    }
    await yieldToMessages();
    if (!wanted(id)) return null;
  }
}

function harvest(run: Run, since: number): RunResult {
  const plan = JSON.parse(run.plan()) as Plan;
  const summary = JSON.parse(run.summary()) as Record<string, unknown>;
  const resolved = run.resolved();
  const devices = plan.resources.filter((resource) => resource.type === "device").length;
  // Views into the module's memory: read in this turn, before the next call.
  const trace = layLanes(run.columns(), plan.resources.length, devices, plan.kinds);
  const large = trace.start.length > EXACT_LIMIT;
  return {
    summary,
    plan,
    resolved,
    trace,
    pyramid: large ? buildPyramid(trace, classTable(plan.kinds)) : null,
    forward: forwardTime(trace, plan),
    milliseconds: performance.now() - since,
  };
}

async function simulate(request: Extract<Request, { type: "run" | "probe" }>): Promise<void> {
  const { id, text, cap } = request;
  const probe = request.type === "probe";
  const options = JSON.stringify(probe ? { set: request.set } : {});
  const since = performance.now();
  current = id;
  const made = sluice.job("simulate", text, options);
  const loaded = plain(made);
  if (!made.ok || !made.job) return post({ type: "checked", id, loaded: { ...loaded, ok: false } });
  if (loaded.events > cap) {
    made.job.delete();
    return post({ type: "capped", id, loaded });
  }
  let run: Run | Unfinished | null = null;
  try {
    run = await play(made.job, id, probe);
  } finally {
    made.job.delete();
  }
  if (!run) return post({ type: "stopped", id });
  if ("diagnostics" in run) {
    const { diagnostics } = run;
    return post({ type: "checked", id, loaded: { ...loaded, ok: false, diagnostics } });
  }
  const result = harvest(run, since);
  // Laying out a large run takes a while: a stop or a newer request may have come meanwhile.
  await yieldToMessages();
  if (!wanted(id)) {
    run.delete();
    return post({ type: "stopped", id });
  }
  if (probe) run.delete();
  else {
    shown?.run.delete();
    shown = { run, of: sluice };
  }
  const buffers = [...buffersOf(result.trace)];
  for (const level of result.pyramid?.levels ?? []) buffers.push(level.buffer as ArrayBuffer);
  post({ type: "result", id, loaded, result }, buffers);
}

/** Why the devices of the shown run are idle; without the chains of waits when only the causes are wanted. */
function gapsOf({ resources, from, to, brief }: Extract<Request, { type: "gaps" }>): Gap[][] {
  return resources.map((resource) => {
    const gaps = JSON.parse(shown?.run.gaps(resource, from, to) ?? "[]") as Gap[];
    return brief ? gaps.map((gap) => ({ ...gap, chain: [], could_run: [] })) : gaps;
  });
}

async function boot(wasm: ArrayBuffer | null, search = false): Promise<void> {
  const locateFile = (path: string) => (path.endsWith(".wasm") ? wasmUrl : path);
  sluice = await createSluice(wasm ? { wasmBinary: wasm, locateFile } : { locateFile });
  if (wasm && search) searching = Promise.resolve(sluice as SearchModule);
  const { version, engine_version } = sluice.version();
  post({ type: "ready", version, engine: engine_version });
}

let searching: Promise<SearchModule> | null = null;

/**
 * The module with the search takes the place of the first, which is a part of it. Where it cannot be fetched the first
 * stays, and says of `adaptive` that it needs a search.
 */
async function withSearch(): Promise<SearchModule | null> {
  searching ??= fetch(searchUrl).then(async (response) => {
    if (!response.ok) throw new Error(String(response.status));
    return (await createSluice({ wasmBinary: await response.arrayBuffer() })) as SearchModule;
  });
  try {
    const found = await searching;
    sluice = found;
    return found;
  } catch {
    searching = null;
    return null;
  }
}

const SEARCHED = /\badaptive\b|\bpipelines\b/;

/** Whether a schedule is to be found by a search. The word in a comment costs a fetch, no more. */
function wantsSearch(request: Extract<Request, { text: string }>): boolean {
  const over = "set" in request ? request.set : "options" in request ? request.options : {};
  return SEARCHED.test(request.text) || SEARCHED.test(JSON.stringify(over));
}

/** Requests may come before the module's bytes do: they wait for this. */
let open: (booted: Promise<void>) => void;
const ready = new Promise<void>((resolve) => (open = resolve));

async function handle(request: Request): Promise<void> {
  if (request.type === "boot") {
    open(boot(request.wasm, request.search));
    return ready;
  }
  if (request.type === "enough") {
    enough = request.id;
    return;
  }
  if (request.type === "stop") {
    if (current === request.id) current = 0;
    return;
  }
  if ("text" in request && request.type !== "check") current = request.id;
  await ready;
  const { id } = request;
  if ("text" in request && wantsSearch(request)) await withSearch();
  switch (request.type) {
    case "check":
      return post({ type: "checked", id, loaded: plain(sluice.load(request.text, "{}")) });
    case "run":
    case "probe":
      // Overtaken while the module was still loading.
      if (!wanted(id)) return post({ type: "stopped", id });
      return simulate(request);
    case "compare":
    case "sweep": {
      const { work } = await import("./long");
      if (!wanted(id)) return post({ type: "stopped", id });
      return work(sluice, request, host);
    }
    case "plan":
    case "learn":
    case "tune": {
      const search = await withSearch();
      if (!wanted(id)) return post({ type: "stopped", id });
      if (!search) {
        return post({ type: "rows", id, done: 0, total: 0, rows: "", finished: true, problem: NO_SEARCH });
      }
      const { learn, plan, tune } = await import("./long");
      if (request.type === "learn") return learn(search, request, host);
      return request.type === "plan" ? plan(search, request, host) : tune(search, request, host);
    }
    case "schema":
      return post({ type: "schema", id, text: sluice.schema() });
    case "schedules":
      return post({ type: "schedules", id, text: sluice.schedules() });
    case "series": {
      const { series } = await import("./series");
      return post({ type: "series", id, series: shown && series(shown.run, request.ask) });
    }
    case "order":
      return post({ type: "order", id, text: sluice.order(request.request) });
    case "gaps":
      return post({ type: "gaps", id, gaps: gapsOf(request) });
    case "path": {
      const rows = shown?.run.path().slice() ?? new Uint32Array();
      return post({ type: "path", id, rows, slack: shown?.run.slack().slice() ?? new Float64Array() });
    }
    case "export":
      return post({ type: "exported", id, text: shown ? shown.of.export_run(shown.run, request.format) : "" });
  }
}

self.onmessage = (event: MessageEvent<Request>) => {
  const request = event.data;
  handle(request).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    post({ type: "failed", id: "id" in request ? request.id : 0, message });
  });
};
