// Diagnostics in the text: squiggles at their exact place, marks in the gutter, words on hover, F8 to go through.
import { type Extension, RangeSet, StateEffect, StateField } from "@codemirror/state";
import {
  type Command,
  Decoration,
  type DecorationSet,
  EditorView,
  gutter,
  GutterMarker,
  hoverTooltip,
} from "@codemirror/view";
import { en } from "../text/en";
import type { Diagnostic } from "../worker/protocol";
import { positionOf } from "./places";

class Mark extends GutterMarker {
  constructor(
    readonly severity: string,
    readonly words: string,
  ) {
    super();
  }
  override eq(other: Mark): boolean {
    return other.severity === this.severity && other.words === this.words;
  }
  override toDOM(): Node {
    const node = document.createElement("span");
    node.className = `cm-mark ${this.severity}`;
    node.textContent = this.severity === "error" ? "●" : "▲";
    node.title = this.words;
    return node;
  }
}

const RANK: Record<string, number> = { error: 0, warning: 1, info: 2 };

/** What was found at one place, worst first; it stands in the decoration that marks the place. */
interface Found {
  from: number;
  to: number;
  here: Diagnostic[];
}

const setFound = StateEffect.define<DecorationSet>();

/** Marks move with the text until it is checked again. */
const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { changes, effects }) {
    const moved = marks.map(changes);
    return effects.reduce((now, effect) => (effect.is(setFound) ? effect.value : now), moved);
  },
  provide: (own) => EditorView.decorations.from(own),
});

function foundIn(marks: DecorationSet, from = 0, to = Number.MAX_SAFE_INTEGER): Found[] {
  const found: Found[] = [];
  marks.between(from, to, (start, end, { spec }) => void found.push({ from: start, to: end, here: spec.here }));
  return found;
}

const marks = gutter({
  class: "cm-marks",
  markers(view) {
    const worst = new Map<number, Mark>();
    for (const { from, here } of foundIn(view.state.field(field))) {
      const line = view.state.doc.lineAt(Math.min(from, view.state.doc.length)).from;
      const old = worst.get(line);
      const [{ severity, message }] = here;
      if (!old || RANK[severity] < RANK[old.severity]) worst.set(line, new Mark(severity, message));
    }
    return RangeSet.of([...worst].sort(([a], [b]) => a - b).map(([line, mark]) => mark.range(line)));
  },
  lineMarkerChange: (update) =>
    update.docChanged || update.transactions.some((t) => t.effects.some((e) => e.is(setFound))),
});

function card(view: EditorView, { from, to, here }: Found): HTMLElement {
  const node = document.createElement("div");
  node.className = "cm-doc";
  for (const { message, hint, fix } of here) {
    for (const [text, className] of [
      [message, ""],
      [hint, "muted"],
    ]) {
      const line = document.createElement("p");
      line.textContent = text;
      line.className = className;
      if (text) node.append(line);
    }
    if (!fix) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = en.fix(fix);
    button.onclick = () => view.dispatch({ changes: { from, to, insert: fix } });
    node.append(button);
  }
  return node;
}

const words = hoverTooltip((view, pos) => {
  const [found] = foundIn(view.state.field(field), pos, pos);
  return found ? { pos: found.from, end: found.to, above: true, create: () => ({ dom: card(view, found) }) } : null;
});

/** One entry a place, since several may be found at one. Without letters it takes the next, or the last, of its line. */
function placed(text: string, all: Diagnostic[]): Found[] {
  const places = new Map<string, Found>();
  for (const d of all.filter(({ line }) => line > 0).sort((a, b) => RANK[a.severity] - RANK[b.severity])) {
    let from = positionOf(text, d.line, d.column);
    let to = Math.max(positionOf(text, d.end_line, d.end_column), from);
    if (from === to && (text[to] ?? "\n") !== "\n") to++;
    else if (from === to && from > 0) from--;
    if (from === to) continue;
    const key = `${from}-${to}`;
    const known = places.get(key);
    if (known) known.here.push(d);
    else places.set(key, { from, to, here: [d] });
  }
  return [...places.values()];
}

/** Shows diagnostics that speak of exactly `text`; those of an older text are left where they moved to. */
export function showDiagnostics(view: EditorView, text: string, all: Diagnostic[]): void {
  if (view.state.doc.toString() !== text) return;
  const ranges = placed(text, all).map(({ from, to, here }) =>
    Decoration.mark({ class: `cm-lintRange cm-lintRange-${here[0].severity}`, here }).range(from, to),
  );
  view.dispatch({ effects: setFound.of(Decoration.set(ranges, true)) });
}

const step =
  (forward: boolean): Command =>
  (view) => {
    const starts = foundIn(view.state.field(field)).map(({ from }) => from);
    if (starts.length === 0) return false;
    const { head } = view.state.selection.main;
    const next = forward
      ? (starts.find((at) => at > head) ?? starts[0])
      : (starts.findLast((at) => at < head) ?? starts[starts.length - 1]);
    view.dispatch({ selection: { anchor: next }, effects: EditorView.scrollIntoView(next, { y: "center" }) });
    return true;
  };

export const nextProblem = step(true);
export const previousProblem = step(false);
export const problemMarks: Extension = [field, marks, words];
