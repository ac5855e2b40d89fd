// Why one run is longer than another, exactly: on every rank the step is what its device computes, by kind, and its
// idle time, by cause. So the difference of two steps is the sum of the differences of these parts, on each rank and
// on the mean over ranks, to the picosecond. Whole numbers and fractions of them: nothing is lost to rounding.
import { type Json, number, object } from "../state/facts";
import { unitFor } from "../text/format";

/** Parts of a step, "busy F" or "idle warm_up", with the picoseconds each takes on every rank. */
type Parts = Map<string, number[]>;

export interface SplitRow {
  /** A kind of work, or a cause of idle time. */
  work: boolean;
  name: string;
  /** B minus A, on the mean over ranks: picoseconds times `Split.scale`. */
  mean: bigint;
  /** B minus A on each rank, picoseconds; empty when A and B have different numbers of ranks. */
  ranks: number[];
}

export interface Split {
  a: number;
  b: number;
  /** Of ranks. */
  counts: [number, number];
  rows: SplitRow[];
  scale: bigint;
}

/** The whole picoseconds that were written as milliseconds; exact below 2^52 ps, which is 75 minutes. */
export function picoseconds(ms: number): number {
  const near = Math.round(ms * 1e9);
  return [near, near - 1, near + 1].find((ps) => ps / 1e9 === ms) ?? near;
}

function partsOf(summary: Json): Parts {
  const parts: Parts = new Map();
  for (const [kind, field] of [
    ["busy", summary.busy_ms],
    ["idle", summary.idle_ms],
  ] as const) {
    const ranks = object(field).per_rank;
    if (!Array.isArray(ranks)) continue;
    ranks.forEach((rank, r) => {
      for (const [name, ms] of Object.entries(object(rank))) {
        const key = `${kind} ${name}`;
        if (!parts.has(key)) parts.set(key, Array(ranks.length).fill(0));
        (parts.get(key) as number[])[r] = picoseconds(number(ms) ?? 0);
      }
    });
  }
  return parts;
}

const ranksOf = (summary: Json): number => {
  const ranks = object(summary.idle_ms).per_rank;
  return Array.isArray(ranks) ? ranks.length : 0;
};
const stepOf = (summary: Json): number => picoseconds(number(object(summary.time_ms).makespan_ms) ?? 0);
const total = (parts: bigint[]): bigint => parts.reduce((all, one) => all + one, 0n);
const sum = (values: number[]): bigint => total(values.map(BigInt));

/** Rows in the order of the summaries, without those in which nothing differs. */
export function splitOf(a: Json, b: Json): Split | null {
  const counts: [number, number] = [ranksOf(a), ranksOf(b)];
  const [m, n] = counts;
  if (m === 0 || n === 0) return null;
  const [of, to] = [partsOf(a), partsOf(b)];
  const keys = [...new Set([...of.keys(), ...to.keys()])];
  // Work first; of each, the order of the first summary that knows it.
  keys.sort((x, y) => Number(y.startsWith("busy")) - Number(x.startsWith("busy")));
  const rows = keys.flatMap((key): SplitRow[] => {
    const [before, after] = [of.get(key) ?? Array(m).fill(0), to.get(key) ?? Array(n).fill(0)];
    const ranks = m === n ? after.map((ps, r) => ps - before[r]) : [];
    const mean = sum(after) * BigInt(m) - sum(before) * BigInt(n);
    if (mean === 0n && ranks.every((ps) => ps === 0)) return [];
    return [{ work: key.startsWith("busy"), name: key.slice(5), mean, ranks }];
  });
  return { a: stepOf(a), b: stepOf(b), counts, rows, scale: BigInt(m * n) };
}

const modulo = (n: bigint, by: bigint): bigint => ((n % by) + by) % by;

/**
 * The parts in whole quanta: each rounded up or down so that they add up to their sum, rounded, or to `wanted`, the sum
 * rounded up or down. What is 0 stays 0. (The largest remainders are rounded up.)
 */
export function inQuanta(parts: bigint[], quantum: bigint, wanted?: number): number[] {
  const rest = parts.map((part) => modulo(part, quantum));
  const out = parts.map((part, i) => Number((part - rest[i]) / quantum));
  const nearest = Number((2n * total(rest) + quantum) / (2n * quantum));
  let up = wanted === undefined ? nearest : wanted - out.reduce((all, one) => all + one, 0);
  const order = rest.map((_, i) => i).sort((i, j) => (rest[i] === rest[j] ? i - j : rest[i] < rest[j] ? 1 : -1));
  for (const i of order) if (up-- > 0) out[i]++;
  return out;
}

/** One column of the rows in quanta: work and idle time add up to the step, and each kind and cause to those. */
export function columnOf(rows: SplitRow[], quantum: bigint, value: (row: SplitRow) => bigint): number[] {
  const groups = [true, false].map((work) => rows.filter((row) => row.work === work).map(value));
  const sums = inQuanta(groups.map(total), quantum);
  return groups.flatMap((parts, i) => inQuanta(parts, quantum, sums[i]));
}

/** A power of ten of picoseconds, so that `largest` has `digits` digits. */
export function quantumFor(largest: number, digits: number): number {
  return largest < 1 ? 1 : 10 ** Math.max(0, Math.floor(Math.log10(largest)) + 1 - digits);
}

/** How quanta are written beside others: the unit of one of them, one number of digits. */
export function scaleFor(one: number, quantum: number): { unit: string; write(quanta: number): string } {
  const [unit, size] = unitFor(one);
  const digits = Math.max(0, Math.round(Math.log10(size / quantum)));
  return { unit, write: (quanta) => ((quanta * quantum) / size).toFixed(digits) };
}
