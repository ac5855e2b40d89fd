// Completion and hover from the scenario's own schema, which the module hands out.
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import { type EditorView, hoverTooltip } from "@codemirror/view";
import { keyAt, type Place, placeAt } from "./path";
import { documented, factsOf, keysAt, type Schema, schemasAt, valuesAt } from "./schema";

let root: Schema | null = null;
export const setSchema = (schema: Schema): void => void (root = schema);

/** Names defined under `id:` or `name:` anywhere in the text: what a `device:` or `from:` may point to. */
function namesIn(doc: string): string[] {
  return [...new Set([...doc.matchAll(/(?:^|[\s{,-])id:\s*["']?([\w.-]+)/g)].map((match) => match[1]))];
}

const POINTS = new Set(["device", "devices", "from", "to", "src", "dst"]);

/** What may be put at a place, as completions; separate from the editor for tests. */
export function optionsFor(schema: Schema, doc: string, place: Place): Completion[] {
  if (place.wants === "key") {
    const keys = keysAt(schema, place.path)
      .filter(({ name }) => !place.siblings.includes(name))
      .map(({ name, schema: own }, i): Completion => {
        const opens = own.properties || own.items || own.type === "object" || own.type === "array";
        return {
          label: name,
          // In the schema's order, which is that of the manual.
          sortText: `${i}`.padStart(3, "0"),
          apply: opens ? `${name}:` : `${name}: `,
          detail: factsOf(own),
          info: own.description,
          type: "property",
        };
      });
    // In a list, a plain value may stand where a key may.
    return place.path.at(-1) === "[]" ? [...keys, ...plainValues(schema, doc, place.path)] : keys;
  }
  return plainValues(schema, doc, place.path);
}

function plainValues(schema: Schema, doc: string, path: string[]): Completion[] {
  const values = valuesAt(schema, path).map(({ value, doc: words }): Completion => ({
    label: value,
    info: words || undefined,
    type: "enum",
  }));
  const key = path.filter((part) => part !== "[]").at(-1) ?? "";
  if (!POINTS.has(key)) return values;
  return [...values, ...namesIn(doc).map((name): Completion => ({ label: name, type: "variable" }))];
}

function complete(context: CompletionContext): CompletionResult | null {
  if (!root) return null;
  const line = context.state.doc.lineAt(context.pos);
  if (/(^|\s)#/.test(line.text.slice(0, context.pos - line.from))) return null;
  const doc = context.state.doc.toString();
  const place = placeAt(doc, context.pos);
  // Unasked, only a started word brings the list up.
  if (!context.explicit && (place.wants === "value" || place.from === context.pos)) {
    if (place.wants === "key" || !/:\s$/.test(line.text.slice(0, context.pos - line.from))) {
      if (place.from === context.pos) return null;
    }
  }
  const options = optionsFor(root, doc, place);
  return options.length > 0 ? { from: place.from, options, validFor: /^[\w.\-/+]*$/ } : null;
}

function card(path: string[], schema: Schema): HTMLElement {
  const node = document.createElement("div");
  node.className = "cm-doc";
  const line = (text: string, className = "") => {
    if (!text) return;
    const p = document.createElement("p");
    p.textContent = text;
    p.className = className;
    node.append(p);
  };
  const name = document.createElement("code");
  name.textContent = path.join(".").replaceAll(".[]", "[]");
  const head = document.createElement("p");
  head.append(name);
  node.append(head);
  line(schema.description ?? schema.title ?? "");
  line(factsOf(schema), "muted");
  if (schema.enum)
    line(`One of ${schema.enum.slice(0, 12).join(", ")}${schema.enum.length > 12 ? ", …" : ""}`, "muted");
  return node;
}

function hover(view: EditorView, pos: number) {
  if (!root) return null;
  const found = keyAt(view.state.doc.toString(), syntaxTree(view.state), pos);
  if (!found) return null;
  const schema = documented(schemasAt(root, found.path));
  if (!schema || (!schema.description && !factsOf(schema))) return null;
  return { pos: found.from, end: found.to, above: true, create: () => ({ dom: card(found.path, schema) }) };
}

export const completion = [
  autocompletion({ override: [complete], icons: false, maxRenderedOptions: 60 }),
  hoverTooltip(hover, { hoverTime: 350 }),
];
