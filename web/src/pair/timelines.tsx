// A and B as figures: on one axis of time, lane by lane, or both as long as the figure.
import { useRef, useState } from "preact/hooks";
import { Axis, Lanes, type Strip } from "../panels/lanes";
import { useZoom } from "../panels/zoom";
import * as s from "../state/store";
import { en } from "../text/en";
import { time } from "../text/format";
import { pairText } from "../text/pair";

type Mode = keyof typeof pairText.modes;
const MODES = Object.keys(pairText.modes) as Mode[];

interface Named extends Strip {
  name: string;
  step: number;
}

function Entry({ strips }: { strips: Named[] }) {
  const steps = strips.map(({ name, step }) => `${name} ${time(step, 4)}`).join(", ");
  const lanes = Math.max(...strips.map(({ run }) => run.trace.devices));
  return (
    <figure class="stack-entry">
      <figcaption>
        {strips.map(({ name, step }) => (
          <span key={name} class="num">
            <strong>{name}</strong> {time(step, 4)}
          </span>
        ))}
      </figcaption>
      <div role="img" aria-label={pairText.picture(steps, lanes)}>
        <Lanes strips={strips} />
      </div>
    </figure>
  );
}

export function Timelines({ a, b }: { a: s.Result; b: s.Result }) {
  const [mode, setMode] = useState<Mode>("stacked");
  const body = useRef<HTMLDivElement>(null);
  const span = Math.max(a.trace.end, b.trace.end, 1);
  const { view, zoomed, fit, onKeyDown } = useZoom(span, body);
  const stretched = mode === "stretched";
  const stripOf = (name: string, run: s.Result): Named => {
    const part = stretched ? run.trace.end / span : 1;
    const unit = stretched ? run.trace.end / 100 : (s.unitTime.value && b.forward) || null;
    return { name, run, unit, view: { t0: view.t0 * part, t1: view.t1 * part }, step: (run.facts.stepMs ?? 0) * 1e9 };
  };
  const [ofA, ofB] = [stripOf("A", a), stripOf("B", b)];
  return (
    <section class="pair-part" aria-labelledby="pair-timelines">
      <header class="pair-head">
        <h4 id="pair-timelines">{pairText.timelines}</h4>
        <div class="pair-modes" role="group" aria-labelledby="pair-timelines">
          {MODES.map((one) => (
            <button
              key={one}
              type="button"
              class="button small"
              title={pairText.modeHints[one]}
              aria-pressed={mode === one}
              onClick={() => setMode(one)}
            >
              {pairText.modes[one]}
            </button>
          ))}
        </div>
        <button type="button" class="button small" disabled={!zoomed} onClick={fit}>
          {en.fit}
        </button>
        <span class="muted">{pairText.modeHints[mode]}</span>
      </header>
      <div
        class="pair-figure"
        ref={body}
        tabIndex={0}
        role="region"
        aria-label={pairText.modeHints[mode]}
        title={pairText.zoomHint}
        onKeyDown={onKeyDown}
      >
        <Axis {...ofB} />
        {mode === "overlaid" ? (
          <Entry key={mode} strips={[ofB, ofA]} />
        ) : (
          [ofA, ofB].map((one) => <Entry key={one.name} strips={[one]} />)
        )}
      </div>
    </section>
  );
}
