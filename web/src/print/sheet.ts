// What is printed instead of the page: title, numbers, the visible part of the timeline in the light palette, the
// scenario's text, and the link that opens it. Made just before printing, since a browser does not wait for it.
import { effect } from "@preact/signals";
import { paintTimeline } from "../export/png";
import { makeLinks } from "../share/link";
import { titleOf } from "../state/source";
import * as s from "../state/store";
import { later } from "../text/later";
import { en } from "../text/en";
import { readPalette } from "../timeline/palette";
import "../styles/print.css";

const LINK_DELAY_MS = 500;

/** The link is made ahead: packing it takes a turn, and printing leaves none. */
let link = "";

function add<K extends keyof HTMLElementTagNameMap>(to: HTMLElement, tag: K, text = "", className = "") {
  const node = document.createElement(tag);
  node.textContent = text;
  node.className = className;
  to.append(node);
  return node;
}

/** The tiles as they stand, as terms and values. */
function addNumbers(sheet: HTMLElement): void {
  const list = add(sheet, "dl");
  for (const tile of document.querySelectorAll(".tile")) {
    const part = add(list, "div");
    add(part, "dt", tile.querySelector(".tile-label")?.textContent ?? "");
    const [value, unit] = [tile.querySelector(".tile-value"), tile.querySelector(".tile-value .unit")];
    const number = (value?.textContent ?? "").slice(0, -(unit?.textContent?.length ?? 0) || undefined);
    add(part, "dd", `${number} ${unit?.textContent ?? ""}`.trim());
  }
}

function addTimeline(sheet: HTMLElement): void {
  const root = document.documentElement;
  const theme = root.dataset.theme;
  root.dataset.theme = "light";
  const picture = add(sheet, "div", "", "sheet-timeline");
  picture.append(paintTimeline(readPalette()));
  if (theme === undefined) delete root.dataset.theme;
  else root.dataset.theme = theme;
}

function sheetOf(result: s.Result): HTMLElement {
  const sheet = document.createElement("article");
  sheet.className = "print-sheet";
  add(sheet, "h1", titleOf(result.text) || en.heading);
  addNumbers(sheet);
  addTimeline(sheet);
  add(sheet, "pre", result.text.trimEnd());
  const foot = add(sheet, "footer");
  if (link) add(foot, "a", link).href = link;
  add(foot, "p", later.printed(s.engine.peek(), result.facts.traceHash));
  return sheet;
}

export function wirePrint(): void {
  let sheet: HTMLElement | null = null;
  let timer = 0;
  effect(() => {
    s.result.value;
    clearTimeout(timer);
    timer = window.setTimeout(() => void makeLinks(true, false).then((made) => (link = made.link)), LINK_DELAY_MS);
  });
  addEventListener("beforeprint", () => {
    const result = s.result.peek();
    if (!result || sheet) return;
    sheet = sheetOf(result);
    document.body.append(sheet);
  });
  addEventListener("afterprint", () => {
    sheet?.remove();
    sheet = null;
  });
}
