// YAML's grammar has one node for every plain value, so numbers are coloured here: a plain value that is one.
import { syntaxTree } from "@codemirror/language";
import { type Extension, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const mark = Decoration.mark({ class: "cm-number" });

function marks(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter(node) {
        if (node.name !== "Literal" || node.node.parent?.name === "Key") return;
        if (NUMBER.test(view.state.sliceDoc(node.from, node.to))) builder.add(node.from, node.to, mark);
      },
    });
  }
  return builder.finish();
}

const plugin = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = marks(view);
    }
    update(update: ViewUpdate) {
      if (update.docChanged || update.viewportChanged || syntaxTree(update.state) !== syntaxTree(update.startState)) {
        this.decorations = marks(update.view);
      }
    }
  },
  { decorations: (value) => value.decorations },
);

export const numbers: Extension = [
  plugin,
  EditorView.theme({ ".cm-number, .cm-number *": { color: "var(--code-number)" } }),
];
