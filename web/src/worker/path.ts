// The critical path of a run: from the operation that ends last, back through what decided each start.
// The module names the one predecessor that decided; walking them is enough.
import { type CriticalPath, NONE, type Trace } from "./protocol";

/** Time lost to what is no work (a failed device) counts as waiting. */
export function criticalPath(trace: Trace, work: boolean[]): CriticalPath | null {
  const n = trace.start.length;
  let at = NONE;
  let latest = -1;
  for (let i = 0; i < n; i++) {
    const end = trace.start[i] + trace.dur[i];
    if (end > latest) {
      latest = end;
      at = i;
    }
  }
  if (at === NONE || trace.predecessor[at] === NONE) return null;
  const firstLink = trace.offsets[trace.devices];
  const path: CriticalPath = { compute: 0, link: 0, wait: 0 };
  let until = latest;
  for (let steps = 0; at !== NONE && steps < n; steps++) {
    const start = trace.start[at];
    const end = Math.min(start + trace.dur[at], until);
    path.wait += until - end;
    if (work[trace.kind[at]] === false) path.wait += end - start;
    else if (at < firstLink) path.compute += end - start;
    else path.link += end - start;
    until = start;
    at = trace.predecessor[at];
  }
  path.wait += until;
  return path;
}
