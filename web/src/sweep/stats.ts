// What a sample of runs says: its middle, its spread, its shape, and how many runs would say it more closely.

/** Two-sided 95 % of the normal distribution. */
const Z95 = 1.959964;

/** Between the two nearest of the sorted values, as the engine's percentiles. NaN without any. */
export function quantile(sorted: number[], q: number): number {
  const at = q * (sorted.length - 1);
  const below = Math.floor(at);
  const low = sorted[below];
  return below + 1 < sorted.length ? low + (sorted[below + 1] - low) * (at - below) : (low ?? Number.NaN);
}

export interface Sample {
  n: number;
  low: number;
  median: number;
  high: number;
  least: number;
  most: number;
  mean: number;
  /** Standard deviation, of n − 1. */
  deviation: number;
}

/** Median, the band from 5 to 95 %, and mean with deviation; null without values. */
export function sampleOf(values: number[]): Sample | null {
  const n = values.length;
  if (n === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const mean = sorted.reduce((sum, x) => sum + x, 0) / n;
  const squares = sorted.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  return {
    n,
    low: quantile(sorted, 0.05),
    median: quantile(sorted, 0.5),
    high: quantile(sorted, 0.95),
    least: sorted[0],
    most: sorted[n - 1],
    mean,
    deviation: n > 1 ? Math.sqrt(squares / (n - 1)) : 0,
  };
}

/** The mean is known to within this share of itself, 95 times in 100. */
export const precisionOf = ({ n, mean, deviation }: Sample): number =>
  mean === 0 ? 0 : (Z95 * deviation) / Math.sqrt(n) / Math.abs(mean);

/** Runs after which the mean is known to within `share` of itself: (z s / (share · mean))², two at least. */
export const runsNeeded = ({ mean, deviation }: Sample, share: number): number =>
  mean === 0 ? 2 : Math.max(2, Math.ceil(((Z95 * deviation) / (share * Math.abs(mean))) ** 2));

export interface Bin {
  from: number;
  to: number;
  count: number;
}

const MOST_BINS = 40;

/** Bins of a round width, about √n of them; the last holds its upper end. */
export function histogram(values: number[], roundStep: (rough: number) => number): Bin[] {
  const least = Math.min(...values);
  const most = Math.max(...values);
  if (!(most > least)) return values.length > 0 ? [{ from: least, to: most, count: values.length }] : [];
  const wanted = Math.min(MOST_BINS, Math.max(4, Math.ceil(Math.sqrt(values.length))));
  const step = roundStep((most - least) / wanted);
  const first = Math.floor(least / step + 1e-9);
  const bins = Array.from({ length: Math.max(1, Math.ceil(most / step - 1e-9) - first) }, (_, i) => ({
    from: (first + i) * step,
    to: (first + i + 1) * step,
    count: 0,
  }));
  for (const x of values) bins[Math.min(bins.length - 1, Math.max(0, Math.floor(x / step + 1e-9) - first))].count++;
  return bins;
}
