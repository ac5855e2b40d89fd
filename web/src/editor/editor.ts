// The editor: CodeMirror with a hand-picked set of parts, in a shadow root so that a strict policy on styles holds.
// The text in the store follows the editor; texts from elsewhere come in as one undo step.
import { acceptCompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentLess,
  indentMore,
  isolateHistory,
  toggleComment,
  undo,
} from "@codemirror/commands";
import { EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  tooltips,
} from "@codemirror/view";
import { effect } from "@preact/signals";
import { worker } from "../state/run";
import { loadSchedules, schedules } from "../state/schedule_list";
import { attachEditor, jump, replaceText } from "../state/source";
import * as s from "../state/store";
import { en } from "../text/en";
import { colours } from "./colours";
import { completion, setSchedules } from "./complete";
import { bracketMatching, indentService, indentUnit } from "./no_grammar";
import { indentAfter } from "./path";
import { positionOf } from "./places";
import { nextProblem, previousProblem, problemMarks, showDiagnostics } from "./problems";
import { schema } from "./schema";
import { theme } from "./theme";
import { tidied } from "./tidy";

export { Problems } from "../panels/problems";
export { QuickControls } from "../quick/controls";

/** After Escape, the next Tab moves the focus on instead of indenting. */
let leaving = false;
const leave = () => {
  leaving = true;
  return false;
};
const tab = (shift: boolean) => (view: EditorView) => {
  if (leaving) return false;
  return (shift ? indentLess : indentMore)(view);
};

const tidy = ({ state }: EditorView) => {
  replaceText(tidied(state.doc.toString()));
  return true;
};

const keys = keymap.of([
  { key: "Escape", run: leave },
  { key: "Tab", run: (view) => acceptCompletion(view) || tab(false)(view), shift: tab(true) },
  { key: "F8", run: nextProblem, shift: previousProblem },
  { key: "Mod-/", run: toggleComment },
  { key: "Shift-Alt-f", run: tidy },
  ...closeBracketsKeymap,
  ...completionKeymap,
  ...historyKeymap,
  ...defaultKeymap,
]);

/**
 * Typing over a selection of several lines. Left to itself, the browser keeps the looks of the first line in a style
 * attribute, which a strict policy refuses.
 */
function replaceLines(event: InputEvent, view: EditorView): boolean {
  const { main } = view.state.selection;
  const { doc } = view.state;
  if (event.inputType !== "insertText" || event.isComposing || !event.data) return false;
  if (doc.lineAt(main.from).number === doc.lineAt(main.to).number) return false;
  event.preventDefault();
  view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
  return true;
}

const extensions = [
  lineNumbers(),
  problemMarks,
  highlightActiveLine(),
  highlightActiveLineGutter(),
  history(),
  drawSelection(),
  indentUnit.of("  "),
  EditorState.tabSize.of(2),
  bracketMatching(),
  closeBrackets(),
  EditorState.languageData.of(() => [{ commentTokens: { line: "#" } }]),
  // Lines that stand already keep their indent: only their writer knows what they belong to.
  indentService.of(({ state, simulatedBreak }, pos) =>
    simulatedBreak === null ? null : indentAfter(state.doc.toString(), pos),
  ),
  colours,
  completion,
  keys,
  theme,
  tooltips({ position: "fixed" }),
  EditorView.contentAttributes.of({
    "aria-label": en.editorLabel,
    tabindex: "0",
    spellcheck: "false",
    autocapitalize: "off",
  }),
  EditorView.domEventHandlers({
    beforeinput: replaceLines,
    keydown: (event) => {
      if (event.key !== "Escape" && event.key !== "Tab" && event.key !== "Shift") leaving = false;
      return false;
    },
    blur: () => void (leaving = false),
  }),
  EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    s.text.value = update.state.doc.toString();
  }),
];

/** The smallest single change from one text to another, so that the cursor stays where it can. */
function difference(old: string, now: string): { from: number; to: number; insert: string } {
  let from = 0;
  const shortest = Math.min(old.length, now.length);
  while (from < shortest && old[from] === now[from]) from++;
  let tail = 0;
  while (tail < shortest - from && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  return { from, to: old.length - tail, insert: now.slice(from, now.length - tail) };
}

export function mountEditor(host: HTMLElement): () => void {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({ doc: s.text.peek(), extensions }),
  });
  attachEditor({
    replace: (text) =>
      view.dispatch({
        changes: difference(view.state.doc.toString(), text),
        annotations: isolateHistory.of("full"),
      }),
    undo: () => void undo(view),
  });
  const stops = [
    effect(() => {
      const found = s.diagnostics.value;
      const text = s.checkedText.value;
      queueMicrotask(() => showDiagnostics(view, text, found));
    }),
    effect(() => {
      const target = jump.value;
      if (!target) return;
      s.phoneTab.value = "edit";
      queueMicrotask(() => {
        jump.value = null;
        const at = positionOf(view.state.doc.toString(), target.line, target.column);
        view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
        view.focus();
      });
    }),
  ];
  loadSchedules();
  stops.push(effect(() => setSchedules(schedules.value)));
  void worker()
    .schema()
    .then((text) => text && (schema.value = JSON.parse(text)))
    .catch(() => undefined);
  return () => {
    for (const stop of stops) stop();
    attachEditor(null);
    view.destroy();
  };
}
