// Where the time axis is marked, and how the marks are written.
import { unitFor } from "../text/format";

/** 1, 2 or 5 times a power of ten, so that marks stand at least `pixels` apart. */
export function tickStep(span: number, width: number, pixels: number): number {
  const rough = (span * pixels) / width;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((x) => x * power).find((x) => x >= rough * (1 - 1e-9)) ?? 10 * power;
}

/** The step for an axis in time, or in units of `unit` picoseconds. */
export const stepFor = (span: number, width: number, pixels: number, unit: number | null): number =>
  unit ? tickStep(span / unit, width, pixels) * unit : tickStep(span, width, pixels);

/** One unit for the whole axis, chosen by its far end; as many digits as the step needs. */
export function tickLabel(t: number, step: number, end: number, own: number | null = null): string {
  if (t === 0) return "0";
  if (own) return (t / own).toFixed(Math.max(0, -Math.floor(Math.log10(step / own) + 1e-9)));
  const [unit, size] = unitFor(end);
  const digits = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
  return `${(t / size).toFixed(digits)} ${unit}`;
}

/** "0.90 to 1.70 s": two ends in one unit, with digits that tell them apart. */
export function rangeLabel(t0: number, t1: number, own: number | null = null): string {
  if (own) return `${(t0 / own).toFixed(1)} to ${(t1 / own).toFixed(1)} F`;
  const [unit, size] = unitFor(t1);
  const digits = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10((t1 - t0) / size))));
  return `${(t0 / size).toFixed(digits)} to ${(t1 / size).toFixed(digits)} ${unit}`;
}
