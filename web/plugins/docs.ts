// Makes pages of the site from docs/*.md, and the reference of the scenario file from the module's schema: plain HTML
// in one frame with a list of all pages, readable without scripts, in the picture book's styles.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Plugin } from "vite";
import type { Schema } from "../src/editor/schema.ts";
import { escape, type Page, render } from "./markdown.ts";
import { openModule } from "./module.ts";
import { reference } from "./reference.ts";

/** The pages in the order of their list: file without its ending, and the words of the link. */
const PAGES: [name: string, label: string][] = [
  ["index", "Overview"],
  ["page", "The page"],
  ["scenario", "The scenario file"],
  ["reference", "Every key"],
  ["schedules", "Schedules in pictures"],
  ["physics", "Physics"],
  ["trouble", "Trouble"],
  ["accuracy", "Accuracy"],
  ["traces", "Your own traces"],
  ["command", "The command"],
  ["sweeps", "Large sweeps"],
  ["tuning", "Tuning"],
  ["planning", "Planning"],
  ["experiments", "Planner's experiments"],
  ["learning", "Asynchronous pipelines"],
  ["claims", "Claims"],
  ["embed", "Embedding"],
  ["module", "The engine as a module"],
  ["determinism", "Determinism"],
  ["architecture", "Architecture"],
  ["contributing", "Contributing"],
];
/** Made by a frame of their own, docs/schedules.html; it only takes the list. */
const FRAMED = "schedules";
const NAV = "<!-- pages -->";

function nav(current: string): string {
  const items = PAGES.map(([name, label]) => {
    const here = name === current ? ' aria-current="page"' : "";
    return `<li><a href="${name === "index" ? "./" : `${name}.html`}"${here}>${escape(label)}</a></li>`;
  });
  return `<nav class="doc-pages" aria-label="Documents"><ul><li><a href="../">Sluice</a></li><li><a href="../plan.html">Plan</a></li>${items.join("")}</ul></nav>`;
}

/** Pages and pictures of the site keep their links; files that only the repository has lose them. */
function target(href: string): string | null {
  const page = href.match(/^([\w-]+)\.md(#.*)?$/);
  if (page) return `${page[1]}.html${page[2] ?? ""}`;
  return /^(#|https:|[\w-]+\.html|\.\.\/plan\.html|\.\.?\/$)/.test(href) ? href : null;
}

function html({ title, html: body, headings }: Page, name: string, styles: string[], policy: string): string {
  const contents = headings.map(({ id, text }) => `<li><a href="#${escape(id)}">${escape(text)}</a></li>`).join("");
  const first = body.indexOf("</h1>") + "</h1>".length;
  const list = headings.length > 2 ? `\n<ul class="contents" aria-label="On this page">${contents}</ul>` : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${policy}
<title>${escape(title)} · Sluice</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="../favicon.svg" type="image/svg+xml">
${styles.map((file) => `<link rel="stylesheet" href="../${file}">`).join("\n")}
</head>
<body class="book doc">
<a class="skip" href="#text">Skip to the text</a>
${nav(name)}
<main id="text">
${body.slice(0, first)}${list}${body.slice(first)}</main>
</body>
</html>
`;
}

export function docs(root: string, moduleDir: string): Plugin {
  const folder = resolve(root, "docs");
  const read = (name: string) => readFileSync(join(folder, `${name}.md`), "utf8");
  return {
    name: "sluice-docs",
    apply: "build",
    transformIndexHtml: { order: "pre", handler: (page) => page.replace(NAV, () => nav(FRAMED)) },
    async generateBundle(_options, bundle) {
      const styles = ["draw", FRAMED].map((name) => {
        const file = Object.keys(bundle).find((one) => one.endsWith(".css") && one.includes(`/${name}-`));
        if (!file) throw new Error(`the build has no styles named ${name}`);
        return file;
      });
      const frame = readFileSync(join(folder, `${FRAMED}.html`), "utf8");
      const policy = frame.match(/<meta http-equiv="Content-Security-Policy".*>/)?.[0] ?? "";
      const emit = (name: string, page: Page) =>
        this.emitFile({ type: "asset", fileName: `docs/${name}.html`, source: html(page, name, styles, policy) });
      for (const [name] of PAGES) {
        if (name === FRAMED) continue;
        const page = render(read(name), target);
        if (name === "reference") {
          const schema = JSON.parse((await openModule(moduleDir)).schema()) as Schema;
          const sections = reference(schema);
          page.headings = sections.map(({ id }) => ({ id, text: id }));
          page.html += sections.map((section) => section.html).join("\n");
        }
        emit(name, page);
      }
      for (const file of readdirSync(join(folder, "pictures"))) {
        const source = readFileSync(join(folder, "pictures", file));
        this.emitFile({ type: "asset", fileName: `docs/pictures/${file}`, source });
      }
    },
  };
}
