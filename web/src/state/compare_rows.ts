// The rows of a comparison: read, sorted, and what they say in one sentence.
/** One schedule on this scenario; without `time` it cannot run, and `reason` says why. */
export interface Row {
  name: string;
  family: string;
  doc: string;
  current: boolean;
  reason: string;
  /** Picoseconds. */
  time: number | null;
  bubble: number;
  /** Above what no order can beat, as a share; null where no bound is known. */
  gap: number | null;
  bytes: number;
  stages: number;
  copies: number;
  fits: boolean;
}

/** Why a schedule cannot run, without its name in front. */
export const reasonOf = ({ name, reason }: Row): string =>
  reason.startsWith(`${name}: `) ? reason.slice(name.length + 2) : reason;

interface RawRow {
  name: string;
  family?: string;
  doc?: string;
  current?: boolean;
  reason?: string;
  makespan_ms?: number;
  bubble?: { idle_over_makespan?: number };
  gap_pct?: number | null;
  peak_memory_bytes?: number;
  peak_in_flight_stages?: number;
  weight_copies?: number;
  fits?: boolean;
}

export function readRows(json: string): Row[] {
  const { schedules = [] } = (json ? JSON.parse(json) : {}) as { schedules?: RawRow[] };
  return schedules.map((raw) => ({
    name: raw.name,
    family: raw.family ?? "",
    doc: raw.doc ?? "",
    current: raw.current ?? false,
    reason: raw.reason ?? "",
    time: raw.makespan_ms === undefined ? null : raw.makespan_ms * 1e9,
    bubble: raw.bubble?.idle_over_makespan ?? 0,
    gap: raw.gap_pct == null ? null : raw.gap_pct / 100,
    bytes: raw.peak_memory_bytes ?? 0,
    stages: raw.peak_in_flight_stages ?? 0,
    copies: raw.weight_copies ?? 1,
    fits: raw.fits ?? true,
  }));
}

export type Column = "name" | "time" | "bubble" | "gap" | "bytes" | "stages" | "copies";

/** By one column, those that cannot run last; equal ones by name. */
export function sortRows(rows: Row[], by: Column, down: boolean): Row[] {
  const sign = down ? -1 : 1;
  return [...rows].sort((a, b) => {
    if ((a.time === null) !== (b.time === null)) return a.time === null ? 1 : -1;
    const names = a.name.localeCompare(b.name, "en", { numeric: true });
    if (by === "name" || a.time === null) return by === "name" ? sign * names : names;
    const [x, y] = [a[by] ?? Number.POSITIVE_INFINITY, b[by] ?? Number.POSITIVE_INFINITY];
    return x === y ? names : sign * ((x as number) - (y as number));
  });
}

export interface Verdict {
  fastest: Row;
  /** Of those that fit, the one with the least memory; null when that is the fastest itself. */
  leanest: Row | null;
  current: Row | null;
}

/** What the table says in one sentence. `stale` names schedules that train on stale weights: never the answer. */
export function verdictOf(rows: Row[], stale: Set<string>): Verdict | null {
  const fit = rows.filter((row) => row.time !== null && row.fits && (row.current || !stale.has(row.name)));
  if (fit.length === 0) return null;
  const least = (value: (row: Row) => number) =>
    fit.reduce((a, b) => (value(b) < value(a) || (value(b) === value(a) && b.current) ? b : a));
  const fastest = least((row) => row.time as number);
  const leanest = least((row) => row.bytes);
  return {
    fastest,
    leanest: leanest.bytes < fastest.bytes ? leanest : null,
    current: rows.find((row) => row.current && row.time !== null) ?? null,
  };
}
