// What the memory chart shows in words and numbers: one moment of it, where it is too much, and all as a table.
import { when } from "../state/clock";
import { heldAt, PARTS, runsOf } from "../state/held";
import * as s from "../state/store";
import { later } from "../text/later";
import { bytes, percent } from "../text/format";
import { fullName, stageName } from "../timeline/names";
import { firstStarting } from "../worker/coverage";
import { type MemoryMoment, type MemorySeries, NONE } from "../worker/protocol";
import { DataTable } from "./data_table";

const size = (n: number): string => bytes(n).join(" ");

/** The slice that begins at a moment, or NONE. */
export function sliceOf({ trace }: s.Result, lane: number, { time, row }: MemoryMoment): number {
  if (row === NONE) return NONE;
  for (let i = firstStarting(trace, lane, time); i < trace.offsets[lane + 1] && trace.start[i] === time; i++) {
    if (trace.row[i] === row) return i;
  }
  return NONE;
}

export function operationOf(result: s.Result, lane: number, moment: MemoryMoment): string {
  const slice = sliceOf(result, lane, moment);
  return slice === NONE ? "" : fullName(result.plan, result.trace, slice);
}

/** Stages that are named; the rest would be a list that nobody reads. */
const MOST_STAGES = 8;

/** How many microbatches these slices are of, and which. */
function microbatchesOf({ trace, plan }: s.Result, slices: number[]): { count: number; which: string } {
  const places = new Map<string, Set<number>>();
  for (const i of slices) {
    const where = later.heldOn(stageName(plan, trace.pipe[i], trace.stage[i]), plan.batches > 1 ? trace.batch[i] : null);
    places.set(where, (places.get(where) ?? new Set()).add(trace.microbatch[i]));
  }
  const all = [...places].map(([where, own]) => `${runsOf([...own].sort((a, b) => a - b))} ${where}`);
  const count = [...places.values()].reduce((n, own) => n + own.size, 0);
  return { count, which: all.slice(0, MOST_STAGES).join("; ") };
}

interface Shared {
  result: s.Result;
  /** Its lane, and its index in the plan's resources. */
  device: number;
  /** 0 where it is not known. */
  capacity: number;
  /** Brings the moment into sight in the timeline. */
  go(moment: MemoryMoment): void;
}

export const Show = ({ go }: { go(): void }) => (
  <button type="button" class="text-button" onClick={go}>
    {later.showIt}
  </button>
);

/** How much at which moment, and whose activations these are. */
export function Sentence({ result, device, capacity, moment, peak }: Shared & { moment: MemoryMoment; peak?: boolean }) {
  const { held, kept } = heldAt(result.trace, result.plan, device, moment.time);
  const flying = microbatchesOf(result, held);
  return (
    <>
      <strong class="num">{later.memoryAt(size(moment.total), peak ?? false)}</strong>
      {capacity > 0 && <span class="num">{later.memoryOf(percent(moment.total / capacity, 0), size(capacity))}</span>}{" "}
      {later.memoryWhile(when(moment.time, result.trace.end), operationOf(result, device, moment))}{" "}
      {later.held(flying.count, flying.which)}
      {kept.length > 0 && later.keptForW(microbatchesOf(result, kept).which)}{" "}
    </>
  );
}

const usedParts = ({ runs, peak }: MemorySeries): number[] =>
  PARTS.flatMap((_, i) => (peak.parts[i] > 0 || runs.some(({ moment }) => moment.parts[i] > 0) ? [i] : []));

/** What the colours mean, with the bytes of a moment. The same parts for all moments: nothing moves. */
export const Parts = ({ series, moment }: { series: MemorySeries; moment: MemoryMoment }) => (
  <ul class="parts num">
    {usedParts(series).map((i) => (
      <li key={i}>
        <span class={`swatch part-${PARTS[i]}`} aria-hidden="true" />
        {later.parts[PARTS[i]]} <span class="muted">{size(moment.parts[i])}</span>
      </li>
    ))}
  </ul>
);

/** The first moment that is too much, and what would mend it. */
export function TooMuch({ result, device, capacity, over, go }: Shared & { over: MemoryMoment }) {
  const { diagnostics } = result.summary as { diagnostics?: { code: string; path: string; hint: string }[] };
  const hint = diagnostics?.find(
    ({ code, path }) => code === "memory.capacity" && path === `hardware.devices[${device}]`,
  )?.hint;
  const name = operationOf(result, device, over);
  return (
    <p class="too-much">
      <strong>{later.tooMuch(when(over.time, result.trace.end))}</strong>{" "}
      {later.tooMuchBy(name, size(over.total), size(over.total - capacity))}{" "}
      {hint && `${hint[0].toUpperCase()}${hint.slice(1)}. `}
      <Show go={() => go(over)} />
    </p>
  );
}

const MOST_ROWS = 200;

export function MomentTable({ result, series }: { result: s.Result; series: MemorySeries }) {
  const all = series.runs.map(({ moment }) => moment);
  const used = usedParts(series);
  const shown = all.slice(0, MOST_ROWS);
  return (
    <DataTable
      id="memory-moments"
      caption={later.momentsShown(shown.length, all.length)}
      head={[
        later.tableColumns.start,
        later.tableColumns.operation,
        later.memoryTotal,
        ...used.map((i) => later.parts[PARTS[i]]),
      ]}
      text={2}
      rows={shown.map((moment) => [
        when(moment.time, result.trace.end),
        operationOf(result, series.device, moment),
        ...[moment.total, ...used.map((i) => moment.parts[i])].map(size),
      ])}
    />
  );
}
