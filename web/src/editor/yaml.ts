// Reads the shape of a YAML text: mappings, lists and single values with their places, for edits that leave everything
// else as it is, for hover and for colours. What is unfinished is read as far as it goes; what a text means, and
// whether it is right, is the module's business.

export interface Pair {
  from: number;
  to: number;
  /** As it is written, without quotes. */
  key: string;
  /** Where the written key ends, and the place behind the colon. */
  keyEnd: number;
  colon: number;
  value: Node | null;
}

/** An item of a list, from its dash on; in brackets it begins with its value. */
export interface Item {
  from: number;
  to: number;
  value: Node | null;
}

/** Behind anchors and tags. "text" is a block behind | or >. */
export interface Node {
  type: "mapping" | "list" | "plain" | "quoted" | "text";
  /** In braces or brackets. */
  flow: boolean;
  /** The name that aliases know it by, or "". */
  anchor: string;
  from: number;
  to: number;
  pairs: Pair[];
  items: Item[];
}

export type Mark = [from: number, to: number, type: "key" | "number" | "string" | "comment" | "sign"];

export interface Shape {
  top: Node | null;
  /** What has a colour of its own, in order. */
  marks: Mark[];
}

/** Deeper than any scenario; what lies deeper is not read, since each level takes its part of the stack. */
const MAX_DEPTH = 100;
const NUMBER = /^([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)$/;

/** Each looks at one place only, where its lastIndex is; blanks at the end of a plain value are cut off later. */
const BLANK = /\s*/y;
const LINE_BLANK = /[ \t\r]*/y;
const NEXT_LINE = /[ \t]*\r?\n\s*/y;
const PROPERTY = /[&!][^\s,[\]{}]*/y;
const DOCUMENT_SIGN = /(?:---|\.\.\.)(?=\s|$)/y;
const DIRECTIVE = /%.*|---(?=\s|$)/y;
const PLAIN = /(?:[^\s:]+|:(?!\s|$)|[ \t]+(?=[^\s#]))+/my;
const FLOW_PLAIN = /(?:[^\s,[\]{}:]+|:(?![\s,[\]{}]|$)|[ \t]+(?=[^\s#]))+/my;
const DOUBLE = /"(?:[^"\\]|\\[^])*"?/y;
const SINGLE = /'(?:[^']|'')*'?/y;
const BLOCK_SIGN = /[|>][+\-\d]*[ \t]*(?:#.*)?$/my;

export const unquoted = (text: string): string => text.trim().replace(/^(["'])([^]*)\1$/, "$2");

class Reader {
  at = 0;
  depth = 0;
  marks: Mark[] = [];
  constructor(private text: string) {}

  private node(type: Node["type"], from: number, flow = false): Node {
    return { type, flow, anchor: "", from, to: from, pairs: [], items: [] };
  }
  private column(at: number): number {
    return at - (this.text.lastIndexOf("\n", at - 1) + 1);
  }
  private mark(type: Mark[2], from: number, to = from + 1): void {
    this.marks.push([from, to, type]);
  }
  private blankAt(at: number): boolean {
    return at >= this.text.length || " \t\r\n".includes(this.text[at]);
  }
  private endOfLine(at: number): number {
    const end = this.text.indexOf("\n", at);
    return end < 0 ? this.text.length : end;
  }
  /** Length of what is looked for if it stands here, else -1. */
  private ahead(sticky: RegExp): number {
    sticky.lastIndex = this.at;
    return sticky.test(this.text) ? sticky.lastIndex - this.at : -1;
  }

  /** Past a line that has no place where it stands. */
  private pass(): void {
    this.at = this.endOfLine(this.at);
    this.skip();
  }

  /** To the next that is neither blank nor comment; on this line alone when asked so. */
  private skip(lineOnly = false): void {
    for (;;) {
      this.at += this.ahead(lineOnly ? LINE_BLANK : BLANK);
      if (this.text[this.at] !== "#" || (this.at > 0 && !this.blankAt(this.at - 1))) return;
      const end = this.endOfLine(this.at);
      this.mark("comment", this.at, end);
      this.at = end;
    }
  }
  /** Past anchors and tags; the name of the anchor, or "". */
  private properties(): string {
    let anchor = "";
    while ("&!".includes(this.text[this.at] ?? " ")) {
      const from = this.at;
      this.at += this.ahead(PROPERTY);
      if (this.text[from] === "&") anchor = this.text.slice(from + 1, this.at);
      this.skip();
    }
    return anchor;
  }
  private named(node: Node | null, anchor: string): Node | null {
    if (node) node.anchor = anchor;
    return node;
  }
  private get over(): boolean {
    if (this.at >= this.text.length) return true;
    return "-.".includes(this.text[this.at]) && this.column(this.at) === 0 && this.ahead(DOCUMENT_SIGN) > 0;
  }
  private get dash(): boolean {
    return this.text[this.at] === "-" && this.blankAt(this.at + 1);
  }

  document(): Node | null {
    this.skip();
    for (let length = this.ahead(DIRECTIVE); length > 0; length = this.ahead(DIRECTIVE)) {
      this.at += length;
      this.skip();
    }
    return this.block(-1);
  }

  /** What stands deeper than column `above`, from here or a later line on; null when nothing does. */
  private block(above: number): Node | null {
    this.skip();
    const column = this.column(this.at);
    if (this.over || column <= above || this.depth >= MAX_DEPTH) return null;
    this.depth++;
    const found = this.dash ? this.list(column) : this.keyHere(false) ? this.mapping(column) : this.value(above);
    this.depth--;
    return found;
  }

  /** The extent of a key that begins here, or null when what begins here is none. */
  private keyHere(flow: boolean): { end: number; colon: number } | null {
    const start = this.at;
    const known = this.marks.length;
    if (this.text[start] === "&" || this.text[start] === "!") this.properties();
    const first = this.text[this.at];
    const quoted = first === '"' || first === "'";
    // No scenario has collections for keys.
    const none = first === "{" || first === "[";
    if (quoted) this.quoted(first);
    else this.at += this.plainLength(flow);
    const end = this.at;
    if (flow && quoted) this.skip();
    else this.at += this.ahead(LINE_BLANK);
    const colon = this.at;
    this.at = start;
    while (this.marks.length > known) this.marks.pop();
    if (none || this.text[colon] !== ":" || (quoted && !flow && this.text.slice(start, end).includes("\n"))) return null;
    if (this.blankAt(colon + 1) || (flow && (quoted || ",[]{}".includes(this.text[colon + 1])))) return { end, colon };
    return null;
  }

  /** Length of a plain value on this line, without blanks behind it. */
  private plainLength(flow: boolean): number {
    let end = this.at + this.ahead(flow ? FLOW_PLAIN : PLAIN);
    while (end > this.at && this.blankAt(end - 1)) end--;
    return Math.max(0, end - this.at);
  }

  private mapping(column: number): Node {
    const out = this.node("mapping", this.at);
    while (!this.over && this.column(this.at) >= column) {
      const pair = this.column(this.at) === column && !this.dash ? this.pair(column, false) : null;
      if (!pair) {
        this.pass();
        continue;
      }
      out.pairs.push(pair);
      out.to = pair.to;
      this.skip();
    }
    return out;
  }

  private pair(column: number, flow: boolean): Pair | null {
    const found = this.keyHere(flow);
    if (!found) return null;
    const { end, colon } = found;
    const out: Pair = {
      from: this.at,
      to: colon + 1,
      key: unquoted(this.text.slice(this.at, end).replace(/^([&!]\S*\s+)+/, "")),
      keyEnd: end,
      colon: colon + 1,
      value: null,
    };
    this.mark("key", this.at, end);
    this.mark("sign", colon);
    this.at = colon + 1;
    out.value = flow ? this.flowValue() : this.under(column);
    if (out.value) out.to = out.value.to;
    return out;
  }

  /** What belongs to a key in `column`, from behind its colon on. */
  private under(column: number): Node | null {
    this.skip(true);
    const start = this.at;
    const anchor = this.properties();
    if (this.text.slice(start, this.at).includes("\n") || this.at >= this.endOfLine(this.at)) {
      this.skip();
      // A list may stand at the indent of its key.
      const level = !this.over && this.dash && this.column(this.at) === column;
      if (!level) return this.named(this.block(column), anchor);
      return this.depth < MAX_DEPTH ? this.named(this.list(column), anchor) : null;
    }
    return this.named(this.value(column), anchor);
  }

  private list(column: number): Node {
    const out = this.node("list", this.at);
    this.depth++;
    while (!this.over && this.column(this.at) >= column) {
      if (this.column(this.at) > column) {
        this.pass();
        continue;
      }
      if (!this.dash) break;
      const from = this.at++;
      this.mark("sign", from);
      this.skip(true);
      const anchor = this.properties();
      const value = this.named(this.block(column), anchor);
      out.to = value?.to ?? from + 1;
      out.items.push({ from, to: out.to, value });
      this.skip();
    }
    this.depth--;
    return out;
  }

  /** One value that is no block of pairs or items; its later lines stand deeper than column `above`. */
  private value(above: number, flow = false): Node {
    const first = this.text[this.at];
    if (first === "{" || first === "[") return this.collection(first);
    if (first === '"' || first === "'") return this.quoted(first);
    if (!flow && "|>".includes(first) && this.ahead(BLOCK_SIGN) > 0) return this.blockText(above);
    return this.plain(above, flow);
  }

  private quoted(quote: string): Node {
    const out = this.node("quoted", this.at);
    out.to = this.at += this.ahead(quote === '"' ? DOUBLE : SINGLE);
    this.mark("string", out.from, out.to);
    return out;
  }

  private plain(above: number, flow: boolean): Node {
    const out = this.node("plain", this.at);
    for (;;) {
      this.at += this.plainLength(flow);
      out.to = this.at;
      // It goes on in the next line unless a comment, a key or less indent ends it.
      const gap = this.ahead(NEXT_LINE);
      if (gap < 0) break;
      this.at += gap;
      const more = !this.over && this.column(this.at) > above && !/[#,[\]{}]/.test(this.text[this.at]);
      if (!more || this.keyHere(flow) || this.plainLength(flow) === 0) break;
    }
    this.at = out.to;
    // A colon on its own, or another sign that begins nothing: step over it, so that reading comes to an end.
    if (out.to === out.from && !flow && this.at < this.text.length) out.to = ++this.at;
    if (out.to - out.from < 40 && NUMBER.test(this.text.slice(out.from, out.to))) this.mark("number", out.from, out.to);
    return out;
  }

  private blockText(above: number): Node {
    const out = this.node("text", this.at);
    let end = this.endOfLine(this.at);
    out.to = end;
    while (end < this.text.length) {
      const start = end + 1;
      end = this.endOfLine(start);
      const indent = this.text.slice(start, end).search(/\S/);
      if (indent >= 0 && indent <= above) break;
      if (indent >= 0) out.to = end;
    }
    this.mark("string", out.from, out.to);
    this.at = out.to;
    return out;
  }

  private flowValue(): Node | null {
    this.skip();
    const anchor = this.properties();
    if (this.at >= this.text.length || ",]}".includes(this.text[this.at])) return null;
    const found = this.value(-1, true);
    return found.to > found.from ? this.named(found, anchor) : null;
  }

  private collection(open: "{" | "["): Node {
    const close = open === "{" ? "}" : "]";
    const out = this.node(open === "{" ? "mapping" : "list", this.at, true);
    this.mark("sign", this.at++);
    this.depth++;
    for (this.skip(); this.at < this.text.length && this.depth < MAX_DEPTH; this.skip()) {
      const from = this.at;
      const sign = this.text[from];
      if (",]}".includes(sign)) {
        this.mark("sign", this.at++);
        if (sign === close) break;
        continue;
      }
      const pair = this.pair(0, true);
      if (pair && open === "{") out.pairs.push(pair);
      else if (pair) {
        // [a: b] holds a mapping of one pair.
        const single: Node = { ...this.node("mapping", from, true), to: pair.to, pairs: [pair] };
        out.items.push({ from, to: pair.to, value: single });
      } else {
        const value = this.flowValue();
        if (!value) this.at = Math.max(this.at, from + 1);
        else if (open === "[") out.items.push({ from, to: value.to, value });
        else {
          // {a} is a key without a value.
          const key = unquoted(this.text.slice(from, value.to));
          out.pairs.push({ from, to: value.to, key, keyEnd: value.to, colon: value.to, value: null });
        }
      }
    }
    this.depth--;
    out.to = this.at;
    return out;
  }
}

/** The last text that was read: several parts of the page ask about the same one, and a long one takes a while. */
let read: { text: string; shape: Shape } = { text: "", shape: { top: null, marks: [] } };

export function shapeOf(text: string): Shape {
  if (read.text !== text) {
    const reader = new Reader(text);
    read = { text, shape: { top: reader.document(), marks: reader.marks } };
  }
  return read.shape;
}

/** The pair of a mapping's key; undefined when there is none, or no mapping. */
export const pairOf = (node: Node | null | undefined, key: string): Pair | undefined =>
  node?.pairs.find((pair) => pair.key === key);
