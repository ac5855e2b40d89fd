// The reference of the scenario file, from the schema that the module itself hands out: every key with its type, unit,
// range, default and meaning, under an anchor that is its path.
import { documented, factsOf, keysAt, type Schema, schemasAt } from "../src/editor/schema.ts";
import { escape, inline } from "./markdown.ts";

const DEEPEST = 12;

/** How a path is written: items of a list are "[]", names of the reader's own "*". */
export const pathText = (path: string[]): string => path.join(".").replaceAll(".[]", "[]");

interface Row {
  path: string[];
  own: Schema[];
  required: boolean;
}

function rowsUnder(root: Schema, path: string[]): Row[] {
  if (path.length > DEEPEST) return [];
  const here = schemasAt(root, path);
  const required = new Set(here.flatMap((schema) => (schema as { required?: string[] }).required ?? []));
  const rows: Row[] = [];
  for (const { name } of keysAt(root, path)) {
    const at = [...path, name];
    rows.push({ path: at, own: schemasAt(root, at), required: required.has(name) }, ...rowsUnder(root, at));
  }
  if (here.some((schema) => schema.items)) rows.push(...rowsUnder(root, [...path, "[]"]));
  if (here.some((schema) => typeof schema.additionalProperties === "object")) {
    const at = [...path, "*"];
    rows.push({ path: at, own: schemasAt(root, at), required: false }, ...rowsUnder(root, at));
  }
  return rows;
}

const unique = (texts: string[]): string[] => [...new Set(texts.filter(Boolean))];

/** Allowed words with what they mean, where the schema says so. */
function wordsOf(own: Schema[]): string {
  const lists = own.flatMap((schema) => {
    const docs = (schema as { "x-doc"?: string[] })["x-doc"] ?? [];
    return (schema.enum ?? []).map((value, i) => {
      const name = `<code>${escape(String(value))}</code>`;
      return docs[i] ? `<li>${name} ${inline(docs[i])}</li>` : `<li>${name}</li>`;
    });
  });
  return lists.length > 0 ? `<ul>${unique(lists).join("")}</ul>` : "";
}

function rowHtml({ path, own, required }: Row, depth: number): string {
  const id = escape(pathText(path));
  const name = path.slice(depth).join(".").replaceAll(".[]", "[]");
  const unit = unique(own.map((schema) => schema["x-unit"] ?? "")).join(" or ");
  const facts = unique(own.map((schema) => factsOf(schema))).join("; or ") + (unit && `, in ${unit}`);
  const doc = documented(own)?.description ?? "";
  return `<tr id="${id}"><th scope="row"><a href="#${encodeURIComponent(pathText(path))}"><code>${escape(name).replaceAll(".", "<wbr>.")}</code></a></th><td>${escape(facts)}${required ? "<br>required" : ""}</td><td>${inline(doc)}${wordsOf(own)}</td></tr>`;
}

/** Sections of the page, a table each, in the order of the schema. */
export function reference(root: Schema): { id: string; html: string }[] {
  return keysAt(root, []).map(({ name, schema }) => {
    const rows = rowsUnder(root, [name]);
    const body = rows.map((row) => rowHtml(row, 1)).join("\n");
    const about = documented(schemasAt(root, [name]))?.description ?? schema.description ?? "";
    const head = ["Key", "Type, range, default, unit", "Meaning"].map((text) => `<th scope="col">${text}</th>`);
    const table =
      rows.length > 0
        ? `<div class="scroll" tabindex="0" role="region" aria-label="Keys of ${escape(name)}"><table class="keys"><thead><tr>${head.join("")}</tr></thead><tbody>${body}</tbody></table></div>`
        : `<p>${escape(factsOf(schema))}</p>`;
    const heading = `<h2 id="${escape(name)}"><code>${escape(name)}</code></h2>`;
    return { id: name, html: `${heading}\n${about ? `<p>${inline(about)}.</p>\n` : ""}${table}` };
  });
}
