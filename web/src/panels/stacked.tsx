// Some schedules under each other, on one axis of time: for a lecture, or to see where the time goes.
import { useEffect, useRef, useState } from "preact/hooks";
import { scheduleValue } from "../editor/schedule";
import { currentName, download } from "../export/files";
import { stackPng } from "../export/stack_png";
import { comparison, picked, togglePicked } from "../state/compare";
import { readFacts } from "../state/facts";
import * as s from "../state/store";
import { en } from "../text/en";
import { later } from "../text/later";
import { percent, time } from "../text/format";
import { currentPalette } from "../timeline/view";
import { aside } from "../worker/aside";
import type { RunResult } from "../worker/protocol";
import { Dialog } from "./dialog";
import { Icon } from "./icon";
import { Axis, Lanes } from "./lanes";
import { useZoom } from "./zoom";

const MOST_EVENTS = 500_000;

/** Played once for a text and a schedule; the dialog may open many times. */
const cache = new Map<string, RunResult>();

async function play(text: string, name: string, current: boolean, signal: AbortSignal): Promise<RunResult | null> {
  const key = `${name}\n${text}`;
  const known = cache.get(key);
  if (known) return known;
  const set: Record<string, unknown> = current ? {} : { "pipeline.schedule": scheduleValue(name, {}) };
  const reply = await aside().ask({ type: "probe", text, set, cap: MOST_EVENTS }, signal);
  if (reply?.type !== "result") return null;
  if (cache.size >= 12) cache.clear();
  cache.set(key, reply.result);
  return reply.result;
}

interface Figure {
  name: string;
  /** undefined while it is played; null when it cannot run here, or is too large. */
  run: RunResult | null | undefined;
}

function useFigures(text: string, names: string[]): Figure[] {
  const [runs, setRuns] = useState(new Map<string, RunResult | null>());
  const key = names.join("\n");
  useEffect(() => {
    const off = new AbortController();
    const rows = comparison.peek()?.rows ?? [];
    for (const name of names) {
      const current = rows.find((row) => row.name === name)?.current ?? false;
      void play(text, name, current, off.signal).then((run) => {
        if (!off.signal.aborted) setRuns((old) => new Map(old).set(name, run));
      });
    }
    return () => off.abort();
  }, [text, key]);
  return names.map((name) => ({ name, run: runs.get(name) }));
}

function Entry({
  figure,
  view,
  unit,
  fastest,
}: {
  figure: Figure;
  view: s.View;
  unit: number | null;
  fastest: number;
}) {
  const { name, run } = figure;
  const facts = run ? readFacts(run.summary) : null;
  const step = facts?.stepMs ?? 0;
  return (
    <figure class="stack-entry">
      <figcaption>
        <strong>{name}</strong>
        {run && facts && (
          <span class="num">
            {unit ? `${((step * 1e9) / unit).toFixed(2)} F` : time(step * 1e9, 4)}
            {step > fastest * (1 + 1e-9) && <span class="muted"> {later.longerBy(percent(step / fastest - 1))}</span>}
            {facts.bubble !== null && <span class="muted">, {later.cardBubble(percent(facts.bubble))}</span>}
          </span>
        )}
        <button
          type="button"
          class="button quiet small square"
          aria-label={later.drop(name)}
          onClick={() => togglePicked(name)}
        >
          <Icon name="close" />
        </button>
      </figcaption>
      {run ? (
        <Lanes strips={[{ run, view, unit }]} />
      ) : (
        <p class="muted stack-wait">{run === null ? later.notDrawn : later.trying}</p>
      )}
    </figure>
  );
}

export function Stacked() {
  const text = s.result.peek()?.text ?? s.text.peek();
  const names = picked.value;
  const figures = useFigures(text, names);
  const ready = figures.flatMap(({ run }) => (run ? [run] : []));
  const span = Math.max(1, ...ready.map((run) => run.trace.end));
  const body = useRef<HTMLDivElement>(null);
  const { view, zoomed, zoom, fit, onKeyDown } = useZoom(span, body);
  const unit = (s.unitTime.value && ready[0]?.forward) || null;
  const fastest = Math.min(...ready.map((run) => readFacts(run.summary).stepMs ?? Number.POSITIVE_INFINITY));

  const save = async () => {
    const picture = await stackPng(body.current as HTMLElement, currentPalette());
    if (picture) download(picture, currentName("schedules.png"));
  };
  return (
    <Dialog
      id="stacked"
      heading={later.stackedHeading}
      note={later.stackedNote(names.length)}
      wide
      aside={
        <div class="stack-tools">
          <button
            type="button"
            class="button small"
            aria-pressed={s.colourMode.value === "paper"}
            onClick={() => (s.colourMode.value = s.colourMode.value === "paper" ? "kind" : "paper")}
          >
            {en.paper}
          </button>
          <button
            type="button"
            class="button small"
            title={en.unitTimeHint}
            aria-pressed={s.unitTime.value}
            onClick={() => (s.unitTime.value = !s.unitTime.value)}
          >
            {en.unitTime}
          </button>
          <button type="button" class="button small" onClick={() => zoom(1 / 1.6)}>
            {later.zoomIn}
          </button>
          <button type="button" class="button small" disabled={!zoomed} onClick={() => zoom(1.6)}>
            {later.zoomOut}
          </button>
          <button type="button" class="button small" disabled={!zoomed} onClick={fit}>
            <Icon name="fit" />
            {en.fit}
          </button>
          <button
            type="button"
            class="button small"
            disabled={figures.some(({ run }) => run === undefined) || ready.length === 0}
            onClick={() => void save()}
          >
            <Icon name="export" />
            {later.savePicture}
          </button>
        </div>
      }
    >
      <div
        class="dialog-body stack"
        ref={body}
        tabIndex={0}
        role="region"
        aria-label={later.stackedHeading}
        onKeyDown={onKeyDown}
      >
        {names.length === 0 && <p class="muted">{later.stackedEmpty}</p>}
        {ready[0] && <Axis run={ready[0]} view={view} unit={unit} />}
        {figures.map((figure) => (
          <Entry key={figure.name} figure={figure} view={view} unit={unit} fastest={fastest} />
        ))}
      </div>
    </Dialog>
  );
}
