// What the Plan page shows, and the one search that is under way. The newest text wins; what it replaced is called off.
import { computed, signal } from "@preact/signals";
import searchUrl from "sluice-search-wasm?url";
import type { PlanData } from "../../plugins/plans";
import { decode, encode } from "../share/codec";
import { words } from "../text/plan";
import { Aside } from "../worker/aside";
import { type Diagnostic, NO_SEARCH, type RunResult } from "../worker/protocol";
import { readQuestion, retitle, titleOf } from "./question";
import { EDIT, type Found, type Shown, shownOf, withRun } from "./report";
import { writePlan } from "./edit";

export type Phase =
  | { kind: "loading" }
  | { kind: "running"; part: number; done: number; total: number; best?: number; ending: boolean }
  | { kind: "done" }
  | { kind: "wrong"; problems: Diagnostic[] }
  | { kind: "failed"; message: string };

/** An answer with the text it is the answer to. */
export interface Answer extends Found {
  text: string;
  seconds: number;
  early: boolean;
}

export const data = signal<PlanData>({ examples: [], devices: [], models: [] });
export const text = signal("");
export const phase = signal<Phase>({ kind: "loading" });
export const answer = signal<Answer | null>(null);
export const notice = signal("");
/** Plans that are shown, at most two. */
export const chosen = signal<string[]>([]);
/** What the engine has played, by the plan's text. */
const played = signal(new Map<string, RunResult>());
/** The plan that editing began with, and what it has become, newest last. */
export const editing = signal<{ from: Shown; steps: Shown[] } | null>(null);

export const question = computed(() => readQuestion(text.value));
/** The cluster that the answer is about. */
export const cluster = computed(() => readQuestion(answer.value?.text ?? "").cluster);
export const runOf = (plan: Shown): RunResult | undefined => played.value.get(plan.text);

/** All plans, those that were played with what the engine says. */
export const plans = computed<Shown[]>(() => {
  const found = answer.value ? shownOf(answer.value) : [];
  const own = editing.value?.steps.at(-1);
  return (own ? [...found, own] : found).map((plan) => {
    const run = runOf(plan);
    return run ? withRun(plan, run) : plan;
  });
});
export const shown = computed(() =>
  chosen.value.flatMap((id) => plans.value.find((plan) => plan.id === id) ?? []),
);

/** Larger plans are not drawn over time. */
const MOST_EVENTS = 1_000_000;

let worker = new Aside(searchUrl);
let searching: AbortController | null = null;
let playing: AbortController | null = null;

export async function search(): Promise<void> {
  searching?.abort();
  playing?.abort();
  const mine = new AbortController();
  searching = mine;
  const asked = text.peek();
  const since = performance.now();
  let early = false;
  phase.value = { kind: "running", part: -1, done: 0, total: 0, ending: false };
  const reply = await worker.ask({ type: "plan", text: asked }, mine.signal, (part) => {
    if (searching !== mine || part.type !== "rows") return;
    const now = phase.peek();
    early = now.kind === "running" && now.ending;
    const at = JSON.parse(part.rows) as { part: number; best_ms?: number };
    phase.value = { kind: "running", part: at.part, done: part.done, total: part.total, best: at.best_ms, ending: early };
  });
  if (searching !== mine) return;
  searching = null;
  if (reply?.type === "checked") {
    phase.value = { kind: "wrong", problems: reply.loaded.diagnostics };
  } else if (reply?.type !== "rows" || reply.problem) {
    const absent = reply?.type === "rows" && reply.problem === NO_SEARCH;
    phase.value = { kind: "failed", message: absent ? words.absent : words.crashed };
    // A worker without the search asks for it only once.
    worker.end();
    worker = new Aside(searchUrl);
  } else {
    const now = phase.peek();
    early ||= now.kind === "running" && now.ending;
    const found = JSON.parse(reply.rows) as Found;
    editing.value = null;
    played.value = new Map();
    refused.value = new Map();
    answer.value = { ...found, text: asked, seconds: (performance.now() - since) / 1000, early };
    chosen.value = shownOf(found).length > 0 ? [shownOf(found)[0].id] : [];
    phase.value = { kind: "done" };
    playShown();
  }
}

/** Ends the search; the best so far is shown. */
export function enough(): void {
  const now = phase.peek();
  if (now.kind !== "running") return;
  phase.value = { ...now, ending: true };
  worker.enough();
}

/** Texts that cannot be played, with why; "" where they are too large. */
export const refused = signal(new Map<string, string>());

/** Plays what is shown and not played yet, one after the other. */
export function playShown(): void {
  const plan = shown.peek().find((one) => !runOf(one) && !refused.peek().has(one.text));
  if (plan) void play(plan);
}

async function play(plan: Shown): Promise<void> {
  playing?.abort();
  const mine = new AbortController();
  playing = mine;
  const reply = await worker.ask({ type: "probe", text: plan.text, set: {}, cap: MOST_EVENTS }, mine.signal);
  if (playing !== mine) return;
  playing = null;
  if (reply?.type === "result") {
    played.value = new Map(played.peek()).set(plan.text, reply.result);
  } else {
    const problems = reply?.type === "checked" ? reply.loaded.diagnostics : [];
    const why = problems.find(({ severity }) => severity === "error")?.message ?? "";
    refused.value = new Map(refused.peek()).set(plan.text, why);
  }
  playShown();
}

export function choose(id: string, on: boolean): void {
  const others = chosen.peek().filter((one) => one !== id);
  const next = on ? [...others.slice(-1), id] : others;
  if (next.length === 0) return;
  // In the order of the table.
  chosen.value = plans.peek().flatMap((plan) => (next.includes(plan.id) ? [plan.id] : []));
  playShown();
}

export function beginEdit(plan: Shown): void {
  editing.value = { from: plan, steps: [{ ...plan, id: EDIT }] };
  chosen.value = [EDIT];
  playShown();
}

/** The edited plan becomes `next`; null is no change that can be made. */
export function edit(next: Shown | null): void {
  const now = editing.peek();
  if (!now || !next) return;
  const last = now.steps.at(-1) as Shown;
  editing.value = { ...now, steps: [...now.steps, { ...next, text: writePlan(last, next) }] };
  playShown();
}

export function undo(all = false): void {
  const now = editing.peek();
  if (!now) return;
  editing.value = { ...now, steps: now.steps.slice(0, all ? 1 : Math.max(1, now.steps.length - 1)) };
  playShown();
}

export function endEdit(): void {
  const now = editing.peek();
  editing.value = null;
  chosen.value = now ? [now.from.id] : [];
  playShown();
}

const PAUSE_MS = 350;
let timer = 0;

/** Another text: it is planned after a pause, and the address follows it. */
export function setText(next: string, pause = PAUSE_MS): void {
  if (next === text.peek()) return;
  text.value = next;
  notice.value = "";
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    void search();
    void writeAddress();
  }, pause);
}

/** What the form changes: the title says the new question where it said the old one. */
export function setByForm(next: string): void {
  const known = data.peek().examples.map((example) => titleOf(example.text));
  setText(retitle(text.peek(), next, known));
}

async function writeAddress(): Promise<void> {
  const now = text.peek();
  const hash = await linkOf(now);
  if (now === text.peek()) history.replaceState(null, "", hash);
}

export const linkOf = (scenario: string): Promise<string> =>
  encode({ text: scenario, view: null, look: "", engine: "" });

const FIRST = "6.7b_s8192_b2b4";

export async function start(): Promise<void> {
  const [linked, list] = await Promise.all([
    decode(location.hash),
    fetch("plan.json").then((response) => response.json() as Promise<PlanData>, () => null),
  ]);
  if (list) data.value = list;
  if (linked.kind === "bad") notice.value = words.badLink;
  const first = data.peek().examples.find(({ name }) => name === FIRST)?.text ?? "";
  text.value = linked.kind === "ok" ? linked.text : first;
  if (text.peek() === "") phase.value = { kind: "failed", message: words.absent };
  else void search();
  addEventListener("hashchange", async () => {
    const next = await decode(location.hash);
    if (next.kind === "ok") setText(next.text, 0);
  });
}

/** Counts up whenever colours have changed. */
export const repaints = signal(0);
