// The schedule as it is written in the text: read, and put in the place of another without touching the rest.
import { type Node, type Pair, pairOf, shapeOf, unquoted } from "./yaml";

export interface Choice {
  form: "name" | "policy" | "order" | "none";
  name: string;
  /** As they are written. */
  parameters: Record<string, string>;
}

const isMapping = (node: Node | null | undefined) => node?.type === "mapping";

function find(text: string): { top: Node | null; pipeline?: Pair; schedule?: Pair } {
  const { top } = shapeOf(text);
  const pipeline = pairOf(top, "pipeline");
  return { top, pipeline, schedule: pairOf(pipeline?.value, "schedule") };
}

export function readSchedule(text: string): Choice {
  const value = find(text).schedule?.value;
  if (!value) return { form: "none", name: "", parameters: {} };
  const written = (node: Node | null) => (node ? unquoted(text.slice(node.from, node.to)) : "");
  if (!isMapping(value)) return { form: "name", name: written(value), parameters: {} };
  const all: Record<string, string> = Object.fromEntries(value.pairs.map(({ key, value }) => [key, written(value)]));
  if ("policy" in all) return { form: "policy", name: "", parameters: {} };
  if ("order" in all) return { form: "order", name: "", parameters: {} };
  const { name = "", ...parameters } = all;
  return { form: "name", name, parameters };
}

/** `zb_v`, or `{name: interleaved_1f1b, chunks: 4}`. */
export function scheduleText(name: string, parameters: Record<string, string>): string {
  const list = Object.entries(parameters).filter(([, value]) => value.trim() !== "");
  if (list.length === 0) return name;
  return `{name: ${name}, ${list.map(([key, value]) => `${key}: ${value.trim()}`).join(", ")}}`;
}

/** The same as a value for the module's options. */
export function scheduleValue(name: string, parameters: Record<string, string>): unknown {
  const list = Object.entries(parameters).filter(([, value]) => value.trim() !== "");
  if (list.length === 0) return name;
  const read = (value: string): unknown => {
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  };
  return { name, ...Object.fromEntries(list.map(([key, value]) => [key, read(value.trim())])) };
}

/** What stands before the key of the schedule on its line; null where a value cannot go on in lines of its own. */
export function scheduleIndent(text: string): string | null {
  const { schedule } = find(text);
  const before = schedule ? text.slice(text.lastIndexOf("\n", schedule.from) + 1, schedule.from) : "?";
  return /^ *$/.test(before) ? before : null;
}

/** The text with another schedule in it; nothing else changes. A value of several lines begins with a line break. */
export function writeSchedule(text: string, value: string): string {
  const { top, pipeline, schedule } = find(text);
  if (schedule) {
    const from = schedule.colon;
    const same = schedule.value ? schedule.to : from;
    return `${text.slice(0, from)}${value.startsWith("\n") ? "" : " "}${value}${text.slice(same)}`;
  }
  const inside = pipeline?.value;
  if (inside && isMapping(inside) && inside.flow) {
    const more = inside.pairs.length > 0 ? ", " : "";
    return `${text.slice(0, inside.from + 1)}schedule: ${value}${more}${text.slice(inside.from + 1)}`;
  }
  const first = inside?.pairs[0];
  if (first) {
    const indent = text.slice(text.lastIndexOf("\n", first.from) + 1, first.from);
    return `${text.slice(0, first.from)}schedule: ${value}\n${indent}${text.slice(first.from)}`;
  }
  if (pipeline) return `${text.slice(0, pipeline.to)}\n  schedule: ${value}${text.slice(pipeline.to)}`;
  const end = top ? top.to : text.length;
  return `${text.slice(0, end).replace(/\n?$/, "\n")}pipeline:\n  schedule: ${value}\n${text.slice(end).replace(/^\n/, "")}`;
}
