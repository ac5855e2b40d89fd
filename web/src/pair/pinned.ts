// Run A of a comparison: pinned from what is shown, or played beside it from a text. B is whatever is shown.
import { signal } from "@preact/signals";
import { readFacts } from "../state/facts";
import { replaceText } from "../state/source";
import * as s from "../state/store";
import { pairText } from "../text/pair";
import { aside } from "../worker/aside";
import { readPair } from "./link";

/** What is played without being asked, as for the shown run. */
const MOST_EVENTS = 2_000_000;

export interface Pinned {
  text: string;
  /** null while it is played, and when it cannot be. */
  result: s.Result | null;
  problem: string;
}

export const pinned = signal<Pinned | null>(null);

export function pinShown(): void {
  const result = s.result.peek();
  if (result) pinned.value = { text: result.text, result, problem: "" };
}

/** Pinned in the timeline: said, since the tab may be out of sight. */
export function pinByKey(): void {
  if (!s.result.peek()) return;
  pinShown();
  s.detailTab.value = "pair";
  s.toast.value = { text: pairText.toast };
}

export const unpin = (): void => void (pinned.value = null);

/** The two change places: one undo step in the editor. */
export function swap(): void {
  const a = pinned.peek();
  if (!a) return;
  pinShown();
  replaceText(a.text);
}

export async function pinText(text: string): Promise<void> {
  const waiting: Pinned = { text, result: null, problem: "" };
  pinned.value = waiting;
  const reply = await aside().ask({ type: "probe", text, set: {}, cap: MOST_EVENTS });
  if (pinned.peek() !== waiting) return;
  if (reply?.type === "result") {
    const run = reply.result;
    pinned.value = { text, result: { text, facts: readFacts(run.summary), ...run }, problem: "" };
    return;
  }
  const first = reply?.type === "checked" ? reply.loaded.diagnostics.find((d) => d.severity === "error") : null;
  pinned.value = { text, result: null, problem: first?.message ?? pairText.tooLarge };
}

/** Resolves with the first result: a link that may not run by itself does not run A either. */
function whenShown(): Promise<void> {
  if (s.result.peek()) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = s.result.subscribe((result) => {
      if (!result) return;
      stop();
      resolve();
    });
  });
}

/** Pins A of the page's address beside B. */
export async function pinLinked(): Promise<void> {
  const a = await readPair(location.hash);
  if (a === null) s.notice.value = pairText.damaged;
  if (!a) return;
  await whenShown();
  s.detailTab.value = "pair";
  await pinText(a);
}
