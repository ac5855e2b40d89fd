// A recorded run and its replay as the page draws them: two traces of one step, and the figures of both.
import { layLanes, type Table } from "../worker/lanes";
import { NONE, type Plan, type Trace } from "../worker/protocol";

type Event = [rank: number, kind: string, stage: number, microbatch: number, from: number, to: number];
type PerStage = (number | null)[];

interface Figures {
  microbatches: number;
  period_median_ms: number | null;
  throughput_mb_per_s: number;
  bubble_ratio: number;
  utilization_per_stage: number[];
  forward_mean_ms: PerStage;
  backward_mean_ms: PerStage;
  update_mean_ms: PerStage;
  pause_median_ms: number | null;
  hops: { median_ms: number; count: number }[];
}

/** The document of the command's `import --json`. */
export interface Report {
  format: string;
  ranks: number[];
  devices: string[];
  order: string;
  first_iteration: number;
  last_iteration: number;
  measured: Figures;
  simulated: Figures;
  notes: string[];
  scenario: string;
}

export interface Imported {
  ok: true;
  report: Report;
  step: { measured: Event[]; simulated: Event[] };
}

export interface Refused {
  ok: false;
  diagnostics: { path: string; line: number; message: string }[];
}

const KINDS = ["F", "B", "I", "W", "update"];
const PS_PER_MS = 1e9;

export function planOf({ report, step }: Imported): Plan {
  const events = [...step.measured, ...step.simulated];
  const ranks = report.ranks.map((rank, place) => {
    const stages = [...new Set(events.filter(([at, kind]) => at === place && kind !== "update").map((e) => e[2]))];
    return { rank, resource: place, device: `rank ${rank}`, node: "", stages: stages.sort((a, b) => a - b) };
  });
  return {
    kinds: KINDS,
    stages: Math.max(1, ...events.map((e) => e[2] + 1)),
    pipes: 1,
    slices: 1,
    microbatches: report.measured.microbatches,
    batches: 1,
    ranks,
    resources: ranks.map(({ device }, place) => ({ type: "device", name: device, node: report.devices[place] })),
  };
}

export function traceOf(events: Event[], ranks: number): Trace {
  const sorted = [...events].sort((a, b) => a[4] - b[4] || a[5] - b[5]);
  const updates = ([, kind]: Event) => kind === "update";
  const zeros = new Uint8Array(sorted.length);
  const table: Table = {
    start: Float64Array.from(sorted, (e) => e[4] * PS_PER_MS),
    end: Float64Array.from(sorted, (e) => e[5] * PS_PER_MS),
    kind: Uint8Array.from(sorted, (e) => KINDS.indexOf(e[1])),
    resource: Uint32Array.from(sorted, (e) => e[0]),
    stage: Uint16Array.from(sorted, (e) => e[2]),
    microbatch: Uint32Array.from(sorted, (e) => (updates(e) ? NONE : e[3])),
    batch: new Uint32Array(sorted.length),
    slice: zeros,
    pipe: zeros,
    predecessor: new Uint32Array(sorted.length).fill(NONE),
  };
  return layLanes(table, ranks, ranks, KINDS);
}

export type Unit = "ms" | "share" | "rate";

export interface Line {
  id: "period" | "forward" | "backward" | "update" | "message" | "pause" | "throughput" | "bubble" | "utilization";
  unit: Unit;
  measured: number;
  simulated: number;
  /** Of the measured one; null where that is 0. */
  error: number | null;
}

const mean = (list: PerStage): number | null => {
  const known = list.filter((value) => value !== null);
  return known.length > 0 ? known.reduce((a, b) => a + b, 0) / known.length : null;
};

/** Messages of all hops, each as often as it was seen. */
function messages({ hops }: Figures): number | null {
  const count = hops.reduce((sum, hop) => sum + hop.count, 0);
  return count > 0 ? hops.reduce((sum, hop) => sum + hop.median_ms * hop.count, 0) / count : null;
}

/** What both have, kind by kind: means over stages, of messages and pauses the medians. */
export function linesOf({ measured, simulated }: Report): Line[] {
  const of: [Line["id"], Unit, (figures: Figures) => number | null][] = [
    ["period", "ms", (f) => f.period_median_ms],
    ["forward", "ms", (f) => mean(f.forward_mean_ms)],
    ["backward", "ms", (f) => mean(f.backward_mean_ms)],
    ["update", "ms", (f) => mean(f.update_mean_ms)],
    ["message", "ms", messages],
    ["pause", "ms", (f) => f.pause_median_ms],
    ["throughput", "rate", (f) => f.throughput_mb_per_s],
    ["bubble", "share", (f) => f.bubble_ratio],
    ["utilization", "share", (f) => mean(f.utilization_per_stage)],
  ];
  return of.flatMap(([id, unit, read]) => {
    const [real, played] = [read(measured), read(simulated)];
    if (real === null || played === null) return [];
    return [{ id, unit, measured: real, simulated: played, error: real === 0 ? null : played / real - 1 }];
  });
}

export interface Pair {
  rank: number;
  name: string;
  measured: [start: number, duration: number];
  simulated: [start: number, duration: number] | null;
}

/** Operations of the measured step with their own in the replay, in the order of their starts; milliseconds. */
export function pairsOf({ report, step }: Imported): Pair[] {
  const key = ([rank, kind, stage, microbatch]: Event) => `${rank} ${kind} ${stage} ${microbatch}`;
  const played = new Map(step.simulated.map((e) => [key(e), e]));
  return step.measured.map((e) => {
    const other = played.get(key(e));
    const [place, kind, stage, microbatch, from, to] = e;
    return {
      rank: report.ranks[place],
      name: kind === "update" ? kind : `${kind}${microbatch}@${stage}`,
      measured: [from, to - from],
      simulated: other ? [other[4], other[5] - other[4]] : null,
    };
  });
}
