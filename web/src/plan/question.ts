// The question as the form shows it: a few values of the scenario's text, read where they stand and put in place of each
// other. The text is the truth; what the form does not know stays as it is.
import { readScalar, written, writeAt } from "../editor/scalar";
import { type Node, pairOf, shapeOf } from "../editor/yaml";
import { count } from "../text/format";

export interface Nodes {
  gpu: string;
  nodes: number;
  devices: number;
}

export interface Question {
  /** Name of its preset; "" where the text describes another. */
  model: string;
  sequence: string;
  batch: string;
  recompute: boolean;
  /** Empty where the text has no cluster. */
  cluster: Nodes[];
}

export const PATHS = {
  model: "pipeline.model.preset",
  sequence: "pipeline.model.seq_len",
  batch: "plan.global_batch",
  recompute: "plan.recompute",
} as const;

const clusterOf = (text: string): Node | null =>
  pairOf(pairOf(shapeOf(text).top, "plan")?.value, "cluster")?.value ?? null;

export function readQuestion(text: string): Question {
  const read = (path: string) => readScalar(text, path)?.value ?? "";
  const number = (node: Node | null, key: string) => {
    const value = pairOf(node, key)?.value;
    return value ? Number(written(text, value)) : 1;
  };
  return {
    model: read(PATHS.model),
    sequence: read(PATHS.sequence),
    batch: read(PATHS.batch),
    recompute: read(PATHS.recompute) !== "false",
    cluster: (clusterOf(text)?.items ?? []).map(({ value }) => {
      const gpu = pairOf(value, "gpu")?.value;
      return { gpu: gpu ? written(text, gpu) : "", nodes: number(value, "nodes"), devices: number(value, "devices") };
    }),
  };
}

/** The text with this value, be it written yet or not; as it is where it cannot be put. */
export const put = (text: string, path: string, value: string): string => writeAt(text, path, value) ?? text;

/** As a line of the cluster. `more` is what else is written of such nodes: ", memory_GiB: 59.6". */
const entry = ({ gpu, nodes, devices }: Nodes, more: string) =>
  `{gpu: ${gpu}, nodes: ${nodes}, devices: ${devices}${more}}`;

/** What the examples write of a device beside its counts; the figures of another device would be wrong of it. */
export function figuresOf(examples: string[], gpu: string): string {
  for (const text of examples) {
    const line = text.match(new RegExp(`\\{gpu: ${gpu}, nodes: \\d+, devices: \\d+(.*)\\}`));
    if (line) return line[1];
  }
  return "";
}

/** The nodes of one entry are others, with the figures that go with them. */
export function putNodes(text: string, index: number, nodes: Nodes, more: string): string {
  const node = clusterOf(text)?.items[index]?.value;
  return node ? text.slice(0, node.from) + entry(nodes, more) + text.slice(node.to) : text;
}

const lineStart = (text: string, at: number) => text.lastIndexOf("\n", at - 1) + 1;

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

export function addNodes(text: string, nodes: Nodes, more: string): string {
  const list = clusterOf(text);
  const last = list?.items.at(-1);
  if (!list || !last) return text;
  if (list.flow) return `${text.slice(0, last.to)}, ${entry(nodes, more)}${text.slice(last.to)}`;
  const dash = text.slice(lineStart(text, last.from), last.from);
  const end = lineEnd(text, last.to);
  return `${text.slice(0, end)}\n${dash}- ${entry(nodes, more)}${text.slice(end)}`;
}

export function removeNodes(text: string, index: number): string {
  const list = clusterOf(text);
  const items = list?.items ?? [];
  const item = items[index];
  if (!list || !item || items.length < 2) return text;
  const next = items[index + 1];
  const before = items[index - 1];
  if (list.flow) {
    const [from, to] = next ? [item.from, next.from] : [before.to, item.to];
    return text.slice(0, from) + text.slice(to);
  }
  const from = lineStart(text, item.from);
  return text.slice(0, from) + text.slice(next ? lineStart(text, next.from) : lineEnd(text, item.to) + 1);
}

/** "910B4", "RTX 3090": as people call it. */
export const deviceName = (gpu: string): string => gpu.replace(/^ascend-/, "").replace("-", " ").toUpperCase();
/** "6.7B" of "gpt-6.7b". */
export const modelName = (preset: string): string => preset.replace(/^gpt-/, "").toUpperCase();

const TITLE = /^# title:[ \t]*(.*)$/m;
export const titleOf = (text: string): string => text.match(TITLE)?.[1].trim() ?? "";

export function titleFor({ model, sequence, cluster }: Question): string {
  const nodes = cluster.map(({ gpu, nodes: n, devices }) => `${n} × ${devices} ${deviceName(gpu)}`);
  return `${modelName(model)} at ${count(Number(sequence))} tokens on ${nodes.join(" and ")}`;
}

/** A title that says what the old question was says what the new one is. `known` are titles that were given. */
export function retitle(old: string, text: string, known: string[]): string {
  const title = titleOf(old);
  if (title !== titleFor(readQuestion(old)) && !known.includes(title)) return text;
  return text.replace(TITLE, () => `# title: ${titleFor(readQuestion(text))}`);
}
