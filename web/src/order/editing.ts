// Editing the order by hand: what is being moved, what it would bring, and the one way to write it into the scenario.
// Every move is one step of the editor's own undo; between moves the page runs the scenario as after any other edit.
import { computed, signal } from "@preact/signals";
import { replaceText, undoEdit } from "../state/source";
import * as s from "../state/store";
import { later } from "../text/later";
import { time } from "../text/format";
import { laneName } from "../timeline/names";
import { type Cell, moved, nameOf, type Order, type Place, placeOf, placeOfSlice, readOrder } from "./order";
import { type Trial, TRIAL_CAP, tryOrder } from "./trial";
import { writeOrder } from "./write";

/** How the last move, or the one under the pointer, came out. */
export interface Verdict {
  state: "better" | "worse" | "same" | "refused";
  text: string;
}

export const verdict = signal<Verdict | null>(null);
/** Moves made since editing began and not undone; the milliseconds of the step before the first. */
export const moves = signal(0);
export const before = signal<number | null>(null);

/** The order that was written last, until the page's own result of it is there. */
const written = signal<{ text: string; order: Order; name: string } | null>(null);

/** A run that takes too long to be tried at every move is not read at all. */
export const tooLarge = computed(() => (s.result.value?.trace.start.length ?? 0) > TRIAL_CAP);

const played = computed(() => {
  const result = s.result.value;
  if (!result) return null;
  return { text: result.text, order: tooLarge.value ? null : readOrder(result.trace, result.plan) };
});

/** The order of the text as it stands; null while that is not known or cannot be written out. */
export const current = computed<Order | null>(() => {
  const now = s.text.value;
  const last = written.value;
  if (last?.text === now) return last.order;
  return played.value?.text === now ? played.value.order : null;
});

/** Whether there is a result whose order cannot be written out. */
export const unwritable = computed(() => played.value !== null && played.value.order === null);

/** Where the selected operation stands; null when none is selected. */
export const selected = computed<Place | null>(() => {
  const order = current.value;
  const result = s.result.value;
  const thing = s.selection.value;
  if (!order || !result) return null;
  if (written.value?.text === s.text.value && result.text !== s.text.value) return placeOf(order, written.value.name);
  return thing?.type === "slice" ? placeOfSlice(order, result.trace, thing.index) : null;
});

export const cellName = ({ operations }: Cell, { slices }: Order): string =>
  operations
    .map(({ letter, microbatch, slice }) => `${letter}${microbatch}${slices > 1 ? `.${slice}` : ""}`)
    .join(" | ");

/** "stage 3", or "rank 3" where it holds several. */
export function rankName(rank: number): string {
  const { plan, trace } = s.result.peek() as s.Result;
  const of = plan.ranks.find((one) => one.rank === rank);
  const lane = trace.resource.indexOf(of?.resource ?? 0);
  return laneName(plan, trace, lane).long.toLowerCase();
}

/** The time of the step as the shown numbers have it, or that of the last move. */
let lastMs: number | null = null;
const shownMs = (): number | null => lastMs ?? s.result.peek()?.facts.stepMs ?? null;

export function verdictOf(trial: Trial, what: string): Verdict {
  if (!trial.ok) return { state: "refused", text: later.order.refused(what, trial.reason) };
  const change = trial.ms - (shownMs() ?? trial.ms);
  const took = time(trial.ms * 1e9, 4);
  if (Math.abs(change) < 1e-9) return { state: "same", text: later.order.same(what, took) };
  const better = change < 0;
  return {
    state: better ? "better" : "worse",
    text: later.order.changed(what, took, time(Math.abs(change) * 1e9), better),
  };
}

/** "B3 on stage 2, before F5": what moving a cell means. */
export function moveName(order: Order, from: Place, to: number): string {
  const others = order.ranks[from.rank].filter((_, i) => i !== from.at);
  const cell = cellName(order.ranks[from.rank][from.at], order);
  const next = others[to];
  return later.order.move(cell, rankName(from.rank), next ? cellName(next, order) : "");
}

let asking: AbortController | null = null;

/** Tries a move without making it; the newest question is the one that is answered. */
export async function previewMove(from: Place, to: number): Promise<void> {
  const order = current.peek();
  asking?.abort();
  if (!order) return;
  if (to === from.at) return void (verdict.value = null);
  const mine = new AbortController();
  asking = mine;
  const what = moveName(order, from, to);
  const trial = await tryOrder(s.text.peek(), moved(order, from, to), mine.signal);
  if (trial && asking === mine) verdict.value = verdictOf(trial, what);
}

let busy = false;
/** What is to be selected in the next result: a new one comes with a selection of its own. */
let wanted = "";

/** Moves a cell to place `to` among the others of its rank, if that can run. */
export async function move(from: Place, to: number): Promise<void> {
  const order = current.peek();
  const text = s.text.peek();
  if (!order || busy || to === from.at || to < 0 || to >= order.ranks[from.rank].length) return;
  busy = true;
  asking?.abort();
  const next = moved(order, from, to);
  const what = moveName(order, from, to);
  const trial = await tryOrder(text, next, new AbortController().signal);
  busy = false;
  if (!trial || s.text.peek() !== text) return;
  verdict.value = verdictOf(trial, what);
  if (!trial.ok) return;
  before.value ??= shownMs();
  lastMs = trial.ms;
  const name = nameOf(order.ranks[from.rank][from.at].operations);
  const now = writeOrder(text, next);
  wanted = name;
  written.value = { text: now, order: next, name };
  moves.value++;
  replaceText(now);
}

export function moveSelected(by: -1 | 1): void {
  const place = selected.peek();
  if (place) void move(place, place.at + by);
}

export function undoMove(): void {
  if (moves.peek() === 0) return;
  const [order, place] = [current.peek(), selected.peek()];
  wanted = order && place ? nameOf(order.ranks[place.rank][place.at].operations) : "";
  moves.value--;
  written.value = null;
  lastMs = null;
  verdict.value = { state: "same", text: later.order.undone };
  undoEdit();
}

/** The page's own result is there: the moved operation is selected in it, and its time is the one to compare with. */
export function followResult(): void {
  const result = s.result.peek();
  if (!result || result.text !== s.text.peek()) return;
  lastMs = null;
  written.value = null;
  const order = played.peek()?.order;
  const place = order && wanted ? placeOf(order, wanted) : null;
  wanted = "";
  if (order && place) s.selection.value = { type: "slice", index: order.ranks[place.rank][place.at].index };
}

/** Forgets what was moved: editing begins anew. */
export function startEditing(): void {
  verdict.value = null;
  written.value = null;
  wanted = "";
  moves.value = 0;
  before.value = null;
  lastMs = null;
}
