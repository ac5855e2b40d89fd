// What devices hold and what links carry over time, for the columns of a picture. In the worker, since a run may have
// millions of moments; fetched when it is first asked for. What a run's moments are is found once.
import type { Run } from "../../../wasm/sluice.d.ts";
import type { LinkSeries, MemoryMoment, MemorySeries, Series, SeriesRequest } from "./protocol";
import { mostIn, shareIn } from "./steps";

/** Numbers a moment, and where its bytes begin; see `Run.memory` of the module. */
const STRIDE = 11;
const FIRST = 2;

/** The moments of a device, and what it holds in all. */
export interface Held {
  all: Float64Array;
  times: Float64Array;
  totals: Float64Array;
}

export function readHeld(all: Float64Array): Held {
  const n = all.length / STRIDE;
  const times = new Float64Array(n);
  const totals = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    times[i] = all[i * STRIDE];
    for (let part = FIRST; part < STRIDE; part++) totals[i] += all[i * STRIDE + part];
  }
  return { all, times, totals };
}

const momentOf = ({ all, totals }: Held, i: number): MemoryMoment => {
  const [time, row, ...parts] = all.subarray(i * STRIDE, (i + 1) * STRIDE);
  return { time, row, parts, total: totals[i] };
};

export function memorySeries(
  held: Held,
  device: number,
  t0: number,
  t1: number,
  columns: number,
  limit: number,
): MemorySeries {
  const { times, totals } = held;
  const chosen = mostIn(times, totals, t0, (t1 - t0) / columns, columns);
  const runs: MemorySeries["runs"] = [];
  let last = -1;
  chosen.forEach((moment, from) => {
    // Nothing comes before the moment at 0.
    const shown = Math.max(0, moment);
    if (shown === last) runs[runs.length - 1].to = from + 1;
    else runs.push({ from, to: from + 1, moment: momentOf(held, shown) });
    last = shown;
  });
  let peak = 0;
  for (let i = 1; i < totals.length; i++) if (totals[i] > totals[peak]) peak = i;
  const over = limit > 0 ? totals.findIndex((total) => total > limit) : -1;
  return {
    of: "memory",
    device,
    t0,
    t1,
    columns,
    runs,
    peak: momentOf(held, peak),
    over: over < 0 ? null : momentOf(held, over),
  };
}

/** A link over time: from `times[i]` on, how many messages it carries, and how many there are with those that wait. */
export interface Traffic {
  times: Float64Array;
  carried: Uint32Array;
  there: Uint32Array;
}

/** A message is there from `ready` on, travels from `start` to `end`; the three need not be in one order. */
export function trafficOf(ready: Float64Array, start: Float64Array, end: Float64Array): Traffic {
  for (const list of [ready, start, end]) list.sort();
  const n = start.length;
  const times: number[] = [];
  const carried: number[] = [];
  const there: number[] = [];
  for (let r = 0, s = 0, e = 0; e < n; ) {
    const now = Math.min(r < n ? ready[r] : Number.POSITIVE_INFINITY, s < n ? start[s] : Number.POSITIVE_INFINITY, end[e]);
    while (ready[r] <= now) r++;
    while (start[s] <= now) s++;
    while (end[e] <= now) e++;
    times.push(now);
    carried.push(s - e);
    there.push(r - e);
  }
  return { times: Float64Array.from(times), carried: Uint32Array.from(carried), there: Uint32Array.from(there) };
}

/** Of each wanted link: its traffic. A message is ready when what decided its start has ended. */
function readTraffic(run: Run, links: number[]): Traffic[] {
  const { start, end, resource, predecessor } = run.columns();
  const slot = new Map(links.map((link, i) => [link, i]));
  const rows: number[][] = links.map(() => []);
  resource.forEach((link, row) => {
    const i = slot.get(link);
    if (i !== undefined) rows[i].push(row);
  });
  return rows.map((own) => {
    const ready = own.map((row) => {
      const by = predecessor[row];
      // Where it was another message of this link, nothing says when this one came.
      return by < start.length && resource[by] !== resource[row] ? Math.min(end[by], start[row]) : start[row];
    });
    return trafficOf(
      Float64Array.from(ready),
      Float64Array.from(own, (row) => start[row]),
      Float64Array.from(own, (row) => end[row]),
    );
  });
}

export function linkSeries(traffic: Traffic[], t0: number, t1: number, columns: number): LinkSeries {
  const width = (t1 - t0) / columns;
  const busy = new Float32Array(traffic.length * columns);
  const there = new Uint32Array(traffic.length * columns);
  traffic.forEach(({ times, carried, there: count }, link) => {
    const from = link * columns;
    shareIn(times, carried, t0, width, busy.subarray(from, from + columns));
    mostIn(times, count, t0, width, columns).forEach((moment, i) => {
      there[from + i] = moment < 0 ? 0 : count[moment];
    });
  });
  const most = traffic.map((one) => one.there.reduce((a, b) => Math.max(a, b), 0));
  return { of: "links", t0, t1, columns, busy, there, most };
}

let held: { of: Run; device: number; moments: Held } | null = null;
let carried: { of: Run; links: string; traffic: Traffic[] } | null = null;

export function series(run: Run, request: SeriesRequest): Series | null {
  const { t0, t1, columns } = request;
  if (request.of === "memory") {
    const { device, limit } = request;
    if (held?.of !== run || held.device !== device) {
      held = { of: run, device, moments: readHeld(run.memory(device).slice()) };
    }
    return held.moments.times.length > 0 ? memorySeries(held.moments, device, t0, t1, columns, limit) : null;
  }
  const links = request.links.join();
  if (carried?.of !== run || carried.links !== links) {
    carried = { of: run, links, traffic: readTraffic(run, request.links) };
  }
  return linkSeries(carried.traffic, t0, t1, columns);
}
