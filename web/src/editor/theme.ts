// The look of the text: sizes and colours from the tokens, which reach into the shadow root the editor lives in.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const look = EditorView.theme({
  "&": {
    height: "100%",
    color: "var(--text)",
    backgroundColor: "var(--surface)",
    fontSize: "var(--editor-size, var(--size-2))",
  },
  "&.cm-focused": { outline: "none", boxShadow: "inset 0 0 0 2px var(--focus)" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { padding: "4px 0", caretColor: "var(--text)" },
  ".cm-line": { padding: "0 12px 0 4px" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--text-faint)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.25rem", padding: "0", textAlign: "right" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--sunken)" },
  ".cm-marks": { width: "1rem" },
  ".cm-marks .cm-gutterElement": { display: "grid", placeItems: "center", lineHeight: "1" },
  ".cm-mark": { fontSize: "0.6rem", fontWeight: "700" },
  ".cm-mark.error": { color: "var(--error)" },
  ".cm-mark.warning, .cm-mark.info": { color: "var(--warning)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--selection)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "transparent",
    outline: "1px solid var(--line-control)",
  },
  ".cm-lintRange": {
    backgroundImage: "none !important",
    paddingBottom: "0",
    textDecorationLine: "underline",
    textDecorationStyle: "wavy",
    textDecorationThickness: "1px",
    textUnderlineOffset: "3px",
    textDecorationSkipInk: "none",
  },
  ".cm-lintRange-error": { textDecorationColor: "var(--error)" },
  ".cm-lintRange-warning, .cm-lintRange-info": { textDecorationColor: "var(--warning)" },
  ".cm-lintRange-active": { backgroundColor: "transparent" },
  ".cm-tooltip": {
    maxWidth: "26rem",
    border: "1px solid var(--line-strong)",
    borderRadius: "5px",
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    boxShadow: "var(--shadow-pop)",
    font: "var(--size-2)/1.45 var(--font-ui)",
  },
  ".cm-diagnostic": { padding: "6px 10px", borderLeft: "3px solid var(--error)" },
  ".cm-diagnostic-warning, .cm-diagnostic-info": { borderLeftColor: "var(--warning)" },
  ".cm-diagnosticAction": {
    margin: "4px 0 0",
    padding: "2px 8px",
    border: "1px solid var(--line-control)",
    borderRadius: "5px",
    backgroundColor: "var(--surface)",
    color: "var(--text)",
    font: "inherit",
    cursor: "pointer",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--font-mono)", maxHeight: "16em" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "2px 8px !important" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent-soft) !important",
    color: "var(--text) !important",
  },
  ".cm-completionLabel": { color: "var(--text)" },
  ".cm-completionDetail": { color: "var(--text-muted)", fontStyle: "normal", marginLeft: "1em" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600" },
  ".cm-completionInfo": { padding: "6px 10px" },
  ".cm-doc": { padding: "6px 10px" },
  ".cm-doc code": { fontFamily: "var(--font-mono)" },
  ".cm-doc p": { margin: "0 0 2px" },
  ".cm-doc .muted": { color: "var(--text-muted)" },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-key)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: "var(--code-punct)" },
]);

export const theme = [look, syntaxHighlighting(colours)];
