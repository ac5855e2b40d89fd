// What the module says of a comparison, as `sluice learn --json` prints it, and what follows from it.

/** A schedule, played on the scenario. */
export interface Arm {
  schedule: string;
  /** Why it cannot run here; then nothing else is there. */
  refused?: string;
  synchronous: boolean;
  ms_per_microbatch: number;
  utilization: number;
  peak_memory_bytes: number;
  peak_in_flight: number;
  /** Without sums, or without an optimizer: 0. */
  summed_bytes_per_rank_and_update: number;
  weight_copies: number;
  drift_max: number;
  drift_mean: number;
  delay_max: number;
}

/** Samples seen, simulated time, and losses; a loss that is no number is null. */
export type Point = [samples: number, ms: number, train: number | null, test: number | null];

export interface Seed {
  seed: number;
  diverged: boolean;
  /** null while it is under way. */
  test_loss: number | null;
  curve: Point[];
}

/** An arm at one rate. */
export interface Case {
  arm: number;
  schedule: string;
  rate: number;
  diverged: number;
  test_loss_mean: number | null;
  test_loss_sd: number | null;
  microbatches_to_target: number | null;
  ms_to_target: number | null;
  seeds: Seed[];
}

export interface Report {
  stages: number;
  samples_per_microbatch: number;
  microbatches: number;
  seeds: number;
  target: number | null;
  arms: Arm[];
  cases: Case[];
}

export const isOver = ({ diverged, test_loss }: Seed): boolean => diverged || test_loss !== null;

/** A point of a case's curve: the mean over its seeds, and how far they lie apart. */
export interface Mean {
  samples: number;
  ms: number;
  mean: number;
  sd: number;
}

export function meanAndSd(values: number[]): [number, number] {
  const n = values.length;
  const mean = values.reduce((sum, x) => sum + x, 0) / n;
  const squares = values.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  return [mean, n > 1 ? Math.sqrt(squares / (n - 1)) : 0];
}

/** Over the seeds that are over and did not diverge; over the first alone while there is no other. */
export function curveOf({ seeds }: Case): Mean[] {
  const over = seeds.filter((one) => isOver(one) && !one.diverged);
  const used = over.length > 0 ? over : seeds.slice(0, 1);
  const out: Mean[] = [];
  (used[0]?.curve ?? []).forEach(([samples, ms], i) => {
    const losses = used.map(({ curve }) => curve[i]?.[3] ?? null);
    if (losses.some((loss) => loss === null)) return;
    const [mean, sd] = meanAndSd(losses as number[]);
    out.push({ samples, ms, mean, sd });
  });
  return out;
}

/** How many standard errors of their difference two final losses lie apart; null where that cannot be told. */
export function errorsApart(a: Case, b: Case): number | null {
  const part = ({ test_loss_mean: mean, test_loss_sd: sd, seeds, diverged }: Case) => {
    const n = seeds.filter(isOver).length - diverged;
    return mean === null || sd === null || n < 2 ? null : { mean, variance: sd ** 2 / n };
  };
  const [x, y] = [part(a), part(b)];
  if (!x || !y) return null;
  const error = Math.sqrt(x.variance + y.variance);
  return error > 0 ? Math.abs(x.mean - y.mean) / error : null;
}

/** So many standard errors are a difference; less may be chance. */
export const NOISE = 3;

/** Pairs of cases that lie within the noise. */
export const alike = (cases: Case[]): [Case, Case][] =>
  cases.flatMap((a, i) =>
    cases.slice(i + 1).flatMap((b): [Case, Case][] => ((errorsApart(a, b) ?? NOISE) < NOISE ? [[a, b]] : [])),
  );

/** Schedules to begin with beside the scenario's own: a flush, and two ways to go without. */
export function firstChoice(own: string, ranks: number, microbatches: number): string[] {
  const second = microbatches >= ranks ? "pipedream_2bw" : "pipedream";
  return ["1f1b", "paci", second].filter((name) => name !== own).slice(0, 2);
}

const quoted = (text: string) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A row a point, with the columns of the command's CSV. */
export function csvOf({ cases }: Report): string {
  const rows = cases.flatMap(({ schedule, rate, seeds }) =>
    seeds.flatMap(({ seed, curve }) => curve.map((point) => [quoted(schedule), rate, seed, ...point].join())),
  );
  return ["schedule,rate,seed,samples,ms,train_loss,test_loss", ...rows, ""].join("\n");
}
