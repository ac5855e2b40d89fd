// The address that carries the scenario, and the snippet that shows it in another page.
import { titleOf } from "../state/source";
import * as s from "../state/store";
import { later } from "../text/later";
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

export async function makeLinks(includeView: boolean): Promise<Links> {
  const text = s.text.peek();
  const { t0, t1 } = s.view.peek();
  const view: [number, number] | null = includeView && zoomed() ? [t0, t1] : null;
  const hash = await encode({ text, view, engine: s.engine.peek() });
  const base = `${location.origin}${location.pathname}`;
  const title = attribute(later.embedTitle(titleOf(text)));
  return {
    link: `${base}${hash}`,
    embed: `<iframe src="${attribute(`${base}?embed=timeline${hash}`)}" title="${title}" width="800" height="300" loading="lazy"></iframe>`,
  };
}
