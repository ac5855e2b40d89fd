// Which version of its stage's weights an operation reads, where a schedule never drains.
import { kindOf } from "../worker/kinds";
import { NONE, type Plan, type Trace } from "../worker/protocol";

export interface Read {
  /** Of the microbatch on this stage: by its forward, and by its backward. */
  forward: number;
  backward: number;
  isForward: boolean;
  /** By the operation itself. */
  reads: number;
}

/** null for what reads no weights, and where the run has no versions. */
export function versionRead(trace: Trace, plan: Plan, i: number): Read | null {
  const { readForward, readBackward } = trace;
  const { letter } = kindOf(plan.kinds[trace.kind[i]] ?? "");
  if (!readForward || !readBackward || !letter || trace.microbatch[i] === NONE) return null;
  const isForward = letter === "F";
  const [forward, backward] = [readForward[i], readBackward[i]];
  return { forward, backward, isForward, reads: isForward ? forward : backward };
}
