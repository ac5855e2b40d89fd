// Takes a file in: a scenario is loaded, an order becomes the scenario's schedule, a result is what the numbers are
// compared with. Each can be undone; nothing is sent anywhere.
import { scheduleIndent, writeSchedule } from "../editor/schedule";
import { MAX_TEXT_BYTES } from "../share/codec";
import { readFacts } from "../state/facts";
import { MICROBATCHES } from "../state/run";
import { loadScenario, replaceText, titleOf } from "../state/source";
import * as s from "../state/store";
import { later } from "../text/later";
import { time } from "../text/format";
import { aside } from "../worker/aside";
import { kindOf } from "./kind";
import { isTrace, openTraces } from "./traces";

const say = (text: string): void => void (s.toast.value = { text });

interface ImportedOrder {
  ranks: number;
  microbatches: number;
  yaml: string;
}
interface Refusal {
  diagnostics: { message: string; line: number }[];
}

async function openOrder(order: string, name: string): Promise<void> {
  const reply = await aside().ask({ type: "order", request: JSON.stringify({ import: order }) });
  if (reply?.type !== "order") return say(later.open.failed(name));
  const read = JSON.parse(reply.text) as ImportedOrder | Refusal;
  if (!("yaml" in read)) {
    const first = read.diagnostics[0];
    return say(later.open.badOrder(name, first?.line ?? 0, first?.message ?? ""));
  }
  const old = s.text.peek();
  const now = withOrder(old, read);
  if (now === old) return;
  replaceText(now);
  s.toast.value = {
    text: later.open.order(name, read.ranks, read.microbatches),
    action: { label: later.undo, run: () => replaceText(old) },
  };
}

/** The module writes `schedule:` and its lines; here they stand deeper, below the scenario's own key. */
function withOrder(text: string, { yaml, microbatches }: ImportedOrder): string {
  const indent = scheduleIndent(text) ?? "  ";
  const lines = yaml.trimEnd().split("\n").slice(1);
  const own = writeSchedule(text, lines.map((line) => `\n${indent}${line}`).join(""));
  return own.replace(MICROBATCHES, (_all, before: string) => `${before}${microbatches}`);
}

function openResult(summary: Record<string, unknown>, name: string): void {
  const facts = readFacts(summary);
  const now = s.result.peek()?.facts;
  if (!now || facts.stepMs === null) return say(later.open.failed(name));
  if (facts.traceHash !== "" && facts.traceHash === now.traceHash) return say(later.open.sameRun(name));
  const old = s.before.peek();
  s.before.value = facts;
  s.toast.value = {
    text: later.open.result(name, time(facts.stepMs * 1e9)),
    action: { label: later.undo, run: () => (s.before.value = old) },
  };
}

/** Traces belong together, one a rank; of other files the first counts. */
export async function openFiles(files: File[]): Promise<void> {
  const traces: File[] = [];
  for (const file of files) if (await isTrace(file)) traces.push(file);
  if (traces.length > 0) return openTraces(traces);
  if (files[0]) return openFile(files[0]);
}

async function openFile(file: File): Promise<void> {
  if (file.size > MAX_TEXT_BYTES) return say(later.open.tooLarge(file.name));
  const brought = kindOf(await file.text());
  switch (brought.kind) {
    case "scenario":
      return loadScenario(brought.text, titleOf(brought.text) || file.name);
    case "order":
      return openOrder(brought.text, file.name);
    case "result":
      return openResult(brought.summary, file.name);
    case "unknown":
      return say(later.open.unknown(file.name));
  }
}
