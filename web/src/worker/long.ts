// What the worker beside the shown run does on request alone: comparisons of schedules, sweeps, searches. It is fetched
// with the first of them.
import type { SearchModule, SluiceModule } from "../../../wasm/sluice.d.ts";
import type { Reply, Request } from "./protocol";
import { nextUnits } from "./slices";

const PROGRESS_MS = 60;

/**
 * What the worker lends: its mouth, its ear between two steps, whether a request still stands, and whether what it has
 * found is enough.
 */
export interface Host {
  post(reply: Reply): void;
  turn(): Promise<void>;
  wanted(id: number): boolean;
  enough(id: number): boolean;
}

/** Plays a schedule, or a point, a step; what is known so far is told on the way. */
export async function work(
  sluice: SluiceModule,
  request: Extract<Request, { type: "compare" | "sweep" }>,
  { post, turn, wanted }: Host,
): Promise<void> {
  const { id, type, text } = request;
  const sweeping = type === "sweep";
  const made = sluice.job(type, text, sweeping ? JSON.stringify(request.options) : "{}");
  const tell = (done: number, total: number, rows: string, finished: boolean, problem = "") =>
    post({ type: "rows", id, done, total, rows, finished, problem });
  const { job } = made;
  if (!made.ok || !job) return tell(0, 0, "", true, made.diagnostics[0]?.message ?? "");
  try {
    let told = performance.now();
    let rows = "";
    for (;;) {
      const { done, total, finished, partial } = job.step(1);
      // Rows of a sweep come once, those of a comparison anew with every step.
      rows = sweeping ? rows + partial : partial;
      if (finished) return tell(done, total, rows, true);
      if (performance.now() - told > PROGRESS_MS) {
        told = performance.now();
        tell(done, total, rows, false);
        rows = "";
      }
      await turn();
      if (!wanted(id)) return post({ type: "stopped", id });
    }
  } finally {
    job.delete();
  }
}

const LOOK_MS = 400;

/** Searches for a better plan. Whenever there is one it is told, but not more often than one can see. */
export async function tune(
  search: SearchModule,
  { id, text, options }: Extract<Request, { type: "tune" }>,
  { post, turn, wanted }: Host,
): Promise<void> {
  const tell = (done: number, total: number, rows: string, finished: boolean, problem = "") =>
    post({ type: "rows", id, done, total, rows, finished, problem });
  const made = search.tune(text, JSON.stringify(options));
  const { job } = made;
  if (!made.ok || !job) return tell(0, 0, "", true, made.diagnostics[0]?.message ?? "");
  try {
    let told = 0;
    let version = 0;
    let units = 1;
    for (;;) {
      const before = performance.now();
      const step = job.step(units);
      const now = performance.now();
      if (step.finished) return tell(step.done, step.done, job.result(), true);
      units = nextUnits(units, now - before);
      if (now - told > LOOK_MS) {
        const better = step.version !== version;
        version = step.version;
        tell(step.done, step.total, better ? JSON.stringify(job.best()) : "", false);
        told = performance.now();
      }
      await turn();
      if (!wanted(id)) return post({ type: "stopped", id });
    }
  } finally {
    job.delete();
  }
}

/** Trains a small model with each schedule's versions of the weights; the curves so far are told on the way. */
export async function learn(
  search: SearchModule,
  { id, text, options }: Extract<Request, { type: "learn" }>,
  { post, turn, wanted }: Host,
): Promise<void> {
  const tell = (done: number, total: number, rows: string, finished: boolean, problem = "") =>
    post({ type: "rows", id, done, total, rows, finished, problem });
  const { job, diagnostics } = search.learn(text, JSON.stringify(options));
  if (!job) return tell(0, 0, "", true, diagnostics[0]?.message ?? "");
  try {
    let told = 0;
    let units = 1;
    for (;;) {
      const before = performance.now();
      const { done, total, finished } = job.step(units);
      const now = performance.now();
      if (finished) return tell(done, total, job.result(), true);
      units = nextUnits(units, now - before);
      if (now - told > LOOK_MS) {
        tell(done, total, job.result(), false);
        told = performance.now();
      }
      await turn();
      if (!wanted(id)) return post({ type: "stopped", id });
    }
  } finally {
    job.delete();
  }
}

/** Some units of a planning take a thousand times as long as others: never many of them before messages are read. */
const MOST_UNITS = 8;

/** Searches for pipelines, and writes each plan out as a scenario. */
export async function plan(
  search: SearchModule,
  { id, text }: Extract<Request, { type: "plan" }>,
  { post, turn, wanted, enough }: Host,
): Promise<void> {
  const { job, diagnostics } = search.plan(text, "{}");
  if (!job) {
    const nothing = { events: 0, title: "", schedule: "", ranks: 0, microbatches: 0 };
    return post({ type: "checked", id, loaded: { ok: false, diagnostics, ...nothing } });
  }
  try {
    let told = 0;
    let units = 1;
    let ended = false;
    for (;;) {
      const before = performance.now();
      const { done, total, part, best_ms, finished } = job.step(units);
      const now = performance.now();
      const tell = (rows: object) => post({ type: "rows", id, done, total, rows: JSON.stringify(rows), finished, problem: "" });
      if (finished) {
        const report = JSON.parse(job.result()) as { plans: unknown[]; baselines: object };
        const names = [...Array.from(report.plans.keys(), String), ...Object.keys(report.baselines)];
        return tell({ report, texts: Object.fromEntries(names.map((name) => [name, job.plan(name)])) });
      }
      units = Math.min(nextUnits(units, now - before), MOST_UNITS);
      if (now - told > PROGRESS_MS) {
        told = now;
        tell({ part, best_ms });
      }
      await turn();
      if (!wanted(id)) return post({ type: "stopped", id });
      if (!ended && enough(id)) {
        ended = true;
        job.enough();
      }
    }
  } finally {
    job.delete();
  }
}
