// What a search for pipelines found: the module's JSON, and the same in the form that is drawn, to which what the engine
// plays is added.
import type { RunResult } from "../worker/protocol";
import { deviceName, type Nodes } from "./question";

export interface Stage {
  gpu: string;
  devices: number;
  tensor_parallel: number;
  data_parallel: number;
  layers: number;
  recompute: string;
  /** A forward and a backward of one microbatch. */
  time_ms: number;
  memory_GiB: number;
  device_memory_GiB: number;
  /** The parts of time_ms, where the engine has played it. */
  forward_ms?: number;
}

export interface Pipeline {
  local_batch: number;
  micro_batch_size: number;
  microbatches: number;
  iteration_ms: number;
  stages: Stage[];
}

export interface Plan {
  iteration_ms: number;
  /** By the closed form. */
  analytic_ms: number;
  max_min_latency: number;
  memory_fits: boolean;
  pipelines: Pipeline[];
}

export interface Report {
  plans: Plan[];
  /** null where nothing fits. "ideal" has no pipelines. */
  baselines: Record<string, Plan | null>;
  search: { configurations: number; evaluated: number };
  /** Why there are no plans. */
  why?: string;
}

/** The end of a search: the report, and each plan as a scenario. */
export interface Found {
  report: Report;
  texts: Record<string, string>;
}

/** A plan under its name: "0" and on are the search's own, the others baselines; EDIT is the reader's. */
export interface Shown extends Plan {
  id: string;
  text: string;
}

export const EDIT = "edit";
export const IDEAL = "ideal";

export function shownOf({ report, texts }: Found): Shown[] {
  const plans = report.plans.map((plan, i) => ({ ...plan, id: `${i}`, text: texts[i] }));
  const others = Object.entries(report.baselines).flatMap(([id, plan]) =>
    plan?.pipelines ? [{ ...plan, id, text: texts[id] }] : [],
  );
  return [...plans, ...others];
}

export const stagesOf = (plan: Plan): Stage[] => plan.pipelines.flatMap(({ stages }) => stages);

/** The stage whose devices are fullest. */
export const fullest = (plan: Plan): Stage =>
  stagesOf(plan).reduce((a, b) => (b.memory_GiB / b.device_memory_GiB > a.memory_GiB / a.device_memory_GiB ? b : a));

/** More than rounding makes of what is full to the brim. */
export const isOver = ({ memory_GiB, device_memory_GiB }: Stage): boolean => memory_GiB > device_memory_GiB * 1.00001;

/** Devices of one node that hold one stage. */
export interface Hold {
  pipeline: number;
  stage: number;
  devices: number;
}

export interface ClusterRow {
  gpu: string;
  devices: number;
  nodes: Hold[][];
}

/** Which devices hold what: stages take the devices of their type one after the other, as the module's scenario does. */
export function clusterOf(cluster: Nodes[], { pipelines }: Plan): ClusterRow[] {
  const rows = cluster.map(({ gpu, nodes, devices }) => ({
    gpu,
    devices,
    nodes: Array.from({ length: nodes }, (): Hold[] => []),
  }));
  const used = new Map<string, number>();
  pipelines.forEach(({ stages }, pipeline) =>
    stages.forEach(({ gpu, devices }, stage) => {
      let at = used.get(gpu) ?? 0;
      used.set(gpu, at + devices);
      // Nodes of one type may be written in several entries.
      for (const row of rows.filter((one) => one.gpu === gpu)) {
        const all = row.nodes.length * row.devices;
        while (devices > 0 && at < all) {
          const taken = Math.min(devices, row.devices - (at % row.devices));
          row.nodes[Math.floor(at / row.devices)].push({ pipeline, stage, devices: taken });
          at += taken;
          devices -= taken;
        }
        at -= all;
        if (devices === 0) break;
      }
    }),
  );
  return rows;
}

/** "2 × (2 × 910B4 → 4 × 910B2)": equal pipelines together, the stages of each by type. */
export function shortForm({ pipelines }: Plan): string {
  const counts = new Map<string, number>();
  for (const { stages } of pipelines) {
    const runs: [string, number][] = [];
    for (const { gpu } of stages) {
      const last = runs.at(-1);
      if (last?.[0] === gpu) last[1]++;
      else runs.push([gpu, 1]);
    }
    const form = runs.map(([gpu, n]) => `${n} × ${deviceName(gpu)}`).join(" → ");
    counts.set(form, (counts.get(form) ?? 0) + 1);
  }
  return [...counts].map(([form, n]) => (n > 1 ? `${n} × (${form})` : form)).join(", ");
}

const MS = 1e9;
const GIB = 2 ** 30;

/** The plan with the times and memory that the engine found. Its devices come in the order of the stages. */
export function withRun(plan: Shown, { trace, plan: ran, summary }: RunResult): Shown {
  const peaks = Object.values((summary.memory as { peak_bytes: Record<string, number> }).peak_bytes);
  const forward = ran.kinds.indexOf("F");
  const parts = [forward, ...["B", "recompute"].map((kind) => ran.kinds.indexOf(kind))];
  let lane = 0;
  const pipelines = plan.pipelines.map((pipeline) => {
    let end = 0;
    const stages = pipeline.stages.map((stage) => {
      const sums = [0, 0, 0];
      for (let i = trace.offsets[lane]; i < trace.offsets[lane + 1]; i++) {
        const part = parts.indexOf(trace.kind[i]);
        if (part < 0) continue;
        sums[part] += trace.dur[i];
        end = Math.max(end, trace.start[i] + trace.dur[i]);
      }
      const each = sums.map((sum) => sum / pipeline.microbatches / MS);
      return {
        ...stage,
        forward_ms: each[0],
        time_ms: each[0] + each[1] + each[2],
        memory_GiB: peaks[lane++] / GIB,
      };
    });
    return { ...pipeline, iteration_ms: end / MS, stages };
  });
  const times = pipelines.flatMap(({ stages }) => stages.map(({ time_ms }) => time_ms));
  return {
    ...plan,
    pipelines,
    iteration_ms: (summary.time_ms as { makespan_ms: number }).makespan_ms,
    max_min_latency: Math.max(...times) / Math.min(...times),
    memory_fits: summary.fits !== false,
  };
}
