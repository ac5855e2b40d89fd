// The comparison that is under way, or what came of it. It has a worker of its own, which goes when it ends.
import { signal } from "@preact/signals";
import searchUrl from "sluice-search-wasm?url";
import { words } from "../text/learn";
import { Aside } from "../worker/aside";
import { type LearnOptions, NO_SEARCH } from "../worker/protocol";
import type { Report } from "./report";

export interface Question {
  text: string;
  options: LearnOptions;
}

export interface Learning extends Question {
  done: number;
  total: number;
  state: "running" | "done" | "stopped" | "failed";
  problem: string;
  since: number;
  /** What is known so far. */
  report: Report | null;
}

export const learning = signal<Learning | null>(null);

let trainer: Aside | null = null;
let running: AbortController | null = null;

function ended(): void {
  running = null;
  trainer?.end();
  trainer = null;
}

export async function start(question: Question): Promise<void> {
  running?.abort();
  ended();
  const mine = new AbortController();
  running = mine;
  const base = { ...question, since: performance.now(), problem: "" };
  learning.value = { ...base, done: 0, total: 0, report: null, state: "running" };
  trainer = new Aside(searchUrl);
  const reply = await trainer.ask({ type: "learn", ...question }, mine.signal, (part) => {
    if (running !== mine || part.type !== "rows") return;
    const { done, total, rows } = part;
    learning.value = { ...base, done, total, report: JSON.parse(rows) as Report, state: "running" };
  });
  if (running !== mine) return;
  ended();
  const now = learning.peek() as Learning;
  if (reply?.type !== "rows" || reply.problem) {
    const said = reply?.type === "rows" ? reply.problem : words.crashed;
    learning.value = { ...now, problem: said === NO_SEARCH ? words.absent : said, state: "failed" };
    return;
  }
  const { done, total, rows } = reply;
  learning.value = { ...now, done, total, report: JSON.parse(rows) as Report, state: "done" };
}

/** Calls it off; what is known stays. */
export function cancel(): void {
  if (!running) return;
  running.abort();
  ended();
  learning.value = { ...(learning.peek() as Learning), state: "stopped" };
}
