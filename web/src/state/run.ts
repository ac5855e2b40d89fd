// When a scenario is checked and played, and what becomes of the answers.
// Checked at once on every change, played 200 ms after the last; the newest wins; the last good result stays.
import { batch, effect } from "@preact/signals";
import { en } from "../text/en";
import { percent, time } from "../text/format";
import { Client } from "../worker/client";
import type { Loaded, RunResult } from "../worker/protocol";
import { readFacts } from "./facts";
import { defaultSelection } from "./first_look";
import { write } from "./storage";
import * as s from "./store";

const DEBOUNCE_MS = 200;
/** Progress that would only flash is not shown. */
const SHOW_PROGRESS_MS = 150;
/** What runs without being asked. */
const EVENT_CAP = 2_000_000;
/** What may be tried beside the shown run. */
const PROBE_CAP = 200_000;

/** The number of microbatches where it is written, with what stands before it on its line. */
export const MICROBATCHES = /^([^#\n]*\bmicrobatches:[ \t]*)\d+/m;

let client: Client;
let timer = 0;
let running: { id: number; text: string } | null = null;
let checking: { id: number; text: string } | null = null;
/** A view that came with a link, for the first result. */
let wantedView: s.View | null = null;

export const worker = (): Client => client;

/** Starts the worker: called before anything is drawn, so that the module loads meanwhile. */
export function startWorker(): void {
  client = new Client();
}

export function startRuns(options: { auto: boolean; view: s.View | null }): void {
  wantedView = options.view;
  client.listen({
    ready: (_version, engine) => (s.engine.value = engine),
    checked: onChecked,
    capped: onCapped,
    progress: onProgress,
    result: onResult,
    stopped: (id) => {
      if (running?.id === id) finish({ kind: "stopped" });
    },
    crashed: (message) => finish({ kind: "crashed", message }),
    unavailable: (message) => finish({ kind: "unavailable", message }),
  });
  let first = true;
  effect(() => {
    const text = s.text.value;
    if (first) {
      first = false;
      if (options.auto) runNow();
      else {
        s.phase.value = { kind: "guarded" };
        check(text);
      }
      return;
    }
    check(text);
    clearTimeout(timer);
    timer = window.setTimeout(() => runNow(), DEBOUNCE_MS);
  });
}

function check(text: string): void {
  checking = { id: client.check(text), text };
}

/** Plays the text as it stands. `force` lifts the cap that holds for runs nobody asked for. */
export function runNow(force = false): void {
  clearTimeout(timer);
  const text = s.text.peek();
  running = { id: client.run(text, force ? Number.MAX_SAFE_INTEGER : EVENT_CAP), text };
  const { id } = running;
  window.setTimeout(() => {
    const now = s.phase.peek();
    if (running?.id === id && now.kind === "running") s.phase.value = { ...now, visible: true };
  }, SHOW_PROGRESS_MS);
  s.phase.value = {
    kind: "running",
    done: 0,
    total: 0,
    visible: false,
    since: performance.now(),
    microbatches: 0,
  };
}

export function stop(): void {
  clearTimeout(timer);
  client.stop();
}

function finish(phase: s.Phase): void {
  running = null;
  s.phase.value = phase;
  write("guard", null);
}

function onChecked(id: number, loaded: Loaded): void {
  const asked = running?.id === id ? running : checking?.id === id ? checking : null;
  if (!asked || asked.text !== s.text.peek()) return;
  s.diagnostics.value = loaded.diagnostics;
  s.checkedText.value = asked.text;
  if (loaded.ok) return;
  clearTimeout(timer);
  client.stop();
  const announced = s.phase.peek().kind === "error";
  finish({ kind: "error" });
  if (!announced) s.announcement.value = en.announceErrors(s.errors.peek());
}

function onCapped(id: number, loaded: Loaded): void {
  if (running?.id !== id) return;
  s.diagnostics.value = loaded.diagnostics;
  finish({ kind: "capped", events: loaded.events });
}

function onProgress(id: number, done: number, total: number): void {
  const now = s.phase.peek();
  if (running?.id === id && now.kind === "running") s.phase.value = { ...now, done, total };
}

function onResult(id: number, loaded: Loaded, run: RunResult): void {
  if (running?.id !== id) return;
  const { text } = running;
  const last = s.result.peek();
  const facts = readFacts(run.summary);
  const again = last?.text === text;
  // All at once: nothing may look at a new trace with an old selection.
  batch(() => {
    if (text === s.text.peek()) {
      // What the run has shown is among them: expectations that were not met, memory that does not suffice.
      s.diagnostics.value = run.summary.diagnostics as typeof loaded.diagnostics;
      s.checkedText.value = text;
    }
    if (!again) {
      s.before.value = last?.facts ?? null;
      s.selection.value = s.embedded ? null : defaultSelection(run.trace);
    }
    s.offer.value = null;
    s.result.value = { text, facts, ...run };
    s.view.value = wantedView ?? keepView(s.view.peek(), last?.trace.end ?? 0, run.trace.end);
    finish({ kind: "done" });
  });
  wantedView = null;
  announce(facts, last?.facts ?? null);
  void lookAhead(text, loaded);
}

/** A view of the whole stays whole; a zoomed one stays where it is, as far as the new run reaches. */
function keepView(view: s.View, oldSpan: number, span: number): s.View {
  const whole = oldSpan === 0 || (view.t0 <= 0 && view.t1 >= oldSpan);
  if (whole || view.t0 >= span) return { t0: 0, t1: span };
  return { t0: view.t0, t1: Math.min(view.t1, span) };
}

function announce(facts: ReturnType<typeof readFacts>, last: ReturnType<typeof readFacts> | null): void {
  if (facts.stepMs === null || !last) return;
  const change = last.stepMs === null ? 0 : facts.stepMs - last.stepMs;
  const words = Math.abs(change) < 1e-9 ? en.same : en.change(time(Math.abs(change) * 1e9), change < 0);
  s.announcement.value = en.announceDone(time(facts.stepMs * 1e9), percent(facts.bubble ?? 0), words);
}

/** Plays the same scenario with twice the microbatches, to say what that would bring. */
async function lookAhead(text: string, loaded: Loaded): Promise<void> {
  const now = s.result.peek();
  if (s.embedded || !now || loaded.events * 2 > PROBE_CAP || !MICROBATCHES.test(text)) return;
  const microbatches = loaded.microbatches * 2;
  // The picture of this run comes before another run.
  await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
  const other = await client.probe(text, { "simulation.microbatches": microbatches }, PROBE_CAP).catch(() => null);
  if (!other || s.result.peek() !== now || s.text.peek() !== text) return;
  const facts = readFacts(other.summary);
  if (facts.bubble === null || now.facts.bubble === null) return;
  s.offer.value = { microbatches, bubble: facts.bubble, faster: facts.bubble < now.facts.bubble - 0.005 };
}
