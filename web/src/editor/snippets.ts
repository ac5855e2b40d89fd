// Whole blocks that completion offers, each where it may stand; `indent` is that of the line it is put into.
import type { Completion } from "@codemirror/autocomplete";
import type { EditorView } from "@codemirror/view";

/** By the path of the mapping or list that they go into. */
const BLOCKS: Record<string, [key: string, doc: string, lines: string][]> = {
  "": [
    [
      "optimizer",
      "Gradients summed around a ring, then the weights updated",
      `enabled: true
gradient_mb: 512
allreduce: {algorithm: ring}
update: 10`,
    ],
    [
      "failure",
      "Devices and links that fail at random",
      `enabled: true
check_interval_ms: 100
device_failure_probability: 0.05
link_failure_probability: 0.05
recovery_time_ms: 50`,
    ],
  ],
  pipeline: [
    [
      "schedule",
      "An order by hand, one text a rank",
      `order:
  - "F0@0 F1@0 B0@0 B1@0"
  - "F0@1 B0@1 F1@1 B1@1"`,
    ],
    [
      "model",
      "A shape by its sizes",
      `hidden_dim: 4096
seq_len: 4096
vocab_size: 32000`,
    ],
  ],
  hardware: [
    [
      "links",
      "One slow link, and what all others are",
      `- {from: first, to: second, bandwidth_GBps: 1.25, latency_us: 20}
- {default: true, bandwidth_GBps: 50, latency_us: 10}`,
    ],
  ],
};

/** The block as text, its first line without indent. */
export const blockText = (key: string, lines: string, indent: string): string =>
  [`${key}:`, ...lines.split("\n").map((line) => `${indent}  ${line}`)].join("\n");

/** The blocks of the keys that may stand there still. */
export function snippetsAt(path: string, keys: string[]): Completion[] {
  return (BLOCKS[path] ?? [])
    .filter(([key]) => keys.includes(key))
    .map(([key, doc, lines]) => ({
      label: `${key}: …`,
      detail: "block",
      info: doc,
      boost: -1,
      type: "text",
      apply: (view: EditorView, _completion: Completion, from: number, to: number) => {
        const line = view.state.doc.lineAt(from);
        const indent = line.text.slice(0, from - line.from).replace(/\S/g, " ");
        const insert = blockText(key, lines, indent);
        view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length } });
      },
    }));
}
