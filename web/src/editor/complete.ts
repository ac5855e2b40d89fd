// Completion and hover from the scenario's own schema, which the module hands out.
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { type EditorView, hoverTooltip } from "@codemirror/view";
import { choicesOf, type ScheduleInfo, scheduleNamed } from "../state/schedules";
import { later } from "../text/later";
import { keyAt, type Place, placeAt } from "./path";
import { readSchedule } from "./schedule";
import { snippetsAt } from "./snippets";
import { documented, factsOf, keysAt, type Schema, schema, schemasAt, valuesAt } from "./schema";

let known: ScheduleInfo[] = [];
export const setSchedules = (all: ScheduleInfo[]): void => void (known = all);

/** Names defined under `id:` or `name:` anywhere in the text: what a `device:` or `from:` may point to. */
function namesIn(doc: string): string[] {
  return [...new Set([...doc.matchAll(/(?:^|[\s{,-])id:\s*["']?([\w.-]+)/g)].map((match) => match[1]))];
}

const POINTS = new Set(["device", "devices", "from", "to", "src", "dst"]);

const SCHEDULE = "pipeline.schedule";

/** Names of schedules with what they are for. */
const scheduleNames = (all: ScheduleInfo[]): Completion[] =>
  all.map(({ name, family, doc }, i) => ({
    label: name,
    detail: family,
    info: doc,
    sortText: `${i}`.padStart(3, "0"),
    type: "enum",
  }));

/** Parameters of the schedule that is named in the text; null when none is. */
function scheduleParameters(all: ScheduleInfo[], doc: string, place: Place): Completion[] | null {
  const named = scheduleNamed(all, readSchedule(doc).name);
  if (!named || !place.siblings.includes("name")) return null;
  return named.parameters
    .filter(({ name }) => !place.siblings.includes(name))
    .map(({ name, type, choices, default: standard, range, doc: words }, i) => ({
      label: name,
      apply: `${name}: `,
      detail: [type, choices?.join(" | ") ?? (type === "boolean" ? "" : `${range[0]} to ${range[1]}`), `default ${standard}`]
        .filter(Boolean)
        .join(", "),
      info: words,
      sortText: `${i}`.padStart(3, "0"),
      type: "property",
    }));
}

/** The words that a parameter of that schedule may be; null where it is a number. */
function parameterValues(all: ScheduleInfo[], doc: string, name: string): Completion[] | null {
  const parameter = scheduleNamed(all, readSchedule(doc).name)?.parameters.find((one) => one.name === name);
  const words = parameter && choicesOf(parameter);
  return words ? words.map((label) => ({ label, type: "enum" })) : null;
}

/** What may be put at a place, as completions; separate from the editor for tests. */
export function optionsFor(schema: Schema, doc: string, place: Place, all: ScheduleInfo[] = known): Completion[] {
  const path = place.path.join(".");
  if (place.wants === "value" && (path === SCHEDULE || path === `${SCHEDULE}.name`)) {
    const names = scheduleNames(all);
    return names.length > 0 ? names : plainValues(schema, doc, place.path);
  }
  if (place.wants === "value" && path.startsWith(`${SCHEDULE}.`)) {
    const own = parameterValues(all, doc, place.path.at(-1) ?? "");
    if (own) return own;
  }
  if (place.wants === "key" && path === SCHEDULE) {
    const own = scheduleParameters(all, doc, place);
    if (own) return own;
  }
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
    if (place.path.at(-1) === "[]") return [...keys, ...plainValues(schema, doc, place.path)];
    const names = keys.map(({ label }) => label);
    return [...keys, ...snippetsAt(path, names)];
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
  const root = schema.peek();
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
  const more = document.createElement("a");
  more.href = `docs/reference.html#${encodeURIComponent(name.textContent)}`;
  more.target = "_blank";
  more.textContent = later.reference;
  node.append(more);
  return node;
}

function hover(view: EditorView, pos: number) {
  const root = schema.peek();
  if (!root) return null;
  const found = keyAt(view.state.doc.toString(), pos);
  if (!found) return null;
  const own = documented(schemasAt(root, found.path));
  if (!own || (!own.description && !factsOf(own))) return null;
  return { pos: found.from, end: found.to, above: true, create: () => ({ dom: card(found.path, own) }) };
}

export const completion = [
  autocompletion({ override: [complete], icons: false, maxRenderedOptions: 60 }),
  hoverTooltip(hover, { hoverTime: 350 }),
];
