// A plan changed by hand: layers go to the neighbour, samples to another pipeline, and the size of a microbatch changes.
// What it costs is the engine's to say.
import { writeScalar } from "../editor/scalar";
import { EDIT, type Pipeline, type Shown } from "./report";

const MOST_MICRO = 64;

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
const lcm = (a: number, b: number): number => (a / gcd(a, b)) * b;

/** The plan with one pipeline changed, for each that is named. */
const change = (plan: Shown, changes: Record<number, Partial<Pipeline>>): Shown => ({
  ...plan,
  id: EDIT,
  pipelines: plan.pipelines.map((pipeline, i) => {
    const next = { ...pipeline, ...changes[i] };
    return { ...next, microbatches: next.local_batch / next.micro_batch_size };
  }),
});

/** A layer goes from a stage to the one before it (-1) or behind it (1); null where there is none, or none to give. */
export function moveLayer(plan: Shown, pipeline: number, from: number, by: -1 | 1): Shown | null {
  const { stages } = plan.pipelines[pipeline];
  const to = from + by;
  if (!stages[to] || stages[from].layers < 2) return null;
  const moved = stages.map((stage, i) => ({
    ...stage,
    layers: stage.layers + (i === to ? 1 : 0) - (i === from ? 1 : 0),
  }));
  return change(plan, { [pipeline]: { stages: moved } });
}

/** Samples that one pipeline can give to another at once: whole microbatches of both. */
export const portion = ({ pipelines }: Shown, from: number, to: number): number =>
  lcm(pipelines[from].micro_batch_size, pipelines[to].micro_batch_size);

/** Who takes what a pipeline gives: the one that ends first of the others. */
export function takerOf({ pipelines }: Shown, from: number): number {
  let best = -1;
  pipelines.forEach(({ iteration_ms }, i) => {
    if (i !== from && (best < 0 || iteration_ms < pipelines[best].iteration_ms)) best = i;
  });
  return best;
}

/** Samples go to the pipeline that ends first; null where it has none to give. */
export function moveBatch(plan: Shown, from: number): Shown | null {
  const to = takerOf(plan, from);
  if (to < 0) return null;
  const samples = portion(plan, from, to);
  const left = plan.pipelines[from].local_batch - samples;
  if (left < plan.pipelines[from].micro_batch_size) return null;
  return change(plan, {
    [from]: { local_batch: left },
    [to]: { local_batch: plan.pipelines[to].local_batch + samples },
  });
}

/** Sizes of a microbatch that divide the samples, and that all groups of devices can divide. */
export function microSizes({ local_batch, stages }: Pipeline): number[] {
  const groups = stages.reduce((all, { data_parallel }) => lcm(all, data_parallel), 1);
  const sizes: number[] = [];
  for (let size = groups; size <= Math.min(local_batch, MOST_MICRO); size += groups)
    if (local_batch % size === 0) sizes.push(size);
  return sizes;
}

export const setMicro = (plan: Shown, pipeline: number, size: number): Shown =>
  change(plan, { [pipeline]: { micro_batch_size: size } });

/** The scenario of `plan` with what `next` has otherwise. */
export function writePlan(plan: Shown, next: Shown): string {
  let { text } = plan;
  const put = (path: string, before: number, value: number) => {
    if (before !== value) text = writeScalar(text, path, `${value}`);
  };
  next.pipelines.forEach((pipeline, p) => {
    const old = plan.pipelines[p];
    const path = `pipelines[${p}]`;
    put(`${path}.local_batch`, old.local_batch, pipeline.local_batch);
    put(`${path}.micro_batch_size`, old.micro_batch_size, pipeline.micro_batch_size);
    pipeline.stages.forEach((stage, s) => put(`${path}.stages[${s}].layers`, old.stages[s].layers, stage.layers));
  });
  return text;
}
