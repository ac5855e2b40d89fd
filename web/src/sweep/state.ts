// The sweep that is shown: played point by point by workers of its own, which take parts of it as they become free.
// Rows keep their place, so that the CSV is that of the command whatever came first. Answers are remembered.
import { signal } from "@preact/signals";
import * as s from "../state/store";
import { Aside } from "../worker/aside";
import { words } from "../text/sweep";
import type { Axis } from "./axis";
import { readRecords, readRow, type Row } from "./rows";

export interface Question {
  text: string;
  axes: Axis[];
  seeds: number;
}

export interface Sweep extends Question {
  /** The lines above the rows of the CSV. */
  header: string;
  rows: (Row | undefined)[];
  done: number;
  total: number;
  state: "running" | "done" | "stopped" | "failed";
  problem: string;
  since: number;
}

export const sweep = signal<Sweep | null>(null);

const MOST_WORKERS = 4;
const MOST_KNOWN = 12;
/** Parts are small enough that none is waited for long, and no larger than this. */
const PARTS_PER_WORKER = 4;
const LARGEST_PART = 64;
/** Between two looks at what came; longer where a look takes long, so that it takes a part of the time only. */
const REDRAW_MS = 100;
const REST = 5;
/** The workers hold memory: they go when they were not needed for so long. */
const PATIENCE_MS = 30_000;

const known = new Map<string, Sweep>();
let running: AbortController | null = null;
const workers: Aside[] = [];
let leaving = 0;

/** Of the shown run's scenario the hash, which knows no comments; of a text that has not run yet, the text. */
function keyOf({ text, axes, seeds }: Question): string {
  const result = s.result.peek();
  const hash = result?.text === text ? result.summary.scenario_hash : text;
  return JSON.stringify([hash, axes, seeds]);
}

/** The CSV of what is there, in the order of the points. */
export const csvOf = ({ header, rows }: Sweep): string => header + rows.map((row) => row?.line ?? "").join("");

export async function start(question: Question): Promise<void> {
  running?.abort();
  const key = keyOf(question);
  const answer = known.get(key);
  if (answer) return void (sweep.value = { ...answer, text: question.text });
  const mine = new AbortController();
  running = mine;
  clearTimeout(leaving);
  const total = question.axes.reduce((n, { values }) => n * values.length, question.seeds);
  const now: Sweep = {
    ...question,
    header: "",
    rows: [],
    done: 0,
    total,
    state: "running",
    problem: "",
    since: performance.now(),
  };
  sweep.value = { ...now };
  let drawing = 0;
  let look = 0;
  const take = (csv: string): void => {
    for (const record of readRecords(csv)) {
      if (/^(#|index,)/.test(record.line)) {
        // Comes twice: by itself, and with the first point.
        if (!now.header.includes(record.line)) now.header += record.line;
      } else {
        const row = readRow(record, question.axes.length);
        now.rows[row.index] = row;
        now.done++;
      }
    }
    drawing ||= window.setTimeout(() => {
      const before = performance.now();
      if (running === mine) sweep.value = { ...now };
      // The page is drawn before this comes.
      drawing = window.setTimeout(() => {
        drawing = 0;
        look = Math.max(REDRAW_MS, REST * (performance.now() - before));
      });
    }, look);
  };
  const count = Math.max(1, Math.min((navigator.hardwareConcurrency || 2) - 1, MOST_WORKERS));
  while (workers.length < count) workers.push(new Aside());
  const playPart = async (worker: Aside, csv: [first: number, last: number]): Promise<void> => {
    const { text, axes, seeds } = question;
    const options = { over: axes, seeds, csv };
    const reply = await worker.ask({ type: "sweep", text, options }, mine.signal, (part) => {
      if (running === mine && part.type === "rows") take(part.rows);
    });
    if (running !== mine) return;
    if (reply?.type !== "rows") now.problem = words.crashed;
    else if (reply.problem) now.problem = reply.problem;
    else take(reply.rows);
  };
  let next = 0;
  const play = async (worker: Aside): Promise<void> => {
    while (next < total && now.problem === "" && running === mine) {
      const size = Math.ceil((total - next) / (count * PARTS_PER_WORKER));
      const first = next;
      next += Math.min(size, LARGEST_PART);
      await playPart(worker, [first, next]);
    }
  };
  // The header comes first: the point it is written with may come last of all, or never where the sweep is cancelled.
  await playPart(workers[0], [0, 0]);
  await Promise.all(workers.map(play));
  clearTimeout(drawing);
  if (running !== mine) return;
  ended();
  now.state = now.problem === "" ? "done" : "failed";
  sweep.value = now;
  if (now.state !== "done") return;
  known.set(key, now);
  if (known.size > MOST_KNOWN) known.delete(known.keys().next().value as string);
}

function ended(): void {
  running = null;
  leaving = window.setTimeout(() => {
    for (const worker of workers.splice(0)) worker.end();
  }, PATIENCE_MS);
}

/** Calls the sweep off at once; what came of it stays. */
export function cancel(): void {
  if (!running) return;
  running.abort();
  ended();
  const now = sweep.peek() as Sweep;
  sweep.value = { ...now, done: now.rows.reduce((n) => n + 1, 0), state: "stopped" };
}
