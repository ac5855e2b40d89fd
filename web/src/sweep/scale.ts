// How figures of a sweep are written and where its axes are marked.
import { tickStep } from "../timeline/ticks";
import { unitFor } from "../text/format";
import { METRICS } from "./rows";

/** A unit for all figures of one chart: what one of it is in the figures of the CSV. */
export interface Unit {
  name: string;
  size: number;
}

const PS_PER_MS = 1e9;

/** Chosen by the largest figure. */
export function unitOf(metric: number, most: number): Unit {
  const name: string = METRICS[metric];
  if (name.endsWith("_ms")) {
    const [unit, ps] = unitFor(most * PS_PER_MS);
    return { name: unit, size: ps / PS_PER_MS };
  }
  if (name.startsWith("bubble")) return { name: "%", size: 0.01 };
  if (name.endsWith("_bytes")) {
    return most >= 2 ** 30 ? { name: "GiB", size: 2 ** 30 } : { name: "MiB", size: 2 ** 20 };
  }
  return { name: "/s", size: 1 };
}

/** Four significant digits, without an exponent. */
export function figure(value: number, { size }: Unit): string {
  const x = value / size;
  const digits = 3 - Math.floor(Math.log10(Math.abs(x) || 1));
  return x.toFixed(Math.max(0, Math.min(6, digits)));
}

export const withUnit = (value: number, unit: Unit): string => `${figure(value, unit)} ${unit.name}`;

/** 1, 2 or 5 times a power of ten, not less than `rough`. */
export const roundStep = (rough: number): number => tickStep(rough, 1, 1);

const GAP_PX = 44;

export interface Ticks {
  low: number;
  high: number;
  marks: number[];
  label(value: number): string;
}

/** Round marks that enclose the values, so that `pixels` show them apart; in figures of `unit`. */
export function ticksOf(least: number, most: number, pixels: number, { size }: Unit): Ticks {
  const a = least / size;
  const b = most / size;
  const spread = b - a || Math.abs(b) * 0.1 || 1;
  const step = tickStep(spread, pixels, GAP_PX);
  const first = Math.floor(a / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(b / step - 1e-9));
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return {
    low: first * step * size,
    high: last * step * size,
    marks: Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step * size),
    label: (value) => (value / size).toFixed(digits),
  };
}

/** The larger of the gaps between neighbours over the smallest: 1 where they stand evenly. */
function unevenness(places: number[]): number {
  const gaps = places.slice(1).map((place, i) => place - places[i]);
  return Math.max(...gaps) / Math.min(...gaps);
}

/**
 * Places of the values of an axis, from 0 to 1: by their size, or by its logarithm where that is more even (4, 8, 16).
 * Null where they are not all numbers, or do not grow.
 */
export function placesOf(values: number[]): number[] | null {
  if (values.length < 2 || !values.every((x, i) => Number.isFinite(x) && (i === 0 || x > values[i - 1]))) return null;
  const logs = values.map(Math.log);
  const own = values[0] > 0 && unevenness(logs) < unevenness(values) ? logs : values;
  return own.map((x) => (x - own[0]) / (own[own.length - 1] - own[0]));
}
