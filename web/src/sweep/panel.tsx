// Sweeps and Monte Carlo: the question on the left, what came of it so far on the right.
import { useState } from "preact/hooks";
import { currentName, download } from "../export/files";
import { Icon } from "../panels/icon";
import { WorkProgress } from "../panels/work";
import * as s from "../state/store";
import { en } from "../text/en";
import { count } from "../text/format";
import { words } from "../text/sweep";
import { Chance } from "./chance";
import { Form } from "./form";
import { Heat } from "./heat";
import { Line } from "./line";
import { load, loaded, nameOf } from "./load";
import { bestOf, METRICS, type Point, pointsOf } from "./rows";
import { unitOf, withUnit } from "./scale";
import { csvOf, start, type Sweep, sweep } from "./state";
import "../styles/sweep.css";

/** More points than this are not drawn. */
const MOST_DRAWN = 500;

function Progress({ state }: { state: Sweep }) {
  const { done, total } = state;
  return <WorkProgress {...state} name={words.start} text={words.running(count(done), count(total))} />;
}

/** How it ended, and whether it still speaks of the text. */
function Ending({ state, failed }: { state: Sweep; failed: number }) {
  const old = s.text.value !== state.text && s.text.value !== loaded.value?.text;
  const { done, total } = state;
  return (
    <p>
      {state.state === "failed"
        ? state.problem
        : state.state === "stopped"
          ? words.stopped(count(done), count(total))
          : words.finished(count(total))}
      {failed > 0 && words.failed(failed)}
      {old && (
        <span class="muted">
          {" "}
          {words.old}{" "}
          <button
            type="button"
            class="button small"
            onClick={() => void start({ text: s.text.peek(), axes: state.axes, seeds: state.seeds })}
          >
            {words.again}
          </button>
        </span>
      )}
    </p>
  );
}

function Found({ state }: { state: Sweep }) {
  const [metric, setMetric] = useState(0);
  const { axes, seeds, text } = state;
  const paths = axes.map(({ path }) => path);
  const points = pointsOf(axes, seeds, state.rows, metric);
  const known = points.flatMap(({ sample }) => (sample ? [sample.most] : []));
  const unit = unitOf(metric, Math.max(0, ...known));
  const rows = state.rows.filter((row) => row !== undefined);
  const failed = rows.filter((row) => row.problem !== "").length;
  const best = axes.length > 0 ? bestOf(points, metric) : null;
  const drawn = points.length <= MOST_DRAWN;
  const press = (point: Point) => load(text, paths, point.at);
  const shown = { points, metric, unit, path: paths[0], paths, press };
  return (
    <section class="sweep-found" aria-label={en.tabs.sweep}>
      <header class="compare-head">
        <div class="compare-say">
          {state.state === "running" && <Progress state={state} />}
          <div role="status">
            {state.state !== "running" && (
              <>
                <Ending state={state} failed={failed} />
                {best && (
                  <p>
                    <strong>{words.best(nameOf(paths, best.at))}</strong>{" "}
                    {withUnit(best.sample?.median as number, unit)}.
                  </p>
                )}
              </>
            )}
          </div>
        </div>
        <div class="compare-tools">
          <label>
            <span class="visually-hidden">{words.show}</span>
            <select
              id="sweep-metric"
              value={metric}
              onChange={(event) => setMetric(Number(event.currentTarget.value))}
            >
              {METRICS.map((name, i) => (
                <option key={name} value={i}>
                  {words.metrics[name]}
                </option>
              ))}
            </select>
          </label>
          <button
            type="button"
            class="button small"
            id="sweep-csv"
            disabled={rows.length === 0}
            onClick={() => download(new Blob([csvOf(state)], { type: "text/csv" }), currentName("sweep.csv"))}
          >
            <Icon name="export" />
            {words.csv}
          </button>
        </div>
      </header>
      {!drawn && <p>{words.tooMany}</p>}
      {drawn && axes.length === 1 && <Line {...shown} seeds={seeds} />}
      {drawn && axes.length === 2 && <Heat {...shown} rows={axes[0].values} columns={axes[1].values} />}
      {axes.length === 0 && points[0].sample && (
        <Chance
          rows={rows}
          sample={points[0].sample}
          metric={metric}
          unit={unit}
          run={(n) => void start({ text, axes, seeds: n })}
          take={(seed) => load(text, ["simulation.seed"], [seed])}
        />
      )}
    </section>
  );
}

export function Panel() {
  const state = sweep.value;
  return (
    <div class="sweep">
      <Form />
      {state ? <Found state={state} /> : <p class="muted sweep-intro">{words.intro}</p>}
    </div>
  );
}
