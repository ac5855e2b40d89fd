// Colours of the text: of its keys, numbers, quoted words, comments and signs, where they are in sight.
import { type Extension, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { type Mark, shapeOf } from "./yaml";

const decoration = (type: Mark[2]) => Decoration.mark({ class: `cm-${type}` });
const LOOKS = {
  key: decoration("key"),
  number: decoration("number"),
  string: decoration("string"),
  comment: decoration("comment"),
  sign: decoration("sign"),
};

function visible(view: EditorView, marks: Mark[]): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const [from, to, type] of marks) {
    if (view.visibleRanges.some((range) => from < range.to && to > range.from)) builder.add(from, to, LOOKS[type]);
  }
  return builder.finish();
}

const plugin = ViewPlugin.fromClass(
  class {
    marks: Mark[];
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.marks = shapeOf(view.state.doc.toString()).marks;
      this.decorations = visible(view, this.marks);
    }
    update(update: ViewUpdate) {
      if (update.docChanged) this.marks = shapeOf(update.state.doc.toString()).marks;
      if (update.docChanged || update.viewportChanged) this.decorations = visible(update.view, this.marks);
    }
  },
  { decorations: (value) => value.decorations },
);

export const colours: Extension = plugin;
