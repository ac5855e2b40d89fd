// The rows of a sweep: read from the engine's CSV as they come, kept as they are written, gathered by point.
import type { Axis } from "./axis";
import { type Sample, sampleOf } from "./stats";

/** Columns of the CSV that can be shown, in its order. */
export const METRICS = [
  "makespan_ms",
  "throughput_per_s",
  "bubble_idle_over_makespan",
  "bubble_idle_over_work",
  "bubble_span",
  "latency_p50_ms",
  "latency_p99_ms",
  "peak_memory_bytes",
] as const;
export type Metric = (typeof METRICS)[number];

export interface Row {
  index: number;
  seed: string;
  /** By metric; empty for a run that could not be made, and `problem` says why. */
  values: number[];
  fits: boolean;
  problem: string;
  /** As it stands in the CSV, with its line break. */
  line: string;
}

/** Records of CSV text, each with its fields; quoted fields may hold anything. */
export function readRecords(csv: string): { line: string; fields: string[] }[] {
  return (csv.match(/(?:[^"\n]|"[^"]*")+\n/g) ?? []).map((line) => ({
    line,
    fields: [...line.slice(0, -1).matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, bare]) =>
      quoted === undefined ? bare : quoted.replaceAll('""', '"'),
    ),
  }));
}

/** A row of a sweep over `axes` axes: index, coordinates, seed, metrics, whether it fits, trace hash, problem. */
export function readRow({ line, fields }: { line: string; fields: string[] }, axes: number): Row {
  const at = axes + 2;
  const problem = fields[at + METRICS.length + 2];
  return {
    index: Number(fields[0]),
    seed: fields[axes + 1],
    values: problem ? [] : METRICS.map((_, i) => Number(fields[at + i])),
    fits: fields[at + METRICS.length] === "1",
    problem,
    line,
  };
}

/** All runs of a point: the same values of the axes, one seed after another. */
export interface Point {
  /** A value of each axis. */
  at: string[];
  sample: Sample | null;
  /** Every run of it fits in memory. */
  fits: boolean;
  /** Why it, or one of its runs, could not be made. */
  problem: string;
}

/** Points in the order of the sweep, the last axis fastest; of runs that are not there yet, nothing is known. */
export function pointsOf(axes: Axis[], seeds: number, rows: (Row | undefined)[], metric: number): Point[] {
  let grid: string[][] = [[]];
  for (const { values } of axes) grid = grid.flatMap((at) => values.map((value) => [...at, value]));
  return grid.map((at, i) => {
    const own = rows.slice(i * seeds, (i + 1) * seeds).filter((row) => row !== undefined);
    return {
      at,
      sample: sampleOf(own.filter((row) => row.values.length > 0).map((row) => row.values[metric])),
      fits: own.every((row) => row.fits || row.problem !== ""),
      problem: own.find((row) => row.problem !== "")?.problem ?? "",
    };
  });
}

/** More is better of throughput alone. */
export const isBetter = (metric: number, a: number, b: number): boolean =>
  METRICS[metric] === "throughput_per_s" ? a > b : a < b;

/** The first of the best points by their medians, among those that fit if any does. */
export function bestOf(points: Point[], metric: number): Point | null {
  const known = points.filter((point) => point.sample !== null);
  const fit = known.filter((point) => point.fits);
  return (fit.length > 0 ? fit : known).reduce<Point | null>(
    (best, point) =>
      best && !isBetter(metric, point.sample?.median as number, best.sample?.median as number) ? best : point,
    null,
  );
}
