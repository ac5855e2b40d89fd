// Turns the module's table, which is in order of start, into lanes: one stable counting sort by resource.
// Links that never carried anything get no lane; there may be a quarter of a million of them.
import { OVERLAPPED, workTable } from "./kinds";
import { NONE, type Trace } from "./protocol";

/** The columns of a run as the module hands them out. */
export interface Table {
  start: Float64Array;
  end: Float64Array;
  kind: Uint8Array;
  resource: Uint32Array;
  stage: Uint16Array;
  slice: Uint8Array;
  pipe: Uint8Array;
  microbatch: Uint32Array;
  batch: Uint32Array;
  predecessor: Uint32Array;
  version_forward?: Uint16Array;
  version_backward?: Uint16Array;
}

/** Lanes of resources: every device, then each link with traffic, both in the plan's order. */
function assignLanes(table: Table, resources: number, devices: number) {
  const count = new Uint32Array(resources);
  for (const r of table.resource) count[r]++;
  const resource: number[] = [];
  for (let r = 0; r < resources; r++) if (r < devices || count[r] > 0) resource.push(r);
  const laneOf = new Uint32Array(resources);
  const offsets = new Uint32Array(resource.length + 1);
  resource.forEach((r, lane) => {
    laneOf[r] = lane;
    offsets[lane + 1] = offsets[lane] + count[r];
  });
  return { resource: Uint32Array.from(resource), laneOf, offsets };
}

/** Time covered by the work among the slices [from, to), which may overlap but are in order of start. */
function covered({ start, end, kind }: Table, work: boolean[], order: Uint32Array, from: number, to: number): number {
  let sum = 0;
  let until = -Infinity;
  for (let i = from; i < to; i++) {
    if (work[kind[order[i]]] === false) continue;
    const s = Math.max(start[order[i]], until);
    const e = end[order[i]];
    if (e > s) sum += e - s;
    if (e > until) until = e;
  }
  return sum;
}

/** Marks the two rows of each overlapped cell; lanes keep them side by side. */
function markHalves(trace: Trace, overlapped: number): void {
  trace.halves = trace.present[overlapped] === 1;
  const n = trace.halves ? trace.kind.length : 0;
  for (let i = 0; i + 1 < n; i++) {
    if (trace.kind[i] !== overlapped || trace.start[i + 1] !== trace.start[i]) continue;
    trace.half[i] = 1;
    trace.half[i + 1] = 2;
  }
}

/** `kinds` are the plan's, in its order. */
export function layLanes(table: Table, resources: number, devices: number, kinds: string[]): Trace {
  const work = workTable(kinds);
  const n = table.start.length;
  const { resource, laneOf, offsets } = assignLanes(table, resources, devices);
  const lanes = resource.length;
  const next = offsets.slice(0, lanes);
  const place = new Uint32Array(n);
  const row = new Uint32Array(n);
  for (let r = 0; r < n; r++) {
    const at = next[laneOf[table.resource[r]]]++;
    place[r] = at;
    row[at] = r;
  }
  const trace: Trace = {
    lanes,
    devices,
    resource,
    offsets,
    start: new Float64Array(n),
    dur: new Float32Array(n),
    kind: new Uint8Array(n),
    microbatch: new Uint32Array(n),
    stage: new Uint16Array(n),
    batch: new Uint32Array(n),
    slice: new Uint8Array(n),
    pipe: new Uint8Array(n),
    half: new Uint8Array(n),
    halves: false,
    present: new Uint8Array(kinds.length),
    row,
    predecessor: new Uint32Array(n),
    longest: new Float64Array(lanes),
    busy: new Float64Array(lanes),
    end: 0,
  };
  for (let i = 0; i < n; i++) {
    const r = row[i];
    trace.start[i] = table.start[r];
    trace.dur[i] = table.end[r] - table.start[r];
    trace.kind[i] = table.kind[r];
    trace.present[table.kind[r]] = 1;
    trace.microbatch[i] = table.microbatch[r];
    trace.stage[i] = table.stage[r];
    trace.batch[i] = table.batch[r];
    trace.slice[i] = table.slice[r];
    trace.pipe[i] = table.pipe[r];
    const p = table.predecessor[r];
    trace.predecessor[i] = p < n ? place[p] : NONE;
    if (table.end[r] > trace.end) trace.end = table.end[r];
  }
  const { version_forward: forward, version_backward: backward } = table;
  if (forward && backward) {
    trace.readForward = Uint16Array.from(row, (r) => forward[r]);
    trace.readBackward = Uint16Array.from(row, (r) => backward[r]);
  }
  markHalves(trace, kinds.indexOf(OVERLAPPED));
  for (let lane = 0; lane < lanes; lane++) {
    for (let i = offsets[lane]; i < offsets[lane + 1]; i++) {
      if (trace.dur[i] > trace.longest[lane]) trace.longest[lane] = trace.dur[i];
    }
    trace.busy[lane] = covered(table, work, row, offsets[lane], offsets[lane + 1]);
  }
  return trace;
}

/** Every buffer of a trace, to be transferred. */
export const buffersOf = (trace: Trace): ArrayBuffer[] =>
  Object.values(trace)
    .filter((value) => ArrayBuffer.isView(value))
    .map((view) => (view as Uint8Array).buffer as ArrayBuffer);
