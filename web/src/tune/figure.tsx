// The step as it is, and below it the best plan so far, whose operations move when a better one comes.
import { useEffect, useRef, useState } from "preact/hooks";
import { Axis, Lanes } from "../panels/lanes";
import * as s from "../state/store";
import { time } from "../text/format";
import { words } from "../text/tune";
import type { RunResult } from "../worker/protocol";
import { MOST_MOVING, onTheWay, placesIn } from "./morph";
import { played, type Tuning } from "./state";

const MOVE_MS = 350;

/** `run`, or what lies between the run before it and it. */
function useMoving(run: RunResult | null): RunResult | null {
  const [shown, setShown] = useState(run);
  const last = useRef(run);
  useEffect(() => {
    const from = last.current;
    last.current = run;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!from || !run || still || run.trace.start.length > MOST_MOVING) return setShown(run);
    const places = placesIn(from.trace, run.trace);
    const since = performance.now();
    let frame = 0;
    const move = (now: number) => {
      const share = Math.min(1, Math.max(0, now - since) / MOVE_MS);
      setShown(share < 1 ? onTheWay(places, run, 1 - (1 - share) ** 3) : run);
      if (share < 1) frame = requestAnimationFrame(move);
    };
    frame = requestAnimationFrame(move);
    return () => cancelAnimationFrame(frame);
  }, [run]);
  return shown;
}

export function Figure({ state, now }: { state: Tuning; now: s.Result }) {
  const best = useMoving(played.value?.run ?? null);
  const found = played.value?.found;
  if (!best || !found) return null;
  const view = { t0: 0, t1: Math.max(now.trace.end, best.trace.end, 1) };
  const unit = (s.unitTime.value && now.forward) || null;
  const times = [time((now.facts.stepMs ?? 0) * 1e9, 4), time(found.makespan_ms * 1e9, 4)];
  const entries = [
    { name: words.now, run: now, note: times[0] },
    { name: state.state === "running" ? words.best : words.found, run: best, note: `${times[1]}, ${found.name}` },
  ];
  return (
    <div class="tune-figure" role="img" aria-label={words.picture(times[0], times[1])}>
      <Axis run={now} view={view} unit={unit} />
      {entries.map(({ name, run, note }) => (
        <figure key={name === words.now ? "now" : "best"} class="stack-entry">
          <figcaption>
            <strong>{name}</strong> <span class="num">{note}</span>
          </figcaption>
          <Lanes strips={[{ run, view, unit }]} />
        </figure>
      ))}
    </div>
  );
}
