// The Markdown of the documents, piece by piece, and the table of keys from a schema written here.
import { expect, test } from "vitest";
import type { Schema } from "../../web/src/editor/schema";
import { render, slug } from "../../web/plugins/markdown";
import { reference } from "../../web/plugins/reference";

const html = (text: string) => render(text, (href) => (href.startsWith("no") ? null : href)).html.trim();

test.each([
  ["a **b** *c* `d*e*` 3 * 4 * 5", "<p>a <strong>b</strong> <em>c</em> <code>d*e*</code> 3 * 4 * 5</p>"],
  ['<img src=x> & "q"', "<p>&lt;img src=x&gt; &amp; &quot;q&quot;</p>"],
  ["see [it](a.md) and [**that**](no.md)", '<p>see <a href="a.md">it</a> and <strong>that</strong></p>'],
  ["one\ntwo\n\nthree", "<p>one two</p>\n<p>three</p>"],
  ["- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li>\n<li>c</li></ul>"],
  ["1. a\n2. b", "<ol><li>a</li>\n<li>b</li></ol>"],
  ["```\n<a> `b`\n\n# c\n```", '<pre tabindex="0"><code>&lt;a&gt; `b`\n\n# c</code></pre>'],
  ["![x](p.svg)", '<p><img src="p.svg" alt="x" loading="lazy"></p>'],
  ["## `a` & *b*", '<h2 id="a--b"><code>a</code> &amp; <em>b</em></h2>'],
])("%s", (text, expected) => {
  expect(html(text)).toBe(expected);
});

test("a table has a head when its head has words, and bars behind a backslash are letters", () => {
  expect(html("| k | |\n|---|---|\n| `a\\|b` | c |")).toContain(
    '<table><thead><tr><th scope="col">k</th><td></td></tr></thead><tbody><tr><td><code>a|b</code></td><td>c</td></tr></tbody></table>',
  );
  expect(html("| | |\n|---|---|\n| a | b |")).not.toContain("<thead>");
});

test("headings have the names that code hosts give them", () => {
  expect(slug("What is not there yet?")).toBe("what-is-not-there-yet");
  expect(render("# T\n## A\n### B", () => null).headings).toEqual([{ id: "a", text: "A" }]);
});

test("the reference has a row for each key, under its path, with type, range, default and unit", () => {
  const schema: Schema & { properties: object } = {
    type: "object",
    properties: {
      top: {
        description: "What it is",
        required: ["list"],
        properties: {
          list: { type: "array", items: { properties: { ms: { type: "number", minimum: 0, "x-unit": "ms" } } } },
          word: { type: "string", enum: ["a", "b"], "x-doc": ["first", "second"], default: "a" },
        },
      } as Schema,
    },
  };
  const [{ id, html: section }] = reference(schema);
  expect(id).toBe("top");
  expect([...section.matchAll(/<tr id="([^"]+)"/g)].map((match) => match[1])).toEqual([
    "top.list",
    "top.list[].ms",
    "top.word",
  ]);
  expect(section).toMatch(/id="top\.list".*?array<br>required/);
  expect(section).toMatch(/id="top\.list\[\]\.ms".*?number, at least 0, in ms</);
  expect(section).toMatch(/default &quot;a&quot;.*<li><code>a<\/code> first<\/li><li><code>b<\/code> second<\/li>/);
});
