// Writes the picture book of schedules: one page with an entry for each schedule the module knows, in its families.
// The words and the links are made here, by the module itself; the figures are drawn when the page is read.
import { deflateRawSync } from "node:zlib";
import type { Plugin } from "vite";
import type { SluiceModule } from "../../wasm/sluice.d.ts";
import { figureText, LOOK, OTHERS, type Sizes, USUAL } from "../src/book/scenario.ts";
import { familyTitle, type ScheduleInfo } from "../src/state/schedules.ts";
import { familyWords } from "../src/text/families.ts";
import { escape } from "./markdown.ts";
import { openModule } from "./module.ts";

const MARK = "<!-- entries -->";

const sentence = (words: string): string => (words ? `${words[0].toUpperCase()}${words.slice(1)}.` : "");
const id = (name: string): string => name.replace(/[^\w]+/g, "-");

/** The first sizes that the schedule takes; null when it takes none of them. */
function sizesFor(module: SluiceModule, name: string): Sizes | null {
  return [USUAL, ...OTHERS].find((sizes) => module.load(figureText(name, sizes), "{}").ok) ?? null;
}

const link = (text: string): string =>
  `../#s1:${deflateRawSync(Buffer.from(text), { level: 9 }).toString("base64url")}&amp;l=${LOOK}`;

function parametersOf({ parameters }: ScheduleInfo): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map(({ name, type, default: standard, range, doc }) => {
    const limits =
      type === "boolean" ? "Yes or no" : range[1] >= 1e6 ? `At least ${range[0]}` : `${range[0]} to ${range[1]}`;
    return `<div><dt><code>${escape(name)}</code></dt><dd>${escape(doc)}. ${limits}; ${escape(standard)} unless written.</dd></div>`;
  });
  return `<dl class="parameters">${rows.join("")}</dl>`;
}

function entry(module: SluiceModule, info: ScheduleInfo): string {
  const sizes = sizesFor(module, info.name);
  const { ranks, microbatches } = sizes ?? USUAL;
  const other = sizes && (ranks !== USUAL.ranks || microbatches !== USUAL.microbatches);
  const asks = info.constraints.map(({ text }) => escape(text)).join("; ");
  return `
      <article id="${id(info.name)}">
        <h3>${escape(info.name)}${info.aliases.length > 0 ? ` <small>also ${escape(info.aliases.join(", "))}</small>` : ""}</h3>
        <p>${escape(info.doc)}.${other ? ` <strong>Drawn with ${ranks} ranks and ${microbatches} microbatches, since it does not take the others.</strong>` : ""}</p>
        <figure data-schedule="${escape(info.name)}" data-ranks="${ranks}" data-microbatches="${microbatches}">
          <div class="figure-view" tabindex="0" role="region" aria-label="Figure of ${escape(info.name)}"><canvas role="img" aria-label="Timeline of ${escape(info.name)}"></canvas></div>
          <figcaption class="num"></figcaption>
        </figure>
        ${parametersOf(info)}
        ${asks ? `<p class="muted">Asks for: ${asks}.</p>` : ""}
        <p class="source"><a href="${link(figureText(info.name, { ranks, microbatches }))}">Open ${escape(info.name)} in the editor</a><span class="muted">${escape(info.source)}</span></p>
      </article>`;
}

function pageOf(module: SluiceModule): { contents: string; entries: string } {
  // What a search finds has no figure of its own.
  const all = (JSON.parse(module.schedules()) as ScheduleInfo[]).filter(({ name }) => name !== "adaptive");
  const families = [...new Set(all.map((info) => info.family))];
  const contents = families.map((family) => {
    const own = all.filter((info) => info.family === family);
    return `<li><a href="#${id(family)}">${escape(familyTitle(family))}</a> <span class="muted">${own.length}</span></li>`;
  });
  const entries = families.map((family) => {
    const own = all.filter((info) => info.family === family);
    return `
    <section aria-labelledby="${id(family)}">
      <h2 id="${id(family)}">${escape(familyTitle(family))}</h2>
      <p class="muted">${escape(sentence(familyWords[family] ?? ""))}</p>${own.map((info) => entry(module, info)).join("")}
    </section>`;
  });
  return { contents: `<ul class="contents">${contents.join("")}</ul>`, entries: entries.join("") };
}

export function book(moduleDir: string): Plugin {
  return {
    name: "sluice-book",
    transformIndexHtml: {
      order: "pre",
      async handler(html) {
        if (!html.includes(MARK)) return html;
        const { contents, entries } = pageOf(await openModule(moduleDir));
        return html.replace("<!-- contents -->", () => contents).replace(MARK, () => entries);
      },
    },
  };
}
