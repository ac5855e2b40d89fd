// The one sentence above the numbers: what is wrong or worth knowing, and the one press that helps.
// It turns into the error line, the progress line or a question; it never disappears.
import type { ComponentChildren } from "preact";
import { idlestLane } from "../state/first_look";
import { MICROBATCHES, runNow } from "../state/run";
import { jump, replaceText } from "../state/source";
import * as s from "../state/store";
import { en } from "../text/en";
import { bytes, percent, short } from "../text/format";
import { idleSplit } from "../timeline/gaps";
import { laneName } from "../timeline/names";

interface Line {
  strong: string;
  rest: ComponentChildren;
  action?: { label: string; run(): void };
  bad?: boolean;
}

/** The device that exceeds its memory by most, if one does. */
function overCapacity({ facts, plan }: s.Result): Line | null {
  let line: Line | null = null;
  let worst = 1;
  for (const { device, bytes: needs } of facts.peaks) {
    const has = plan.resources.find((r) => r.type === "device" && r.name === device)?.memory_capacity_bytes;
    if (!has || needs / has <= worst) continue;
    worst = needs / has;
    line = {
      strong: en.insight.overCapacity(device),
      rest: ` ${en.insight.overCapacityRest(bytes(needs).join(" "), bytes(has).join(" "))}`,
      action: { label: en.tabs.memory, run: () => (s.detailTab.value = "memory") },
      bad: true,
    };
  }
  return line;
}

function resultLine(result: s.Result): Line {
  const full = overCapacity(result);
  if (full) return full;
  const { trace, plan } = result;
  const lane = idlestLane(trace);
  const idle = idleSplit(trace, lane);
  const share = (t: number) => percent(trace.end > 0 ? t / trace.end : 0, 0);
  const parts = [en.insight.fillAndDrain(share(idle.warmUp + idle.drain)), en.insight.between(share(idle.between))];
  let busiest = -1;
  for (let l = trace.devices; l < trace.lanes; l++) {
    if (busiest < 0 || trace.busy[l] > trace.busy[busiest]) busiest = l;
  }
  const offer = s.offer.value;
  const tail =
    offer !== null
      ? en.insight.offer(offer.microbatches, percent(offer.bubble, 0))
      : busiest >= 0 && trace.busy[busiest] >= trace.end / 100
        ? en.insight.busiest(laneName(plan, trace, busiest).long, share(trace.busy[busiest]))
        : "";
  return {
    strong: en.insight.idles(laneName(plan, trace, lane).long, share(idle.total)),
    rest: ` ${parts.join(", ")}. ${tail}`,
    action:
      offer?.faster && !s.stale.value
        ? { label: en.insight.apply(offer.microbatches), run: () => setMicrobatches(offer.microbatches) }
        : undefined,
  };
}

function setMicrobatches(n: number): void {
  const text = s.text.peek();
  replaceText(text.replace(MICROBATCHES, (_all, before: string) => `${before}${n}`));
}

/** Pipelines are still to be found for it. */
const PLAN = /^plan:/m;

async function openPlan(): Promise<void> {
  const { encode } = await import("../share/codec");
  location.href = `plan.html${await encode({ text: s.text.peek(), view: null, look: "", engine: "" })}`;
}

function line(): Line {
  const phase = s.phase.value;
  const result = s.result.value;
  const previous = result ? ` ${en.insight.previous}` : "";
  if (s.errors.value > 0 && phase.kind !== "running") {
    const first = s.diagnostics.value.find((d) => d.severity === "error");
    if (first?.path === "pipeline.stages" && first.code === "key.missing" && PLAN.test(s.text.value)) {
      return { strong: en.insight.toPlan, rest: ` ${en.insight.toPlanRest}`, action: { label: en.insight.findPlan, run: () => void openPlan() } };
    }
    return {
      strong: en.insight.errors(s.errors.value),
      rest: ` ${result ? en.insight.errorsRest : en.insight.errorsFirst}`,
      action:
        first && first.line > 0
          ? { label: en.insight.goToFirst, run: () => (jump.value = { line: first.line, column: first.column }) }
          : undefined,
      bad: true,
    };
  }
  switch (phase.kind) {
    case "running":
      if (!phase.visible && result) return resultLine(result);
      if (!phase.visible) return { strong: en.insight.loading, rest: "" };
      return {
        strong: en.insight.running(0),
        rest: ` ${en.insight.events(phase.done, phase.total)}${previous}`,
      };
    case "capped":
      return {
        strong: en.insight.capped(short(phase.events)),
        rest: ` ${en.insight.cappedRest}${previous}`,
        action: { label: en.runAnyway, run: () => runNow(true) },
      };
    case "guarded":
      return {
        strong: en.insight.guarded,
        rest: ` ${en.insight.guardedRest}`,
        action: { label: en.run, run: () => runNow(true) },
      };
    case "stopped":
      return { strong: en.insight.stopped, rest: ` ${en.insight.stoppedRest}${previous}` };
    case "crashed":
      return {
        strong: en.insight.crashed,
        rest: ` ${phase.message}`,
        action: { label: en.run, run: () => runNow(true) },
        bad: true,
      };
    case "unavailable":
      return {
        strong: en.insight.unavailable,
        rest: ` ${en.insight.unavailableRest} ${phase.message}`,
        bad: true,
      };
    default:
      return result ? resultLine(result) : { strong: en.insight.loading, rest: "" };
  }
}

export function Insight() {
  const { strong, rest, action, bad } = line();
  return (
    <div class={`insight${bad ? " bad" : ""}`}>
      <p id="insight">
        <strong>{strong}</strong>
        {rest}
      </p>
      {action && (
        <button class="button" id="insight-apply" type="button" onClick={action.run}>
          {action.label}
        </button>
      )}
    </div>
  );
}
