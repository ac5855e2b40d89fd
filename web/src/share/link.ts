// The address that carries the scenario, and the snippet that shows it in another page.
import { lookOfLink } from "../state/look";
import { titleOf } from "../state/source";
import * as s from "../state/store";
import { later } from "../text/later";
import { writePair } from "../pair/link";
import { pinned } from "../pair/pinned";
import { encode } from "./codec";

export interface Links {
  link: string;
  embed: string;
}

export const LONG = 2_000;
export const TOO_LONG = 8_000;

const attribute = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** Whether a part of the run is shown rather than all of it. */
export function zoomed(): boolean {
  const { t0, t1 } = s.view.peek();
  const end = s.result.peek()?.trace.end ?? 0;
  return end > 0 && (t0 > 0 || t1 < end);
}

/** Whether there is a run A that differs from what is shown. */
export const comparing = (): boolean => (pinned.peek()?.text ?? s.text.peek()) !== s.text.peek();

export async function makeLinks(includeView: boolean, includeA: boolean): Promise<Links> {
  const text = s.text.peek();
  const a = includeA && comparing() ? pinned.peek()?.text : undefined;
  const { t0, t1 } = s.view.peek();
  const view: [number, number] | null = includeView && zoomed() ? [t0, t1] : null;
  const hash = await encode({ text, view, look: lookOfLink(), engine: s.engine.peek() });
  const base = `${location.origin}${location.pathname}`;
  const title = attribute(later.embedTitle(titleOf(text)));
  return {
    link: `${base}${hash}${a === undefined ? "" : await writePair(text, a)}`,
    embed: `<iframe src="${attribute(`${base}?embed=timeline${hash}`)}" title="${title}" width="800" height="300" loading="lazy"></iframe>`,
  };
}
