// Plans in sentences: what one takes against another, and in what they differ.
import { count, percent, time } from "../text/format";
import { words } from "../text/plan";
import { EDIT, type Plan, type Shown, stagesOf } from "./report";
import { deviceName } from "./question";

export const ofMs = (ms: number): string => time(ms * 1e9, 4);
export const gib = (n: number): string => (n < 1000 ? n.toFixed(1) : count(n));

export const nameOf = (id: string): string =>
  id === EDIT ? words.edited : (words.rules[id]?.[1] ?? words.planName(Number(id)));

/** Of all samples times layers: how much devices of each type work on. */
function layerShares({ pipelines }: Plan): Map<string, number> {
  const shares = new Map<string, number>();
  let all = 0;
  for (const { local_batch, stages } of pipelines)
    for (const { gpu, layers } of stages) {
      all += local_batch * layers;
      shares.set(gpu, (shares.get(gpu) ?? 0) + local_batch * layers);
    }
  for (const [gpu, sum] of shares) shares.set(gpu, sum / all);
  return shares;
}

const sizes = ({ pipelines }: Plan): string =>
  [...new Set(pipelines.map(({ micro_batch_size }) => micro_batch_size))].sort((a, b) => a - b).join(" and ");

function againIn(plan: Plan): string {
  const stages = stagesOf(plan);
  return words.say.of(stages.filter(({ recompute }) => recompute !== "none").length, stages.length);
}

/** In what two plans differ, a sentence each; the faster one comes first. */
export function differences(one: Shown, two: Shown): string[] {
  const [a, b] = one.iteration_ms <= two.iteration_ms ? [one, two] : [two, one];
  const { say } = words;
  const same = b.iteration_ms < a.iteration_ms * (1 + 1e-6);
  const how = same
    ? say.equal
    : say.shorter(ofMs(b.iteration_ms - a.iteration_ms), (b.iteration_ms / a.iteration_ms).toFixed(2));
  const out = [say.time(nameOf(a.id), ofMs(a.iteration_ms), nameOf(b.id), ofMs(b.iteration_ms), how)];
  const put = (left: string, right: string, sentence: (left: string, right: string) => string) => {
    if (left !== right) out.push(sentence(left, right));
  };
  if (a.pipelines.length !== b.pipelines.length) out.push(say.pipelines(a.pipelines.length, b.pipelines.length));
  put(a.max_min_latency.toFixed(2), b.max_min_latency.toFixed(2), say.balance);
  put(againIn(a), againIn(b), say.again);
  put(sizes(a), sizes(b), say.micro);
  const [left, right] = [layerShares(a), layerShares(b)];
  for (const [gpu, share] of left)
    put(percent(share, 0), percent(right.get(gpu) ?? 0, 0), (x, y) => say.layers(deviceName(gpu), x, y));
  for (const plan of [a, b]) if (!plan.memory_fits) out.push(say.memory(nameOf(plan.id)));
  return out;
}

/** "ADm, LN1+AD x5" in words, a term for each number of layers. */
export const spelled = (label: string): string =>
  label
    .split(", ")
    .map((term) => {
      const [names, n] = term.split(" x");
      const list = names.split("+").map((name) => words.operators[name] ?? name).join(", ");
      return n ? words.inLayers(list, Number(n)) : list;
    })
    .join("; ");
