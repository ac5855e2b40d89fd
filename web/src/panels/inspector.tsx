// What is selected, in words and numbers: an operation or an idle gap, and the one thing that decided its time.
import type { ComponentChildren } from "preact";
import * as s from "../state/store";
import { later } from "../text/later";
import { moment, percent, time } from "../text/format";
import { endOf, type Gap, idleSplit, laneOf, placeOf } from "../timeline/gaps";
import { laneOfThing, spanOfThing } from "../timeline/hit";
import { laneName, sliceName } from "../timeline/names";
import { subjectOf } from "../timeline/overlay";
import { kindOf } from "../worker/kinds";
import { NONE } from "../worker/protocol";

const NO_STAGE = 65535;

/** One row of the chain: what decided, where, and for how long; pressing it selects it. */
function Cause({ result, index, share, ms }: { result: s.Result; index: number; share: number; ms: string }) {
  const { trace, plan } = result;
  const lane = laneOf(trace, index);
  const kind = kindOf(plan.kinds[trace.kind[index]] ?? "");
  const link = lane >= trace.devices;
  const name = laneName(plan, trace, lane).long;
  const what = sliceName(plan, trace, index);
  return (
    <li>
      <button type="button" class="chain-row" onClick={() => (s.selection.value = { type: "slice", index })}>
        <span class={`swatch ${kind.paint[0]}`} aria-hidden="true">
          {link ? "→" : kind.letter}
        </span>
        <span class="chain-text">
          <span class="chain-what">{link ? later.carries(name, what) : later.runsOn(what, name)}</span>
          <span class="chain-why">
            {time(trace.dur[index])}, {later.ended(moment(endOf(trace, index), trace.end))}
          </span>
        </span>
        <span class="chain-bar" aria-hidden="true" style={{ "--share": share }} />
        <span class="chain-ms num">{ms}</span>
      </button>
    </li>
  );
}

/** The decider of a start, with the part of `gap` it covers (all of it when there is no gap). */
function Decider({ result, subject, gap }: { result: s.Result; subject: number; gap: Gap | null }) {
  const { trace } = result;
  const decider = subject === NONE ? NONE : trace.predecessor[subject];
  if (decider === NONE) {
    return <p class="muted">{gap && subject === NONE ? later.drainReason : later.nothingDecided}</p>;
  }
  const from = Math.max(gap ? gap.start : 0, trace.start[decider]);
  const to = Math.min(gap ? gap.end : endOf(trace, decider), endOf(trace, decider));
  const covered = Math.max(0, to - from);
  const all = gap ? gap.end - gap.start : trace.dur[decider];
  return (
    <ol class="chain">
      <Cause result={result} index={decider} share={all > 0 ? covered / all : 0} ms={time(covered)} />
    </ol>
  );
}

function GapDetails({ result, gap }: { result: s.Result; gap: Gap }) {
  const { trace, plan } = result;
  const lane = laneName(plan, trace, gap.lane).long;
  const place = placeOf(trace, gap);
  const before = gap.next > trace.offsets[gap.lane] ? sliceName(plan, trace, gap.next - 1) : "";
  const after = place === "drain" ? "" : sliceName(plan, trace, gap.next);
  const where =
    place === "warm-up"
      ? later.beforeFirst(after)
      : place === "drain"
        ? later.afterLast(before)
        : later.between(before, after);
  return (
    <div class="inspect-main">
      <header class="inspect-head">
        <h4>{later.whyIdle(lane.toLowerCase())}</h4>
        <p class="num">
          <strong>{time(gap.end - gap.start, 4)}</strong>{" "}
          {later.fromTo(moment(gap.start, trace.end), moment(gap.end, trace.end))}
          {where}
        </p>
      </header>
      <h5>{later.endedBy}</h5>
      <Decider result={result} subject={subjectOf(trace, gap)} gap={gap} />
    </div>
  );
}

function factsOf(result: s.Result, index: number, lane: number): [string, ComponentChildren][] {
  const { trace, plan } = result;
  const facts: [string, ComponentChildren][] = [
    [later.facts.kind, kindOf(plan.kinds[trace.kind[index]] ?? "").name],
    [later.facts.device, laneName(plan, trace, lane).detail],
  ];
  if (trace.stage[index] !== NO_STAGE) facts.push([later.facts.stage, trace.stage[index]]);
  if (trace.microbatch[index] !== NONE) facts.push([later.facts.microbatch, trace.microbatch[index]]);
  if (plan.batches > 1 && trace.batch[index] !== NONE) facts.push([later.facts.batch, trace.batch[index]]);
  return facts;
}

function SliceDetails({ result, index }: { result: s.Result; index: number }) {
  const { trace, plan } = result;
  const lane = laneOf(trace, index);
  const name = sliceName(plan, trace, index);
  const laneText = laneName(plan, trace, lane).long;
  return (
    <div class="inspect-main">
      <header class="inspect-head">
        <h4>{later.opOn(name[0].toUpperCase() + name.slice(1), laneText.toLowerCase())}</h4>
        <p class="num">
          <strong>{time(trace.dur[index], 4)}</strong>{" "}
          {later.fromTo(moment(trace.start[index], trace.end), moment(endOf(trace, index), trace.end))}
        </p>
      </header>
      <dl class="facts">
        {factsOf(result, index, lane).map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd class="num">{value}</dd>
          </div>
        ))}
      </dl>
      <h5>{later.startedBy}</h5>
      <Decider result={result} subject={index} gap={null} />
    </div>
  );
}

/** Idle time of the device by where it lies. */
function IdleBlock({ result, lane }: { result: s.Result; lane: number }) {
  const { trace, plan } = result;
  const name = laneName(plan, trace, lane).long.toLowerCase();
  if (lane >= trace.devices) {
    const resource = plan.resources[trace.resource[lane]];
    const rows: [string, string][] = [];
    if (resource.bandwidth_GBps !== undefined) rows.push([later.bandwidth, `${resource.bandwidth_GBps} GB/s`]);
    if (resource.latency_us !== undefined) rows.push([later.latency, `${resource.latency_us} µs`]);
    return (
      <section class="causes" aria-label={later.busyOn(name)}>
        <h4>
          {later.busyOn(name)}
          <span class="num muted">{later.ofStep(percent(trace.busy[lane] / trace.end))}</span>
        </h4>
        <dl>
          {rows.map(([term, value]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd class="num single">{value}</dd>
            </div>
          ))}
        </dl>
      </section>
    );
  }
  const idle = idleSplit(trace, lane);
  const rows: [string, number][] = [
    [later.warmUp, idle.warmUp],
    [later.waits, idle.between],
    [later.drain, idle.drain],
  ];
  return (
    <section class="causes" aria-label={later.idleOn(name)}>
      <h4>
        {later.idleOn(name)}
        <span class="num muted">{later.ofRun(time(idle.total), percent(idle.total / trace.end, 0))}</span>
      </h4>
      <dl>
        {rows.map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd class="num">
              <span
                class="cause-bar"
                aria-hidden="true"
                style={{ "--share": idle.total > 0 ? value / idle.total : 0 }}
              />
              <span>{time(value)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function Inspector() {
  const result = s.result.value;
  const thing = s.selection.value;
  const valid = result && thing && spanOfThing(result.trace, thing)[1] <= result.trace.end * 1.001;
  if (!result || !thing || !valid) {
    return (
      <div class="inspect-main">
        <h4>{later.nothingSelected}</h4>
        <p class="muted">{later.nothingSelectedRest}</p>
      </div>
    );
  }
  return (
    <>
      {thing.type === "gap" ? (
        <GapDetails result={result} gap={thing} />
      ) : (
        <SliceDetails result={result} index={thing.index} />
      )}
      <div class="inspect-side">
        <IdleBlock result={result} lane={laneOfThing(result.trace, thing)} />
      </div>
    </>
  );
}
