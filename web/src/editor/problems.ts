// Diagnostics in the text: squiggles at their exact place, marks in the gutter, words on hover, F8 to go through.
import { type Diagnostic as Lint, forEachDiagnostic, setDiagnostics, setDiagnosticsEffect } from "@codemirror/lint";
import { type Extension, RangeSet } from "@codemirror/state";
import { type Command, EditorView, gutter, GutterMarker } from "@codemirror/view";
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

const marks = gutter({
  class: "cm-marks",
  markers(view) {
    const worst = new Map<number, Mark>();
    forEachDiagnostic(view.state, (d, from) => {
      const line = view.state.doc.lineAt(Math.min(from, view.state.doc.length)).from;
      const old = worst.get(line);
      if (!old || RANK[d.severity] < RANK[old.severity]) worst.set(line, new Mark(d.severity, d.message));
    });
    return RangeSet.of([...worst].sort(([a], [b]) => a - b).map(([line, mark]) => mark.range(line)));
  },
  lineMarkerChange: (update) =>
    update.docChanged || update.transactions.some((t) => t.effects.some((e) => e.is(setDiagnosticsEffect))),
});

function toLint(text: string, d: Diagnostic): Lint {
  const from = d.line > 0 ? positionOf(text, d.line, d.column) : 0;
  const end = d.line > 0 ? positionOf(text, d.end_line, d.end_column) : 0;
  const to = Math.max(end, from);
  return {
    from,
    to,
    severity: d.severity,
    message: d.hint ? `${d.message}\n${d.hint}` : d.message,
    actions: d.fix
      ? [
          {
            name: en.fix(d.fix),
            apply: (view, a, b) => view.dispatch({ changes: { from: a, to: b, insert: d.fix } }),
          },
        ]
      : [],
  };
}

/** Shows diagnostics that speak of exactly `text`; those of an older text are left where they moved to. */
export function showDiagnostics(view: EditorView, text: string, found: Diagnostic[]): void {
  if (view.state.doc.toString() !== text) return;
  const lints = found.filter((d) => d.line > 0).map((d) => toLint(text, d));
  view.dispatch(setDiagnostics(view.state, lints));
}

const step =
  (forward: boolean): Command =>
  (view) => {
    const starts: number[] = [];
    forEachDiagnostic(view.state, (_d, from) => void starts.push(from));
    if (starts.length === 0) return false;
    starts.sort((a, b) => a - b);
    const { head } = view.state.selection.main;
    const next = forward
      ? (starts.find((at) => at > head) ?? starts[0])
      : (starts.findLast((at) => at < head) ?? starts[starts.length - 1]);
    view.dispatch({ selection: { anchor: next }, effects: EditorView.scrollIntoView(next, { y: "center" }) });
    return true;
  };

export const nextProblem = step(true);
export const previousProblem = step(false);
export const problemMarks: Extension = marks;
