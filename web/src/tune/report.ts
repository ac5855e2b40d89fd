// What the search says in the end: the module's JSON, as `sluice tune --json` prints it.
import type { FoundPlan, TuneOptions } from "../worker/protocol";

export type AxisName = NonNullable<TuneOptions["axes"]>[number];

export interface Candidate {
  name: string;
  /** null where it cannot run, and `reason` says why. */
  makespan_ms: number | null;
  peak_memory?: number;
  fits: boolean;
  reason?: string;
}

export interface Report {
  best: (FoundPlan & { peak_memory: number; buffers: number | null; megatron_layout: string | null }) | null;
  candidates: Candidate[];
  single_axis_makespan_ms?: Record<AxisName, number | null>;
  lower_bound_ms: number;
  binding: string;
  whole_layers_bound_ms: number;
  evaluations: number;
}

/** Those that ran: what fits first, then the fastest. */
export const ranked = ({ candidates }: Report): Candidate[] =>
  candidates
    .filter((one) => one.makespan_ms !== null)
    .sort((a, b) => Number(b.fits) - Number(a.fits) || (a.makespan_ms as number) - (b.makespan_ms as number));
