// Where the text comes from (link, then the scenario shown first; the last draft is offered, not forced),
// and the one way to replace it, so that every load can be undone in one step.
import firstScenario from "virtual:default-scenario";
import { signal } from "@preact/signals";
import { positionOf } from "../editor/places";
import type { Decoded } from "../share/codec";
import { en } from "../text/en";
import { setLook, startLook } from "./look";
import { read, write } from "./storage";
import * as s from "./store";

/** The editor listens here; without it, the text is simply set. */
interface Editor {
  replace(text: string): void;
  undo(): void;
}
let editor: Editor | null = null;
/** What was opened last, by link or by press. */
let opened = "";
export const attachEditor = (one: Editor | null): void => void (editor = one);

/** Takes back the last step, as in the editor. */
export const undoEdit = (): void => editor?.undo();

/** Where the editor should put its cursor, as a position in the text. */
export const jump = signal<{ line: number; column: number } | null>(null);

/** Puts `text` in the place of all that is there: one undo step in the editor. */
export function replaceText(text: string): void {
  if (editor) editor.replace(text);
  else s.text.value = text;
}

/** Shows what somebody else wrote: until it is changed it is no draft. */
export function showText(text: string): void {
  const old = s.text.peek();
  // What was typed just now has not been remembered yet.
  if (old !== opened) write("draft", old);
  opened = text;
  replaceText(text);
}

/** Loads another scenario and offers the way back. */
export function loadScenario(text: string, title: string): void {
  const old = s.text.peek();
  if (old === text) return;
  showText(text);
  s.toast.value = { text: en.loaded(title), action: { label: en.undo, run: () => replaceText(old) } };
}

/** Replaces [line:column, endLine:endColumn), 1-based, by `fix`. */
export function applyFix(d: { line: number; column: number; end_line: number; end_column: number; fix: string }): void {
  const text = s.text.peek();
  const from = positionOf(text, d.line, d.column);
  replaceText(text.slice(0, from) + d.fix + text.slice(positionOf(text, d.end_line, d.end_column)));
}

const TITLE = /^# title:[ \t]*(.*)$/m;

export const titleOf = (text: string): string => text.match(TITLE)?.[1].trim() ?? "";

/** The title lives in the text, so that it travels with links and files. */
export function setTitle(title: string): void {
  const text = s.text.peek();
  const clean = title.replace(/[\r\n]+/g, " ").trim();
  if (clean === titleOf(text)) return;
  if (TITLE.test(text)) replaceText(text.replace(TITLE, () => `# title: ${clean}`));
  else replaceText(`# title: ${clean}\n${text}`);
}

export interface Start {
  text: string;
  view: s.View | null;
  /** False when this very link did not get through the last time. */
  auto: boolean;
}

/** Most visits have no link to unpack; for those that do, this is there before the module is. */
async function readLink(): Promise<Decoded> {
  const { hash } = location;
  return hash === "" ? { kind: "none" } : (await import("../share/codec")).decode(hash);
}

export async function startSource(): Promise<Start> {
  const hash = location.hash;
  const linked = await readLink();
  if (linked.kind === "bad") s.notice.value = en.badLink[linked.reason];
  const text = linked.kind === "ok" ? linked.text : firstScenario;
  const draft = read("draft");
  if (draft && draft !== text && !s.embedded) {
    s.toast.value = {
      text: en.draftFound,
      action: { label: en.restore, run: () => loadScenario(draft, en.draft) },
    };
  }
  const guard = linked.kind === "ok" ? hash : "";
  const auto = guard === "" || read("guard") !== guard;
  if (guard && auto) write("guard", guard);
  // Leaving on purpose is not a crash.
  addEventListener("pagehide", () => auto && write("guard", null));
  addEventListener("hashchange", () => void followHash());
  const view = linked.kind === "ok" && linked.view ? { t0: linked.view[0], t1: linked.view[1] } : null;
  startLook(linked.kind === "ok" ? linked.look : "");
  opened = text;
  keepDraft();
  return { text, view, auto };
}

async function followHash(): Promise<void> {
  const linked = await readLink();
  if (linked.kind === "bad") s.notice.value = en.badLink[linked.reason];
  if (linked.kind !== "ok") return;
  setLook(linked.look);
  loadScenario(linked.text, titleOf(linked.text) || en.linked);
}

/** Remembers what was typed, half a second after the last key; what was merely opened is no draft. */
function keepDraft(): void {
  let timer = 0;
  s.text.subscribe((text) => {
    clearTimeout(timer);
    if (text !== opened && text !== "") timer = window.setTimeout(() => write("draft", text), 500);
  });
}

export { firstScenario };
