// What a scenario says of its own summary under `expect:`, and what the engine found.
import { percent, time, trim } from "../text/format";
import { later } from "../text/later";
import { type Json, object } from "./facts";

export const expectationsIn = (summary: Json): Json[] =>
  Array.isArray(summary.expectations) ? summary.expectations.map(object) : [];

/** A figure of the summary as the page writes such figures. */
export function figure(path: string, value: number): string {
  if (path === "fits") return value === 1 ? later.yes : later.no;
  if (/_ms$/.test(path)) return time(value * 1e9, 4);
  if (/_mb\b/.test(path)) return `${Math.round(value)} MiB`;
  if (/^(bubble|utilization)\b/.test(path)) return percent(value);
  return Number.isInteger(value) ? String(value) : trim(value);
}
