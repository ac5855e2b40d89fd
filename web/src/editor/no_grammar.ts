// What CodeMirror's commands and completion ask of a grammar, where there is none: the build puts this in place of
// `@codemirror/language` and `@lezer/common`, a fifth of the editor, which serve grammars alone. Indentation is asked of
// the editor's own service, brackets are found in the text, and the tree is one node without children.
import { countColumn, type EditorState, type Extension, Facet, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";

/** Of a node's type; the only node has none of them. */
export const NodeProp = { closedBy: "closedBy", openedBy: "openedBy" };

const nothing = () => undefined;
const none = () => null;
const node = {
  name: "",
  type: { name: "", prop: nothing },
  from: 0,
  to: 0,
  parent: null,
  firstChild: null,
  childBefore: none,
  childAfter: none,
};
const tree = { resolveInner: () => node, resolveStack: () => ({ node, next: null }) };
export const syntaxTree = () => tree;

// --- Indentation: spaces only, as YAML wants it.

export const indentUnit = Facet.define<string, string>({ combine: (units) => units[0] ?? "  " });
export const getIndentUnit = (state: EditorState) => state.facet(indentUnit).length;
export const indentString = (_state: EditorState, columns: number) => " ".repeat(columns);

type IndentService = (context: IndentContext, pos: number) => number | null | undefined;
export const indentService = Facet.define<IndentService>();

interface IndentOptions {
  simulateBreak?: number;
  overrideIndentation?: (from: number) => number;
}

export class IndentContext {
  constructor(
    readonly state: EditorState,
    private readonly options: IndentOptions = {},
  ) {}
  get simulatedBreak(): number | null {
    return this.options.simulateBreak ?? null;
  }
  /** Columns before the text of the line at `pos`. */
  lineIndent(pos: number): number {
    const { text, from } = this.state.doc.lineAt(pos);
    const decided = this.options.overrideIndentation?.(from) ?? -1;
    return decided >= 0 ? decided : countColumn(text, this.state.tabSize, text.search(/\S|$/));
  }
}

export function getIndentation(context: IndentContext, pos: number): number | null {
  for (const service of context.state.facet(indentService)) {
    const found = service(context, pos);
    if (found !== undefined) return found;
  }
  return null;
}

// --- Brackets

interface Bracket {
  from: number;
  to: number;
}
interface Match {
  start: Bracket;
  end?: Bracket;
  matched: boolean;
}

const BRACKETS = "()[]{}";
/** Characters that are looked through for the other one. */
const REACH = 10_000;

/** The bracket beside `pos` that opens to the right (direction 1) or to the left (-1), and the one that closes it. */
export function matchBrackets(state: EditorState, pos: number, direction: 1 | -1): Match | null {
  const forward = direction > 0;
  const at = forward ? pos : pos - 1;
  const opens = (c: string) => c !== "" && BRACKETS.includes(c) && (BRACKETS.indexOf(c) % 2 === 0) === forward;
  const first = at < 0 ? "" : state.sliceDoc(at, at + 1);
  if (!opens(first)) return null;
  const start = { from: at, to: at + 1 };
  const low = forward ? at : Math.max(0, pos - REACH);
  const text = state.sliceDoc(low, forward ? at + REACH : pos);
  let depth = 0;
  for (let i = at - low; i >= 0 && i < text.length; i += direction) {
    const c = text[i];
    if (!BRACKETS.includes(c)) continue;
    depth += opens(c) ? 1 : -1;
    if (depth > 0) continue;
    const matched = BRACKETS.indexOf(c) >> 1 === BRACKETS.indexOf(first) >> 1;
    return { start, end: { from: low + i, to: low + i + 1 }, matched };
  }
  return { start, matched: false };
}

const marks = [false, true].map((fits) =>
  Decoration.mark({ class: fits ? "cm-matchingBracket" : "cm-nonmatchingBracket" }),
);

function marked(state: EditorState): DecorationSet {
  const found = state.selection.ranges.flatMap(({ empty, head }) => {
    const match = empty ? (matchBrackets(state, head, -1) ?? matchBrackets(state, head, 1)) : null;
    if (!match) return [];
    return [match.start, ...(match.end ? [match.end] : [])].map(({ from, to }) =>
      marks[Number(match.matched)].range(from, to),
    );
  });
  return Decoration.set(found, true);
}

/** Marks the bracket beside the cursor and the one it belongs to. */
export const bracketMatching = (): Extension =>
  StateField.define<DecorationSet>({
    create: marked,
    update: (now, change) => (change.docChanged || change.selection ? marked(change.state) : now),
    provide: (field) => EditorView.decorations.from(field),
  });
