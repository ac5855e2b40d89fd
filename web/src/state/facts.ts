// The few numbers of a summary that the tiles, the deltas and the cards show. The summary may lack any of them.
type Json = Record<string, unknown>;

const object = (value: unknown): Json => (value && typeof value === "object" ? (value as Json) : {});
const number = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

export interface DevicePeak {
  device: string;
  bytes: number;
  parts: Record<string, number>;
}

export interface Facts {
  stepMs: number | null;
  bubble: number | null;
  mfu: number | null;
  tokensPerSecond: number | null;
  samplesPerSecond: number | null;
  perSecond: number | null;
  peaks: DevicePeak[];
  fits: boolean | null;
  lowerBoundMs: number | null;
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
    fits: typeof summary.fits === "boolean" ? summary.fits : null,
    lowerBoundMs: number(summary.lower_bound_ms),
    schedule: text(schedule.resolved) || text(schedule.name),
    traceHash: text(summary.trace_hash),
    scenarioHash: text(summary.scenario_hash),
    engine: text(summary.engine_version),
  };
}

/** The device with the highest peak. */
export const worstPeak = (facts: Facts): DevicePeak | null =>
  facts.peaks.reduce<DevicePeak | null>((a, b) => (a && a.bytes >= b.bytes ? a : b), null);
