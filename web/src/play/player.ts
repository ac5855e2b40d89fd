// The clock of playback: a moment of the run that moves on by itself, or step by step.
import { signal } from "@preact/signals";
import * as s from "../state/store";
import { setView } from "../timeline/view";
import { stepFrom } from "./narrate";

/** How long the whole run takes to play, in seconds. */
export const LENGTHS = [10, 30, 90];
export const length = signal(LENGTHS[1]);
export const moment = signal(0);
export const running = signal(false);

let last = 0;
let frame = 0;

const end = (): number => s.result.peek()?.trace.end ?? 0;

/** Where motion is unwelcome nothing moves by itself: there are only steps. */
export const stepsOnly = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Goes to a moment, and keeps it in sight. */
export function goTo(t: number): void {
  moment.value = Math.min(Math.max(t, 0), end());
  const { t0, t1 } = s.view.peek();
  const span = t1 - t0;
  if (moment.value < t0 || moment.value > t1) setView(moment.value - span * 0.1, moment.value + span * 0.9);
}

function tick(now: number): void {
  const passed = Math.min(now - last, 100) / 1000;
  last = now;
  goTo(moment.peek() + (passed * end()) / length.peek());
  if (moment.peek() >= end()) pause();
  else frame = requestAnimationFrame(tick);
}

export function pause(): void {
  running.value = false;
  cancelAnimationFrame(frame);
}

export function play(): void {
  if (stepsOnly() || running.peek() || end() === 0) return;
  if (moment.peek() >= end()) goTo(0);
  running.value = true;
  last = performance.now();
  frame = requestAnimationFrame(tick);
}

export const toggle = (): void => (running.peek() ? pause() : play());

export function step(forward: boolean): void {
  const trace = s.result.peek()?.trace;
  pause();
  if (trace) goTo(stepFrom(trace, moment.peek(), forward));
}
