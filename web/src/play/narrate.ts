// What happens at a moment of a run: its phase, who works, and who waits for what.
import { endOf, type Gap } from "../timeline/gaps";
import { thingAt } from "../timeline/hit";
import { OVERLAPPED, workTable } from "../worker/kinds";
import { NONE, type Plan, type Trace } from "../worker/protocol";

/** Of one batch, in picoseconds: its first operation and backward, and the ends of its last forward and backward. */
export interface Phases {
  start: number;
  firstBackward: number;
  lastForward: number;
  lastBackward: number;
}

export type Phase = "warm-up" | "steady" | "drain" | "update" | "end";

const BACKWARD = new Set(["B", "I", "W"]);

/** One entry a batch. O(slices). */
export function phasesOf(trace: Trace, plan: Plan): Phases[] {
  const forwards = plan.kinds.map((kind) => kind === "F" || kind === OVERLAPPED);
  const backwards = plan.kinds.map((kind) => BACKWARD.has(kind));
  const all: Phases[] = [];
  for (let i = 0; i < trace.offsets[trace.devices]; i++) {
    const kind = trace.kind[i];
    const batch = trace.batch[i];
    if ((!forwards[kind] && !backwards[kind]) || batch === NONE) continue;
    const own = (all[batch] ??= { start: Infinity, firstBackward: Infinity, lastForward: 0, lastBackward: 0 });
    own.start = Math.min(own.start, trace.start[i]);
    if (backwards[kind]) {
      own.firstBackward = Math.min(own.firstBackward, trace.start[i]);
      own.lastBackward = Math.max(own.lastBackward, endOf(trace, i));
    } else own.lastForward = Math.max(own.lastForward, endOf(trace, i));
  }
  return all;
}

/** The newest batch that has begun, and how far it is. Batches that run into each other are told by their newest. */
export function phaseAt(phases: Phases[], end: number, t: number): { phase: Phase; batch: number } {
  let batch = 0;
  while (batch + 1 < phases.length && phases[batch + 1].start <= t) batch++;
  const own = phases[batch];
  const phase = (): Phase => {
    if (t >= end) return "end";
    if (!own || t < own.firstBackward) return "warm-up";
    if (t < own.lastForward) return "steady";
    return t < own.lastBackward ? "drain" : "update";
  };
  return { phase: phase(), batch };
}

export interface Moment {
  /** Devices that work, and all of them; links that carry something. */
  working: number;
  devices: number;
  carrying: number;
  /** Of the devices with work to come, the one that has waited longest, and the slice that ends its wait, or NONE. */
  waiting: { gap: Gap; decider: number } | null;
}

/** O(lanes log slices). */
export function momentAt(trace: Trace, plan: Plan, t: number): Moment {
  const work = workTable(plan.kinds);
  const moment: Moment = { working: 0, devices: trace.devices, carrying: 0, waiting: null };
  for (let lane = 0; lane < trace.lanes; lane++) {
    const thing = thingAt(trace, lane, t);
    if (thing?.type === "slice") {
      if (lane >= trace.devices) moment.carrying++;
      else if (work[trace.kind[thing.index]]) moment.working++;
    } else if (thing && thing.next < trace.offsets[lane + 1]) {
      if (moment.waiting && moment.waiting.gap.start <= thing.start) continue;
      moment.waiting = { gap: thing, decider: trace.predecessor[thing.next] };
    }
  }
  return moment;
}

/** The next time at which something starts on a device, or the last before `t`; else the end or start of the run. */
export function stepFrom(trace: Trace, t: number, forward: boolean): number {
  let found = forward ? trace.end : 0;
  for (let lane = 0; lane < trace.devices; lane++) {
    let low = trace.offsets[lane];
    let high = trace.offsets[lane + 1];
    // The first slice that starts after `t`, or at or after it when going back.
    while (low < high) {
      const middle = (low + high) >> 1;
      if (forward ? trace.start[middle] <= t : trace.start[middle] < t) low = middle + 1;
      else high = middle;
    }
    if (forward && low < trace.offsets[lane + 1]) found = Math.min(found, trace.start[low]);
    if (!forward && low > trace.offsets[lane]) found = Math.max(found, trace.start[low - 1]);
  }
  return found;
}
