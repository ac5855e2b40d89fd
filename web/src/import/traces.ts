// Recorded runs that a reader brings: told from other files by how they begin, and given to a worker of their own.
import { signal } from "@preact/signals";
import * as s from "../state/store";
import { later } from "../text/later";
import type { Imported, Refused } from "./measured";
import type { TraceFile } from "./reader";

/** What was imported last, for the dialog that shows it. */
export const imported = signal<(Imported & { names: string[] }) | null>(null);

/** Where a profiler's file says what it is; a device's description may come first. */
const HEAD_BYTES = 65_536;
const CHROME = /"traceEvents"\s*:|^\s*\[\s*\{[^}]*"ph"\s*:/;
const MEGATRON = /^\s*\{[^\n]*"(event_type|start_wall_ns)"\s*:/;

export async function isTrace(file: File): Promise<boolean> {
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  // Nothing else that is taken in is packed.
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return true;
  const head = new TextDecoder().decode(bytes);
  return CHROME.test(head) || MEGATRON.test(head);
}

function ask(files: TraceFile[]): Promise<string | null> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL("./reader.ts", import.meta.url), { type: "module" });
    const done = (text: string | null) => {
      worker.terminate();
      resolve(text);
    };
    worker.onmessage = (event: MessageEvent<string | null>) => done(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      done(null);
    };
    worker.postMessage(files);
  });
}

const say = (text: string): void => void (s.toast.value = { text });

export async function openTraces(files: File[]): Promise<void> {
  const names = files.map(({ name }) => name).sort();
  say(later.traces.reading(names.length));
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : 1));
  const text = await ask(sorted.map((file) => ({ name: file.name, file })));
  if (text === null) return say(later.traces.failed);
  if (text === "") return say(later.traces.tooLarge);
  const answer = JSON.parse(text) as Imported | Refused;
  if (!answer.ok) {
    const [first, ...more] = answer.diagnostics;
    if (!first) return say(later.traces.failed);
    return say(later.open.badOrder(first.path || names[0], first.line, first.message) + later.traces.more(more.length));
  }
  s.toast.value = null;
  imported.value = { ...answer, names };
  s.dialog.value = "measured";
}
