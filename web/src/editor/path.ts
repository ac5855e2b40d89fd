// Where a position stands in a YAML text: the keys above it, whether a key or a value is wanted, and what is typed.
// Where a text is being written its indentation tells; what is finished is found in its shape.
import { type Node, shapeOf } from "./yaml";

export interface Place {
  /** Keys from the top; items of lists are "[]". */
  path: string[];
  wants: "key" | "value";
  /** Start of the word that would be replaced. */
  from: number;
  /** Keys that already stand beside this place. */
  siblings: string[];
}

const ITEM = "[]";
const WORD = /[\w.\-/+]*$/;

/** The innermost `{` or `[` that is still open before `pos`, looking back over its own block only. */
function openBracket(doc: string, pos: number): { at: number; type: "{" | "[" } | null {
  const stack: { at: number; type: "{" | "[" }[] = [];
  let quote = "";
  let comment = false;
  for (let i = Math.max(0, pos - 4000); i < pos; i++) {
    const c = doc[i];
    if (c === "\n") {
      comment = false;
      quote = "";
    } else if (comment) continue;
    else if (quote) {
      if (c === quote) quote = "";
    } else if ((c === '"' || c === "'") && /[\s{[,:]/.test(doc[i - 1] ?? " ")) quote = c;
    else if (c === "#" && /\s/.test(doc[i - 1] ?? " ")) comment = true;
    else if (c === "{" || c === "[") stack.push({ at: i, type: c });
    else if (c === "}" || c === "]") stack.pop();
  }
  return stack.at(-1) ?? null;
}

interface Line {
  indent: number;
  /** Column of what follows the dashes; equals `indent` without any. */
  content: number;
  dash: boolean;
  key: string | null;
  /** Something stands after the colon. */
  filled: boolean;
}

function readLine(text: string): Line | null {
  const match = text.match(/^(\s*)((?:-\s+)*)(?:("[^"]*"|'[^']*'|[^\s#:{[][^:#]*?)\s*:(?=\s|$)\s*([^#]*))?/);
  if (!match || /^\s*(#|$)/.test(text)) return null;
  const indent = match[1].length;
  return {
    indent,
    content: indent + match[2].length,
    dash: match[2].length > 0 || /^\s*-$/.test(text),
    key: match[3]?.replace(/^["']|["']$/g, "") ?? null,
    filled: Boolean(match[4]?.trim()),
  };
}

/** Keys that enclose a key at `column`, looking upwards from line `below`; and the keys beside it. */
function blockPath(lines: string[], below: number, column: number): { path: string[]; siblings: string[] } {
  const path: string[] = [];
  const siblings: string[] = [];
  let limit = column;
  let beside = true;
  for (let i = below; i >= 0 && limit > 0; i--) {
    const line = readLine(lines[i]);
    if (!line) continue;
    if (line.content === limit && line.key !== null && beside) siblings.push(line.key);
    if (line.dash && line.content === limit) {
      // A sibling that opens the list item: what encloses it stands further left.
      path.unshift(ITEM);
      beside = false;
      limit = line.indent + 1;
    }
    if (line.content < limit && line.key !== null && !(line.dash && line.indent + 1 === limit)) {
      if (line.filled && line.content < column) return { path: [], siblings: [] };
      path.unshift(line.key);
      beside = false;
      limit = line.content;
      if (line.dash) {
        path.unshift(ITEM);
        limit = line.indent + 1;
      }
    }
  }
  if (column === 0) {
    for (const text of lines) {
      const line = readLine(text);
      if (line && line.indent === 0 && line.key !== null) siblings.push(line.key);
    }
  }
  return { path, siblings };
}

function inFlow(doc: string, pos: number, bracket: { at: number; type: "{" | "[" }): Place {
  const outer = placeAt(doc, bracket.at);
  const base = outer.wants === "value" ? outer.path : [...outer.path];
  const inside = doc.slice(bracket.at + 1, pos);
  const last = inside.slice(Math.max(inside.lastIndexOf(","), inside.lastIndexOf("\n")) + 1);
  const from = pos - (inside.match(WORD)?.[0].length ?? 0);
  if (bracket.type === "[") return { path: [...base, ITEM], wants: "value", from, siblings: [] };
  const siblings = [
    ...doc
      .slice(bracket.at + 1)
      .split("}")[0]
      .matchAll(/([\w.-]+)\s*:/g),
  ].map((m) => m[1]);
  const pair = last.match(/^\s*([\w.-]+)\s*:\s/);
  if (pair) return { path: [...base, pair[1]], wants: "value", from, siblings };
  return { path: base, wants: "key", from, siblings };
}

export function placeAt(doc: string, pos: number): Place {
  const bracket = openBracket(doc, pos);
  if (bracket) return inFlow(doc, pos, bracket);
  const start = doc.lastIndexOf("\n", pos - 1) + 1;
  const before = doc.slice(start, pos);
  const lines = doc.slice(0, start).split("\n").slice(0, -1);
  const from = pos - (before.match(WORD)?.[0].length ?? 0);
  const line = readLine(before);
  const dashes = before.match(/^(\s*)((?:-\s+)*)/) as RegExpMatchArray;
  const column = dashes[0].length;
  if (line?.key) {
    const { path } = enclosing(lines, dashes, column);
    return { path: [...path, line.key], wants: "value", from, siblings: [] };
  }
  const { path, siblings } = enclosing(lines, dashes, column);
  // "- word": a list of plain values, or of mappings whose first key is being typed.
  return { path, wants: "key", from, siblings };
}

/** What encloses a key that starts at `column`, with the dashes of its own line counted. */
function enclosing(lines: string[], dashes: RegExpMatchArray, column: number) {
  const dash = dashes[2].length > 0;
  if (!dash) return blockPath(lines, lines.length - 1, column);
  // The list may stand at the indentation of its key.
  const { path } = blockPath(lines, lines.length - 1, dashes[1].length + 1);
  return { path: path.at(-1) === ITEM ? path : [...path, ITEM], siblings: [] as string[] };
}

interface Found {
  path: string[];
  from: number;
  to: number;
}

function within(node: Node | null, pos: number, path: string[]): Found | null {
  if (!node || pos < node.from || pos > node.to) return null;
  for (const { from, keyEnd, key, value } of node.pairs) {
    const own = [...path, key];
    if (pos >= from && pos <= keyEnd) return { path: own, from, to: keyEnd };
    const found = within(value, pos, own);
    if (found) return found;
  }
  for (const { value } of node.items) {
    const found = within(value, pos, [...path, ITEM]);
    if (found) return found;
  }
  const single = node.type === "plain" || node.type === "quoted";
  return single && path.length > 0 ? { path, from: node.from, to: node.to } : null;
}

/** The key or value under a position of a finished text, for hover: its path and extent. */
export const keyAt = (doc: string, pos: number): Found | null => within(shapeOf(doc).top, pos, []);

/** Indent of a line that is begun at `pos`: that of the line above, two more below a key whose value is to come. */
export function indentAfter(doc: string, pos: number): number {
  const above = doc.slice(doc.lastIndexOf("\n", pos - 1) + 1, pos);
  const line = readLine(above);
  if (!line) return above.search(/\S|$/);
  const opens = line.key !== null && /:\s*([|>][+-]?\s*)?(\s#.*)?$/.test(above);
  return opens ? line.content + 2 : line.content;
}
