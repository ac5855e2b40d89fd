// The few numbers of a summary that the tiles, the deltas and the cards show. The summary may lack any of them.
export type Json = Record<string, unknown>;

export const object = (value: unknown): Json => (value && typeof value === "object" ? (value as Json) : {});
export const number = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

export interface DevicePeak {
  device: string;
  bytes: number;
  parts: Record<string, number>;
}

/** What figures were made from: of time, links and bytes; the mean error where it was measured, percent. */
export interface Certainty {
  compute: string;
  communication: string;
  memory: string;
  errorPct: number | null;
}

/** The chain of operations that sets the time, milliseconds by what it is made of. */
export interface PathParts {
  compute: number;
  link: number;
  wait: number;
}

export interface Facts {
  stepMs: number | null;
  bubble: number | null;
  mfu: number | null;
  tokensPerSecond: number | null;
  samplesPerSecond: number | null;
  perSecond: number | null;
  peaks: DevicePeak[];
  /** Of each rank: most activations it holds at once, in stages of one chunk a rank. */
  inFlight: number[];
  weightCopies: number;
  fits: boolean | null;
  lowerBoundMs: number | null;
  path: PathParts;
  certainty: Certainty;
  schedule: string;
  traceHash: string;
  scenarioHash: string;
  engine: string;
}

function readPeaks(memory: Json): DevicePeak[] {
  const parts = object(memory.parts_bytes);
  const exact = Object.entries(object(memory.peak_bytes));
  const mib = Object.entries(object(memory.peak_per_device_mb));
  const rows = exact.length > 0 ? exact : mib.map(([d, v]) => [d, (number(v) ?? 0) * 2 ** 20] as const);
  return rows.flatMap(([device, value]) => {
    const bytes = number(value);
    if (bytes === null || bytes <= 0) return [];
    const own = Object.entries(object(parts[device])).map(([k, v]) => [k, number(v) ?? 0] as const);
    return [{ device, bytes, parts: Object.fromEntries(own) }];
  });
}

/** Chunks and slices are pieces of a stage; a stage of the other direction is a whole one. */
function readInFlight(summary: Json, schedule: Json): number[] {
  const pieces = object(summary.peak_in_flight).until_W;
  if (!Array.isArray(pieces)) return [];
  const copies = number(schedule.weight_copies) ?? 1;
  const each = Math.max(1, ((number(schedule.chunks) ?? 1) / copies) * (number(schedule.slices) ?? 1));
  return pieces.map((n) => (number(n) ?? 0) / each);
}

function readCertainty(certainty: Json): Certainty {
  return {
    compute: text(certainty.compute),
    communication: text(certainty.communication),
    memory: text(certainty.memory),
    errorPct: number(object(certainty.period_error).mean_pct),
  };
}

const readPath = (path: Json): PathParts => ({
  compute: number(path.compute_ms) ?? 0,
  link: number(path.communication_ms) ?? 0,
  wait: number(path.wait_ms) ?? 0,
});

export function readFacts(summary: Json): Facts {
  const schedule = object(summary.schedule);
  const throughput = object(summary.throughput);
  return {
    stepMs: number(object(summary.time_ms).makespan_ms),
    bubble: number(object(summary.bubble).idle_over_makespan),
    mfu: number(summary.mfu),
    tokensPerSecond: number(throughput.tokens_per_s),
    samplesPerSecond: number(throughput.samples_per_s),
    perSecond: number(throughput.per_s),
    peaks: readPeaks(object(summary.memory)),
    inFlight: readInFlight(summary, schedule),
    weightCopies: number(schedule.weight_copies) ?? 1,
    fits: typeof summary.fits === "boolean" ? summary.fits : null,
    lowerBoundMs: number(summary.lower_bound_ms),
    path: readPath(object(summary.critical_path)),
    certainty: readCertainty(object(summary.certainty)),
    schedule: text(schedule.resolved) || text(schedule.name),
    traceHash: text(summary.trace_hash),
    scenarioHash: text(summary.scenario_hash),
    engine: text(summary.engine_version),
  };
}

/** The device with the highest peak. */
export const worstPeak = (facts: Facts): DevicePeak | null =>
  facts.peaks.reduce<DevicePeak | null>((a, b) => (a && a.bytes >= b.bytes ? a : b), null);
