// The line above the lanes while a run is played: its controls, and what happens just now in words.
import { computed, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Icon } from "../panels/icon";
import { when } from "../state/clock";
import * as s from "../state/store";
import { later } from "../text/later";
import { fullName, laneName } from "../timeline/names";
import { NONE } from "../worker/protocol";
import { wireHead } from "./head";
import { type Moment, momentAt, phaseAt, phasesOf } from "./narrate";
import { goTo, length, LENGTHS, moment, pause, play, running, step, stepsOnly, toggle } from "./player";
import { laneOf } from "../timeline/gaps";
import "../styles/play.css";

const STEPS = 1000;

const phases = computed(() => {
  const result = s.result.value;
  return result ? phasesOf(result.trace, result.plan) : [];
});

const phase = computed(() => {
  const result = s.result.value;
  if (!result) return "";
  const now = phaseAt(phases.value, result.trace.end, moment.value);
  return later.play.phases[now.phase](result.plan.batches > 1 ? now.batch : null);
});

/** Who works, and who has waited longest for what. */
function detailOf({ trace, plan }: s.Result, now: Moment): string {
  const { waiting } = now;
  const parts = [later.play.working(now.working, now.devices, now.carrying)];
  if (waiting) {
    const lane = laneName(plan, trace, waiting.gap.lane).long;
    const { decider } = waiting;
    const on = decider === NONE ? -1 : laneOf(trace, decider);
    const where = on < 0 ? "" : laneName(plan, trace, on).long;
    const what = decider === NONE ? "" : fullName(plan, trace, decider);
    parts.push(on < 0 ? later.play.waits(lane) : later.play.waitsFor(lane, what, where.toLowerCase(), on >= trace.devices));
  }
  return parts.join(" ");
}

function Narration() {
  const result = s.result.value;
  if (!result) return null;
  const ended = moment.value >= result.trace.end;
  return (
    <p class="play-say">
      <strong role="status" id="play-phase">
        {phase.value}
      </strong>{" "}
      <span id="play-detail">{ended ? "" : detailOf(result, momentAt(result.trace, result.plan, moment.value))}</span>
    </p>
  );
}

/** Keys of the timeline while it is played; everything else is as always. */
function wireKeys(host: HTMLElement): () => void {
  const abort = new AbortController();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.code !== "Space" || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (stepsOnly()) step(!event.shiftKey);
    else toggle();
  };
  host.addEventListener("keydown", onKeyDown, { capture: true, signal: abort.signal });
  return () => abort.abort();
}

export function PlayBar() {
  useEffect(() => {
    const host = document.getElementById("tl-canvas") as HTMLElement;
    const stops = [wireHead(host), wireKeys(host)];
    goTo(0);
    play();
    return () => {
      pause();
      for (const stop of stops) stop();
    };
  }, []);
  useSignalEffect(() => {
    // Another run is another story.
    s.result.value;
    if (moment.peek() > (s.result.peek()?.trace.end ?? 0)) moment.value = 0;
  });
  const span = s.result.value?.trace.end ?? 1;
  const at = when(moment.value, span);
  return (
    <section class="play-bar" id="play-bar" aria-label={later.play.label}>
      <div class="play-controls">
        {!stepsOnly() && (
          <button type="button" class="button small" id="play-toggle" onClick={toggle}>
            <Icon name={running.value ? "stop" : "run"} />
            {running.value ? later.play.pause : later.play.play}
          </button>
        )}
        <button type="button" class="button small" onClick={() => step(false)}>
          {later.play.back}
        </button>
        <button type="button" class="button small" onClick={() => step(true)}>
          {later.play.step}
        </button>
        <input
          type="range"
          id="play-time"
          min={0}
          max={STEPS}
          value={Math.round((moment.value / span) * STEPS)}
          aria-label={later.play.time}
          aria-valuetext={at}
          onInput={(event) => {
            pause();
            goTo((Number(event.currentTarget.value) / STEPS) * span);
          }}
        />
        <output class="num" for="play-time">
          {at}
        </output>
        {!stepsOnly() && (
          <select
            aria-label={later.play.length}
            value={length.value}
            onChange={(event) => (length.value = Number(event.currentTarget.value))}
          >
            {LENGTHS.map((seconds) => (
              <option value={seconds} key={seconds}>
                {later.play.seconds(seconds)}
              </option>
            ))}
          </select>
        )}
      </div>
      <Narration />
    </section>
  );
}
