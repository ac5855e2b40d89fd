// Memory: what one device holds over time, in the part of the run that the timeline shows, and the peaks of all.
import { useRef, useState } from "preact/hooks";
import { unit } from "../state/clock";
import { useSeries } from "../state/series";
import * as s from "../state/store";
import { later } from "../text/later";
import { goTo } from "../timeline/goto";
import { thingAt } from "../timeline/hit";
import { type MemoryMoment, type MemorySeries, NONE } from "../worker/protocol";
import { Axis, useWidth } from "./axis";
import { Areas } from "./memory_chart";
import { MomentTable, Parts, Sentence, Show, sliceOf, TooMuch } from "./memory_moments";
import { Peaks } from "./peaks";
import { Twin } from "./twin";
import "../styles/series.css";

export function Memory() {
  const result = s.result.value as s.Result;
  const { plan, trace } = result;
  const [picked, setPicked] = useState("");
  const [chosen, choose] = useState<MemoryMoment | null>(null);
  const plot = useRef<HTMLDivElement>(null);
  const columns = useWidth(plot);
  const devices = result.facts.peaks.map(({ device: name, bytes }) => {
    const index = plan.resources.findIndex((r) => r.type === "device" && r.name === name);
    const capacity = plan.resources[index]?.memory_capacity_bytes ?? 0;
    return { name, index, capacity, full: bytes / (capacity || 2 ** 60) };
  });
  // Unless one is picked, the fullest.
  const { name, index: device, capacity } =
    devices.find((one) => one.name === picked) ?? devices.reduce((a, b) => (b.full > a.full ? b : a));
  const { t0, t1 } = s.view.value;
  const answer = useSeries<MemorySeries>(columns > 0 ? { of: "memory", device, limit: capacity, t0, t1, columns } : null);
  const series = answer?.device === device ? answer : null;
  const runs = series?.runs ?? [];

  // Devices are the first lanes, in the plan's order.
  const go = (moment = chosen ?? series?.peak) => {
    if (!moment) return;
    const index = sliceOf(result, device, moment);
    goTo(index === NONE ? thingAt(trace, device, moment.time) : { type: "slice", index }, device);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!series || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = runs.findLastIndex(({ moment }) => moment.time <= (chosen ?? series.peak).time);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: runs.length - 1 }[event.key];
    if (event.key === "Enter") go();
    else if (to !== undefined) choose(runs[Math.min(Math.max(to, 0), runs.length - 1)].moment);
    else return;
    event.preventDefault();
  };
  const shared = { result, device, capacity, go };
  return (
    <>
      <div class="over-time memory-head">
        <label>
          {later.memoryDevice}
          <select id="memory-device" value={name} onChange={(event) => setPicked(event.currentTarget.value)}>
            {devices.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        </label>
        {series && (
          <div>
            {series.over && <TooMuch {...shared} over={series.over} />}
            <p id="memory-peak">
              <Sentence {...shared} moment={series.peak} peak />
              <Show go={() => go(series.peak)} />
            </p>
          </div>
        )}
      </div>
      <div class="over-time">
        <div
          ref={plot}
          class="plot"
          id="memory-chart"
          role="application"
          aria-roledescription={later.chart}
          aria-label={later.memoryOver(name)}
          aria-describedby="memory-peak memory-keys"
          tabIndex={0}
          onKeyDown={onKeyDown}
          onPointerMove={({ offsetX }) => choose(runs.findLast(({ from }) => from <= offsetX)?.moment ?? null)}
          onPointerLeave={() => choose(null)}
          onBlur={() => choose(null)}
          onClick={() => go()}
        >
          <p class="visually-hidden" id="memory-keys">
            {later.memoryKeys}
          </p>
          {series && <Areas series={series} capacity={capacity} chosen={chosen} />}
        </div>
        {series && <Axis name="time-axis" run={result} view={series} unit={unit.value} />}
      </div>
      {series && (
        <div class="moment">
          <Parts series={series} moment={chosen ?? series.peak} />
          <p id="memory-now" aria-live="polite">
            {chosen ? <Sentence {...shared} moment={chosen} /> : later.memoryHint}
          </p>
        </div>
      )}
      {series && <Twin>{() => <MomentTable result={result} series={series} />}</Twin>}
      <Peaks />
    </>
  );
}
