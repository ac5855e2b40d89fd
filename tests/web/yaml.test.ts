// The shape of a YAML text: against Lezer's grammar on every example, and by hand where the two differ in form.
import { parser } from "@lezer/yaml";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { indentAfter } from "../../web/src/editor/path";
import { type Mark, type Node, shapeOf } from "../../web/src/editor/yaml";

const examples = join(import.meta.dirname, "../../examples");
const files = (readdirSync(examples, { recursive: true }) as string[]).filter((file) => file.endsWith(".yaml"));

/** Extents of keys and of single values, as "12 16 key". */
function ofShape(node: Node | null, out: string[] = []): string[] {
  if (!node) return out;
  for (const { from, keyEnd, value } of node.pairs) {
    out.push(`${from} ${keyEnd} key`);
    ofShape(value, out);
  }
  for (const { value } of node.items) ofShape(value, out);
  if (node.type !== "mapping" && node.type !== "list") out.push(`${node.from} ${node.to} ${node.type}`);
  return out;
}

function ofGrammar(text: string): string[] {
  const out: string[] = [];
  const types: Record<string, string> = { Literal: "plain", QuotedLiteral: "quoted", BlockLiteral: "text", Alias: "plain" };
  parser.parse(text).iterate({
    enter(node) {
      if (node.name === "⚠") throw new Error(`the grammar refuses ${text.slice(node.from, node.from + 40)}`);
      if (node.name === "Key") {
        out.push(`${node.from} ${node.to} key`);
        return false;
      }
      if (types[node.name]) out.push(`${node.from} ${node.to} ${types[node.name]}`);
      return !types[node.name];
    },
  });
  return out;
}

test.each(files)("%s has the keys and values that the grammar finds", (file) => {
  const text = readFileSync(join(examples, file), "utf8");
  expect(ofShape(shapeOf(text).top)).toEqual(ofGrammar(text));
  const windows = text.replaceAll("\n", "\r\n");
  expect(ofShape(shapeOf(windows).top)).toEqual(ofGrammar(windows));
});

test.each([
  "a: 1\nb:\n  c: x y  # z\n  d: 'it''s: #1'\n",
  "- a\n- b: 1\n  c: 2\n-\n  d: 3\n- - x\n  - y\n",
  "key:\n- one\n- two: {a: [1, {b: c}], \"d\": e}\nnext: 1\n",
  "a: one\n  two\n  three\nb: |\n  text: no key\n\n  # no comment\nc: >-\n  folded\n",
  '{"a": 1, "b":[1,2 , 3], c: {d: e}}',
  '{\n  "a": {"x": "y, z"},\n  # why\n  "b": []\n}\n',
  "%YAML 1.2\n---\na: 1\n...\n",
  "a#b: c#d\nurl: http://x:80/y\n'q k': \"v\\\"w\"\n",
  "a: [one two, three\n  four, five]\nb: 2\n",
  "# only a comment\n",
  "",
  "a: b: c\n".replace(": c", ""),
  "deep:\n    deeper:\n        - x:   1\n          y:\n            - z\n",
])("as the grammar finds them in %j", (text) => {
  expect(ofShape(shapeOf(text).top)).toEqual(ofGrammar(text));
});

test("anchors and tags stand before a value, and an alias is a value", () => {
  const text = "a: &x {b: 1}\nc: !t\n  d: 2\ne: *x\n";
  const top = shapeOf(text).top;
  expect(top?.pairs.map(({ key, value }) => [key, text.slice(value?.from, value?.to)])).toEqual([
    ["a", "{b: 1}"],
    ["c", "d: 2"],
    ["e", "*x"],
  ]);
});

test("what is unfinished is read as far as it goes, and the rest after it", () => {
  const keys = (text: string) => shapeOf(text).top?.pairs.map(({ key }) => key);
  expect(keys("a: 1\nbroken\nc: 2\n")).toEqual(["a", "c"]);
  expect(keys("a: {b: 1,\n")).toEqual(["a"]);
  expect(keys('a: "b\n')).toEqual(["a"]);
  expect(keys("a: 1\n    odd: 3\n- x\nc: 2\n")).toEqual(["a", "c"]);
  for (const text of [":", "- :", "[", "[[[", "{{", "}", "a: ]", "? a\n: b", "|", "&", "!", "---", "a: &", "\t", "'"]) {
    expect(() => shapeOf(text)).not.toThrow();
  }
});

test("deep and long texts come to an end soon", () => {
  const began = performance.now();
  for (const text of ["[".repeat(2e4), "{a: ".repeat(2e4), "- ".repeat(2e4), '"'.repeat(2e4), "a b ".repeat(1e4)]) {
    shapeOf(text);
  }
  shapeOf(Array.from({ length: 4000 }, (_, i) => `k${i}: {a: ${i}, b: [x, y]}`).join("\n"));
  expect(performance.now() - began).toBeLessThan(3000);
});

test("marks are in order and do not overlap, and say what is what", () => {
  const text = 'a: 1.5e3  # c\nb: ["x", -2, y]\n';
  const { marks } = shapeOf(text);
  const said = (mark: Mark) => `${mark[2]} ${text.slice(mark[0], mark[1])}`;
  expect(marks.map(said)).toEqual([
    "key a",
    "sign :",
    "number 1.5e3",
    "comment # c",
    "key b",
    "sign :",
    "sign [",
    'string "x"',
    "sign ,",
    "number -2",
    "sign ,",
    "sign ]",
  ]);
  for (const file of files) {
    let end = 0;
    for (const [from, to] of shapeOf(readFileSync(join(examples, file), "utf8")).marks) {
      expect(from).toBeGreaterThanOrEqual(end);
      expect(to).toBeGreaterThan(from);
      end = to;
    }
  }
});

test.each([
  ["simulation:|", 2],
  ["simulation: # all|", 2],
  ["a:\n  b: 1|", 2],
  ["a:\n  - b: 1|", 4],
  ["a:\n  - b:|", 6],
  ["a: |text|", 0],
  ["note: >-|", 2],
  ["  # said|", 2],
  ["|", 0],
])("a line begun in %j", (marked, indent) => {
  const text = marked as string;
  const pos = text.lastIndexOf("|");
  expect(indentAfter(text.slice(0, pos), pos)).toBe(indent);
});
