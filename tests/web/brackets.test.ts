// Brackets and indentation without a grammar.
import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { getIndentation, IndentContext, indentService, matchBrackets } from "../../web/src/editor/no_grammar";

const text = "a: [1, {b: (2)}, 3]  # ]";
const at = (part: string) => text.indexOf(part);
const state = EditorState.create({ doc: text });
const closes = (from: number, direction: 1 | -1) => matchBrackets(state, from, direction)?.end?.from;

describe("brackets", () => {
  it("finds the partner of each, in both directions", () => {
    expect(closes(at("["), 1)).toBe(at("]"));
    expect(closes(at("]") + 1, -1)).toBe(at("["));
    expect(closes(at("{"), 1)).toBe(at("}"));
    expect(closes(at("("), 1)).toBe(at(")"));
    expect(closes(at("}") + 1, -1)).toBe(at("{"));
  });
  it("says when there is none, or another kind", () => {
    expect(matchBrackets(state, 0, 1)).toBeNull();
    expect(matchBrackets(state, 0, -1)).toBeNull();
    expect(matchBrackets(state, text.length, 1)).toBeNull();
    expect(matchBrackets(state, text.length, -1)).toEqual({
      start: { from: text.length - 1, to: text.length },
      matched: false,
    });
    const wrong = EditorState.create({ doc: "[1)" });
    expect(matchBrackets(wrong, 0, 1)).toMatchObject({ end: { from: 2 }, matched: false });
  });
});

describe("indentation", () => {
  it("asks the first service that knows", () => {
    const asked = EditorState.create({
      doc: "a:\n    b: 1",
      extensions: [indentService.of(() => undefined), indentService.of((context, pos) => context.lineIndent(pos) + 2)],
    });
    expect(getIndentation(new IndentContext(asked), 5)).toBe(6);
    expect(getIndentation(new IndentContext(state), 0)).toBeNull();
  });
  it("knows a line's columns, and what was decided for it", () => {
    const two = EditorState.create({ doc: "a:\n    b: 1" });
    expect(new IndentContext(two).lineIndent(5)).toBe(4);
    expect(new IndentContext(two, { overrideIndentation: () => 2 }).lineIndent(5)).toBe(2);
    expect(new IndentContext(two, { simulateBreak: 2 }).simulatedBreak).toBe(2);
  });
});
