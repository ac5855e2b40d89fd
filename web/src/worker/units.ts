// The unit of the papers' figures: how long one forward of a microbatch takes on one rank.
import { OVERLAPPED } from "./kinds";
import type { Plan, Trace } from "./protocol";

/**
 * Picoseconds of one forward: of a microbatch through all that a rank holds of the model, whatever chunks and slices
 * it is cut into, so that one axis fits different schedules. The median over the ranks; 0 without forwards.
 */
export function forwardTime(trace: Trace, plan: Plan): number {
  const forward = plan.kinds.indexOf("F");
  const overlapped = plan.kinds.indexOf(OVERLAPPED);
  const each: number[] = [];
  for (let lane = 0; lane < trace.devices; lane++) {
    let plain = 0;
    let sum = 0;
    let all = 0;
    for (let i = trace.offsets[lane]; i < trace.offsets[lane + 1]; i++) {
      if (trace.kind[i] === forward) {
        plain++;
        sum += trace.dur[i];
      }
      // An overlapped cell has no forward time of its own; it counts as one of the others.
      if (trace.kind[i] === forward || trace.kind[i] === overlapped) all++;
    }
    if (plain > 0) each.push(((sum / plain) * all) / Math.max(1, plan.microbatches * plan.batches));
  }
  each.sort((a, b) => a - b);
  return each.length > 0 ? each[each.length >> 1] : 0;
}
