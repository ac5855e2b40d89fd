// The part of Markdown that docs/ uses, as HTML: headings, paragraphs, lists (one inside another), tables, code,
// pictures on a line of their own, links, **strong**, *emphasis*. What it does not know stays as it is written.

export const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** The name of a heading in addresses, as code hosts make it. */
export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[`*]/g, "")
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

export interface Page {
  title: string;
  html: string;
  headings: { id: string; text: string }[];
}

/** Where a link leads on the site; null for what the site does not have: its words stay, the link goes. */
type Target = (href: string) => string | null;

const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/g;

export function inline(text: string, target: Target = () => null): string {
  // Code first: nothing inside it means anything.
  return text
    .split(/(`[^`]+`)/)
    .map((part, i) => (i % 2 === 1 ? `<code>${escape(part.slice(1, -1))}</code>` : words(part, target)))
    .join("");
}

const emphasis = (text: string): string =>
  escape(text)
    .replace(/\*\*(?!\s)(.+?)\*\*/g, "<strong>$1</strong>")
    .replace(/(^|[\s(])\*(?![\s*])([^*]+)\*/g, "$1<em>$2</em>");

function words(text: string, target: Target): string {
  let html = "";
  let at = 0;
  for (const match of text.matchAll(LINK)) {
    const href = target(match[2]);
    html += emphasis(text.slice(at, match.index));
    html += href === null ? emphasis(match[1]) : `<a href="${escape(href)}">${emphasis(match[1])}</a>`;
    at = match.index + match[0].length;
  }
  return html + emphasis(text.slice(at));
}

/** Cells of a row; a bar behind a backslash is a letter. */
const cells = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

function table(lines: string[], target: Target, label: string): string {
  const [head, , ...rows] = lines.map(cells);
  // A head without words heads nothing.
  const heading = (cell: string) => (cell ? `<th scope="col">${inline(cell, target)}</th>` : "<td></td>");
  const named = head.some((cell) => cell !== "");
  const header = named ? `<thead><tr>${head.map(heading).join("")}</tr></thead>` : "";
  const body = rows
    .map((all) => `<tr>${all.map((cell) => `<td>${inline(cell, target)}</td>`).join("")}</tr>`)
    .join("\n");
  // A table may be wider than a phone: it scrolls by itself, and by keys.
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escape(label)}"><table>${header}<tbody>${body}</tbody></table></div>`;
}

const ITEM = /^( *)(-|\d+\.) +(.*)$/;

/** A list from its lines, and the lists that stand deeper in it. */
function list(lines: string[], target: Target): string {
  const ordered = /\d/.test(lines[0].match(ITEM)?.[2] ?? "");
  const depth = lines[0].match(ITEM)?.[1].length ?? 0;
  const items: { text: string; inside: string[] }[] = [];
  for (const line of lines) {
    const match = line.match(ITEM);
    const last = items.at(-1);
    if (match && match[1].length === depth) items.push({ text: match[3], inside: [] });
    else if (last && (match || last.inside.length > 0)) last.inside.push(line);
    else if (last) last.text += ` ${line.trim()}`;
  }
  const html = items.map(
    ({ text, inside }) => `<li>${inline(text, target)}${inside.length > 0 ? list(inside, target) : ""}</li>`,
  );
  return ordered ? `<ol>${html.join("\n")}</ol>` : `<ul>${html.join("\n")}</ul>`;
}

export function render(markdown: string, target: Target): Page {
  const lines = markdown.split("\n");
  const page: Page = { title: "", html: "", headings: [] };
  let label = "";
  let tables = 0;
  for (let i = 0; i < lines.length; ) {
    const from = i;
    const take = (test: (line: string) => boolean): string[] => {
      while (i < lines.length && test(lines[i])) i++;
      return lines.slice(from, i);
    };
    const line = lines[i];
    const heading = line.match(/^(#{1,4}) (.*)$/);
    const picture = line.match(/^!\[([^\]]*)\]\(([^)]+)\)$/);
    if (line.trim() === "") i++;
    else if (line.startsWith("```")) {
      const end = lines.indexOf("```", i + 1);
      i = end < 0 ? lines.length : end + 1;
      page.html += `<pre tabindex="0"><code>${escape(lines.slice(from + 1, i - 1).join("\n"))}</code></pre>\n`;
    } else if (heading) {
      i++;
      const level = heading[1].length;
      label = heading[2].replace(/[`*]/g, "");
      if (level === 1) page.title = label;
      if (level === 2) page.headings.push({ id: slug(label), text: label });
      const id = level === 1 ? "" : ` id="${escape(slug(label))}"`;
      page.html += `<h${level}${id}>${inline(heading[2], target)}</h${level}>\n`;
    } else if (picture) {
      i++;
      page.html += `<p><img src="${escape(picture[2])}" alt="${escape(picture[1])}" loading="lazy"></p>\n`;
    } else if (line.startsWith("|")) page.html += `${table(take((one) => one.startsWith("|")), target, `Table ${++tables}: ${label}`)}\n`;
    else if (ITEM.test(line)) {
      page.html += `${list(take((one) => one.trim() !== "" && !/^(#|\||```)/.test(one)), target)}\n`;
    } else {
      const text = take((one) => one.trim() !== "" && !/^(#{1,4} |\||```)/.test(one) && !ITEM.test(one));
      page.html += `<p>${inline(text.join(" "), target)}</p>\n`;
    }
  }
  return page;
}
