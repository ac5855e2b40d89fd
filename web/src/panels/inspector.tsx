// What is selected, in words and numbers: an operation with what it comes after, or an idle gap with its causes.
import type { ComponentChildren } from "preact";
import { PS_PER_MS } from "../state/causes";
import { lasts as time, when as moment } from "../state/clock";
import { number, object } from "../state/facts";
import * as s from "../state/store";
import { en } from "../text/en";
import { percent } from "../text/format";
import { later } from "../text/later";
import { endOf, type Gap, laneOf, placeOf } from "../timeline/gaps";
import { laneOfThing, spanOfThing } from "../timeline/hit";
import { fullName, laneName, sliceName } from "../timeline/names";
import { NO_STAGE } from "../timeline/shades";
import { versionRead } from "../timeline/versions";
import { causesOf } from "../timeline/veil";
import { WhatIf } from "../whatif/chips";
import { kindOf } from "../worker/kinds";
import { NONE } from "../worker/protocol";
import { CauseList, Reasons } from "./chain";
import { CriticalPath, Predecessors, slackText, usePath } from "./path";

function GapDetails({ result, gap }: { result: s.Result; gap: Gap }) {
  const { trace, plan } = result;
  const lane = laneName(plan, trace, gap.lane).long;
  const place = placeOf(trace, gap);
  const before = gap.next > trace.offsets[gap.lane] ? fullName(plan, trace, gap.next - 1) : "";
  const after = place === "drain" ? "" : fullName(plan, trace, gap.next);
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
      <Reasons result={result} place={gap} />
    </div>
  );
}

function factsOf(result: s.Result, index: number, lane: number): [string, ComponentChildren][] {
  const { trace, plan } = result;
  const facts: [string, ComponentChildren][] = [
    [later.facts.kind, kindOf(plan.kinds[trace.kind[index]] ?? "").name],
    [later.facts.device, laneName(plan, trace, lane).detail],
  ];
  if (trace.stage[index] !== NO_STAGE) {
    const { stages } = plan.ranks.find((rank) => rank.resource === trace.resource[lane]) ?? { stages: [] };
    facts.push([later.facts.stage, trace.stage[index]]);
    const own = stages.filter((stage) => Math.floor(stage / plan.stages) === trace.pipe[index]);
    const chunk = own.indexOf(trace.pipe[index] * plan.stages + trace.stage[index]);
    if (own.length > 1 && chunk >= 0) facts.push([later.facts.chunk, later.chunkOf(chunk, own.length)]);
    if (plan.pipelines) facts.push([later.facts.pipeline, plan.pipelines[trace.pipe[index]]]);
    else if (plan.pipes > 1) facts.push([later.facts.pipe, later.pipe(trace.pipe[index])]);
  }
  if (trace.microbatch[index] !== NONE) {
    facts.push([later.facts.microbatch, trace.microbatch[index]]);
    if (plan.slices > 1) facts.push([later.facts.slice, later.chunkOf(trace.slice[index], plan.slices)]);
  }
  if (plan.batches > 1 && trace.batch[index] !== NONE) facts.push([later.facts.batch, trace.batch[index]]);
  const read = versionRead(trace, plan, index);
  if (read) facts.push([later.facts.weights, en.versions(read)]);
  return facts;
}

function SliceDetails({ result, index }: { result: s.Result; index: number }) {
  const { trace, plan } = result;
  const lane = laneOf(trace, index);
  const name = sliceName(plan, trace, index);
  const laneText = laneName(plan, trace, lane).long;
  const facts = [...factsOf(result, index, lane), [later.facts.slack, slackText(usePath(result), index)] as const];
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
        {facts.map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd class="num">{value}</dd>
          </div>
        ))}
      </dl>
      <h5>{later.comesAfter}</h5>
      <Predecessors result={result} index={index} />
    </div>
  );
}

/** Idle time of the device by its causes; of a link what it is. */
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
  const rank = plan.ranks.findIndex(({ resource }) => resource === trace.resource[lane]);
  const perRank = object(result.summary.idle_ms).per_rank;
  const own = Array.isArray(perRank) ? object(perRank[rank]) : {};
  const causes_ms = Object.fromEntries(Object.entries(own).filter(([, ms]) => (number(ms) ?? 0) > 0));
  const causes = causesOf({ causes_ms });
  const total = causes.reduce((sum, [, ms]) => sum + ms, 0) * PS_PER_MS;
  return (
    <section class="causes" aria-label={later.idleOn(name)}>
      <h4>
        {later.idleOn(name)}
        <span class="num muted">{later.ofRun(time(total), percent(total / trace.end, 0))}</span>
      </h4>
      <CauseList causes={causes.map(([cause, ms]) => [later.causes[cause], ms * PS_PER_MS])} total={total} />
    </section>
  );
}

export function Inspector() {
  const result = s.result.value;
  const thing = s.selection.value;
  const valid = result && thing && spanOfThing(result.trace, thing)[1] <= result.trace.end * 1.001;
  if (!result || !thing || !valid) {
    return (
      <>
        <div class="inspect-main">
          <h4>{later.nothingSelected}</h4>
          <p class="muted">{later.nothingSelectedRest}</p>
        </div>
        <div class="inspect-side">{result && <CriticalPath result={result} />}</div>
      </>
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
        <CriticalPath result={result} />
      </div>
      <WhatIf result={result} selection={thing} />
    </>
  );
}
