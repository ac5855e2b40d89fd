// Which schedule is best for the shown scenario: all of them, played beside it, the newest text first. And what the
// reader does with the answer: takes one, or picks some to be drawn under each other.
import { signal } from "@preact/signals";
import { writeSchedule } from "../editor/schedule";
import { later } from "../text/later";
import { aside } from "../worker/aside";
import { replaceText } from "./source";
import { readRows, type Row } from "./compare_rows";
import * as s from "./store";

export interface Comparison {
  text: string;
  rows: Row[];
  done: number;
  total: number;
  state: "running" | "done" | "stopped" | "failed";
  problem: string;
}

export const comparison = signal<Comparison | null>(null);
/** Names to be drawn under each other, in the order in which they were picked. */
export const picked = signal<string[]>([]);
export const MOST_PICKED = 6;

let running: AbortController | null = null;

/** Compares all schedules on `text`, in the place of whatever is being compared. Knows its last answer. */
export async function compare(text: string, again = false): Promise<void> {
  const known = comparison.peek();
  if (!again && known?.text === text && known.state !== "failed") return;
  running?.abort();
  const mine = new AbortController();
  running = mine;
  // The old rows stay until the first new ones come.
  const old = known?.rows ?? [];
  const base = { text, total: 0, done: 0, problem: "" };
  comparison.value = { ...base, rows: old, state: "running" };
  const reply = await aside().ask({ type: "compare", text }, mine.signal, (part) => {
    if (running !== mine || part.type !== "rows") return;
    const rows = readRows(part.rows);
    comparison.value = {
      ...base,
      rows: rows.length > 0 ? rows : old,
      done: part.done,
      total: part.total,
      state: "running",
    };
  });
  if (running !== mine) return;
  running = null;
  const now = comparison.peek() as Comparison;
  if (reply?.type !== "rows") {
    comparison.value = { ...now, state: mine.signal.aborted ? "stopped" : "failed" };
    return;
  }
  const { done, total, problem } = reply;
  comparison.value = { text, rows: readRows(reply.rows), done, total, problem, state: problem ? "failed" : "done" };
}

/** Calls the comparison off; what came of it stays. */
export const stopComparing = (): void => running?.abort();

export function togglePicked(name: string): void {
  const now = picked.peek();
  if (now.includes(name)) picked.value = now.filter((one) => one !== name);
  else if (now.length < MOST_PICKED) picked.value = [...now, name];
}

/** Writes the schedule into the text: one undo step. */
export function applySchedule(value: string, title: string): void {
  const old = s.text.peek();
  const now = writeSchedule(old, value);
  if (now === old) return;
  replaceText(now);
  s.toast.value = { text: later.applied(title), action: { label: later.undo, run: () => replaceText(old) } };
}
