// Values of the text by their path: read where they stand, and put in place of each other without touching anything
// else. Paths are the module's: keys joined by dots, items of lists by index or `id` (a.b[2].c, a.devices[gpu0].c).
import { type Node, pairOf, shapeOf, unquoted } from "./yaml";

export interface Scalar {
  from: number;
  to: number;
  value: string;
}

interface Step {
  name: string;
  bracket: boolean;
}

const stepsOf = (path: string): Step[] =>
  [...path.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([all, inside]) => ({
    name: inside ?? all,
    bracket: inside !== undefined,
  }));

export const written = (text: string, { from, to }: Node): string => unquoted(text.slice(from, to));

/** A value on its own. An alias is none: it stands for what is written elsewhere. */
export const isSingle = (text: string, { type, from }: Node): boolean =>
  type === "quoted" || (type === "plain" && text[from] !== "*");

/** The `id` of an item of a list, or "". */
export function idOf(text: string, item: Node | null): string {
  const id = pairOf(item, "id")?.value;
  return id ? written(text, id) : "";
}

function child(text: string, { type, items, pairs }: Node, { name, bracket }: Step): Node | null {
  if (type !== "list") return bracket ? null : (pairs.find(({ key }) => key === name)?.value ?? null);
  if (bracket && /^\d+$/.test(name)) return items[Number(name)]?.value ?? null;
  return items.find(({ value }) => idOf(text, value) === name)?.value ?? null;
}

/** The value at `path`, or null when it is not written or is no single one. */
export function readScalar(text: string, path: string): Scalar | null {
  let node = shapeOf(text).top;
  for (const step of stepsOf(path)) node = node && child(text, node, step);
  if (!node || !isSingle(text, node)) return null;
  return { from: node.from, to: node.to, value: written(text, node) };
}

/** The text with another value at `path`; unchanged when there is none to replace. */
export function writeScalar(text: string, path: string, value: string): string {
  const found = readScalar(text, path);
  return found ? text.slice(0, found.from) + value + text.slice(found.to) : text;
}

/** What stands here stands elsewhere too, by an anchor and its aliases. */
export const isShared = (text: string, { anchor }: Node): boolean => anchor !== "" && text.includes(`*${anchor}`);

/**
 * The text with `value` at `path`, be it written or not; null where it cannot be put: no such item of a list, or a place
 * that others share by an alias.
 */
export function writeAt(text: string, path: string, value: string): string | null {
  let node = shapeOf(text).top;
  const steps = stepsOf(path);
  for (let i = 0; node && i < steps.length; i++) {
    if (isShared(text, node)) return null;
    const next = child(text, node, steps[i]);
    if (!next) return insert(text, node, steps.slice(i), value);
    node = next;
  }
  if (!node || isShared(text, node) || steps.length === 0) return null;
  return text.slice(0, node.from) + value + text.slice(node.to);
}

/** A missing key, and those below it, at the start of a mapping. */
function insert(text: string, mapping: Node, steps: Step[], value: string): string | null {
  const [first] = mapping.pairs;
  // A key without a value stays as it is.
  if (!first || steps.some(({ bracket }) => bracket) || pairOf(mapping, steps[0].name)) return null;
  const inner = steps.slice(1).reduceRight((all, { name }) => `{${name}: ${all}}`, value);
  const column = first.from - text.lastIndexOf("\n", first.from - 1) - 1;
  const after = mapping.flow ? ", " : `\n${" ".repeat(column)}`;
  return `${text.slice(0, first.from)}${steps[0].name}: ${inner}${after}${text.slice(first.from)}`;
}

/** The single values of the list under a top-level key. */
export function readList(text: string, key: string): string[] {
  const list = pairOf(shapeOf(text).top, key)?.value;
  return (list?.items ?? []).map(({ value }) => (value ? written(text, value) : ""));
}
