// The search that is under way, or what came of it. It has a worker of its own, so that its best plan so far can be
// played and drawn by another.
import { signal } from "@preact/signals";
import { pinShown } from "../pair/pinned";
import { replaceText, titleOf } from "../state/source";
import * as s from "../state/store";
import { later } from "../text/later";
import { words } from "../text/tune";
import { Aside, aside } from "../worker/aside";
import { type FoundPlan, NO_SEARCH, type RunResult } from "../worker/protocol";
import type { AxisName, Report } from "./report";

export interface Question {
  text: string;
  axes: AxisName[];
  evaluations: number;
}

export interface Tuning extends Question {
  done: number;
  total: number;
  state: "running" | "done" | "stopped" | "failed";
  problem: string;
  since: number;
  best: FoundPlan | null;
  /** Of the whole search, at its end. */
  report: Report | null;
}

export const tuning = signal<Tuning | null>(null);
/** The best plan so far, played; a little behind. */
export const played = signal<{ found: FoundPlan; run: RunResult } | null>(null);

/** Larger plans are not drawn while they are searched. */
const MOST_EVENTS = 500_000;

let searcher: Aside | null = null;
let running: AbortController | null = null;
let playing: AbortController | null = null;

async function play(found: FoundPlan): Promise<void> {
  playing?.abort();
  const mine = new AbortController();
  playing = mine;
  const reply = await aside().ask({ type: "probe", text: found.plan, set: {}, cap: MOST_EVENTS }, mine.signal);
  if (playing === mine && reply?.type === "result") played.value = { found, run: reply.result };
}

export async function start(question: Question): Promise<void> {
  running?.abort();
  playing?.abort();
  const mine = new AbortController();
  running = mine;
  played.value = null;
  const base = { ...question, since: performance.now(), problem: "", report: null };
  tuning.value = { ...base, done: 0, total: 0, best: null, state: "running" };
  const take = (best: FoundPlan | null): FoundPlan | null => {
    const old = tuning.peek()?.best ?? null;
    // Each part of the search begins anew: what it has may be slower than what is known.
    if (!best || (old && best.makespan_ms >= old.makespan_ms)) return old;
    void play(best);
    return best;
  };
  searcher ??= new Aside();
  const { text, axes, evaluations } = question;
  const reply = await searcher.ask({ type: "tune", text, options: { axes, evaluations } }, mine.signal, (part) => {
    if (running !== mine || part.type !== "rows") return;
    const { done, total, rows } = part;
    tuning.value = { ...base, done, total, best: take(rows ? JSON.parse(rows) : null), state: "running" };
  });
  if (running !== mine) return;
  ended();
  const now = tuning.peek() as Tuning;
  if (reply?.type !== "rows" || reply.problem) {
    const said = reply?.type === "rows" ? reply.problem : words.crashed;
    const problem = said === NO_SEARCH ? words.absent : said;
    tuning.value = { ...now, problem, state: "failed" };
    return;
  }
  const report = JSON.parse(reply.rows) as Report;
  tuning.value = { ...now, done: reply.done, report, best: take(report.best), state: "done" };
}

/** The worker holds as much memory as the search took: it goes with it. */
function ended(): void {
  running = null;
  searcher?.end();
  searcher = null;
}

/** Calls the search off; the best plan so far stays. */
export function cancel(): void {
  if (!running) return;
  running.abort();
  ended();
  tuning.value = { ...(tuning.peek() as Tuning), state: "stopped" };
}

/** The plan with the title of what it was made from. */
export function planText({ text, best }: Tuning): string {
  const title = titleOf(text);
  return (title ? `# title: ${title}, tuned\n` : "") + (best?.plan ?? "");
}

/** Writes the plan into the editor, one undo step; the run before it is A of Compare A/B. */
export function take(state: Tuning): void {
  const old = s.text.peek();
  pinShown();
  replaceText(planText(state));
  s.detailTab.value = "pair";
  s.toast.value = { text: words.taken, action: { label: later.undo, run: () => replaceText(old) } };
}
