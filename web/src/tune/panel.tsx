// Tune: what may change, the search as it goes, and what it found: a plan to be taken, why none is faster, what each
// part of it does alone.
import { useState } from "preact/hooks";
import { download, currentName } from "../export/files";
import { WorkButton, WorkProgress } from "../panels/work";
import * as s from "../state/store";
import { en } from "../text/en";
import { bytes, count, percent, time } from "../text/format";
import { words } from "../text/tune";
import { Figure } from "./figure";
import { type AxisName, ranked, type Report } from "./report";
import { cancel, planText, start, take, type Tuning, tuning } from "./state";
import "../styles/sweep.css";
import "../styles/tune.css";

const AXES = Object.keys(words.axes) as AxisName[];
const MOST_SHOWN = 10;
const ofMs = (ms: number) => time(ms * 1e9, 4);

function Form() {
  const last = tuning.peek();
  const [axes, setAxes] = useState<AxisName[]>(last?.axes ?? AXES);
  const [effort, setEffort] = useState(String(last?.evaluations ?? words.efforts[0][0]));
  const [problem, setProblem] = useState("");
  const running = tuning.value?.state === "running";
  const go = (event: Event) => {
    event.preventDefault();
    setProblem(axes.length > 0 ? "" : words.none);
    const text = s.result.peek()?.text;
    if (axes.length > 0 && text !== undefined) void start({ text, axes, evaluations: Number(effort) });
  };
  return (
    <form class="sweep-form tune-form" onSubmit={go} aria-label={words.form}>
      <fieldset>
        <legend>{words.form}</legend>
        {AXES.map((axis) => (
          <label key={axis} class="tune-axis" title={words.axes[axis][1]}>
            <input
              type="checkbox"
              id={`tune-${axis}`}
              checked={axes.includes(axis)}
              onChange={(event) =>
                setAxes(AXES.filter((one) => (one === axis ? event.currentTarget.checked : axes.includes(one))))
              }
            />
            {words.axes[axis][0]}
          </label>
        ))}
      </fieldset>
      <div class="sweep-go">
        <label>
          <span>{words.effort}</span>
          <select id="tune-effort" value={effort} onChange={(event) => setEffort(event.currentTarget.value)}>
            {words.efforts.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <WorkButton id="tune" running={running} start={words.start} cancel={words.cancel} onCancel={cancel} />
      </div>
      <p class="sweep-problem" role="alert">
        {problem}
      </p>
    </form>
  );
}

function Progress({ state }: { state: Tuning }) {
  const { done, total } = state;
  const text = total > 0 ? words.running(count(done), count(total)) : words.fetching;
  return <WorkProgress {...state} name={words.start} text={text} />;
}

/** What was found, against the step of the text that was tuned. */
function Verdict({ state, now }: { state: Tuning; now: number | null }) {
  const { best, report } = state;
  if (state.state === "failed") return <p>{state.problem}</p>;
  if (!best) return <p>{report ? words.noneFits : ""}</p>;
  if (now !== null && best.makespan_ms >= now * (1 - 1e-9)) return <p>{words.noneFaster}</p>;
  return (
    <p>
      <strong>{now === null ? ofMs(best.makespan_ms) : words.faster(ofMs(best.makespan_ms), percent(1 - best.makespan_ms / now))}</strong>
      {words.by(best.name)}
    </p>
  );
}

function Tools({ state }: { state: Tuning }) {
  if (!state.best || state.state === "running") return null;
  const save = () => download(new Blob([planText(state)], { type: "text/yaml" }), currentName("tuned.yaml"));
  return (
    <div class="compare-tools">
      <button type="button" class="button small" onClick={save}>
        {words.saveYaml}
      </button>
      <button type="button" class="button small primary" id="tune-take" onClick={() => take(state)}>
        {words.take}
      </button>
    </div>
  );
}

function Plans({ report }: { report: Report }) {
  const rows = ranked(report);
  const refused = report.candidates.length - rows.length;
  const bound = report.lower_bound_ms;
  return (
    <div>
      <table class="data tune-plans" aria-label={words.table}>
        <thead>
          <tr>
            <th scope="col">{words.plan}</th>
            {[words.time, words.gap, words.memory].map((name) => (
              <th key={name} scope="col" class="num">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_SHOWN).map((row, i) => (
            <tr key={i}>
              <th scope="row">{row.name}</th>
              <td class="num">{ofMs(row.makespan_ms as number)}</td>
              <td class="num">{bound > 0 ? `+${percent((row.makespan_ms as number) / bound - 1)}` : "–"}</td>
              <td class={`num${row.fits ? "" : " over"}`}>
                {bytes(row.peak_memory ?? 0).join(" ")}
                {!row.fits && <span class="tag strong">{words.over}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {refused > 0 && <p class="muted">{words.refused(refused)}</p>}
    </div>
  );
}

function Why({ report }: { report: Report }) {
  const { best, single_axis_makespan_ms: alone } = report;
  return (
    <div class="tune-why">
      <p>
        {words.bound(ofMs(report.lower_bound_ms))}
        {words.binds[report.binding]}
      </p>
      {report.whole_layers_bound_ms > report.lower_bound_ms && <p>{words.whole(ofMs(report.whole_layers_bound_ms))}</p>}
      {alone && (
        <table class="data">
          <caption>{words.alone}</caption>
          <tbody>
            {AXES.map((axis) => (
              <tr key={axis}>
                <th scope="row">{words.axes[axis][0]}</th>
                <td class="num">{alone[axis] === null ? words.nothing : ofMs(alone[axis])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {best?.buffers != null && <p>{words.buffers(best.buffers)}</p>}
      {best?.megatron_layout && (
        <p>
          {words.layout} <code>{best.megatron_layout}</code>
        </p>
      )}
    </div>
  );
}

function Outcome({ state }: { state: Tuning }) {
  const now = s.result.value as s.Result;
  const same = now.text === state.text;
  const again = () => void start({ text: now.text, axes: state.axes, evaluations: state.evaluations });
  return (
    <section class="sweep-found tune-found" aria-label={en.tabs.tune}>
      <header class="compare-head">
        <div class="compare-say">
          {state.state === "running" && <Progress state={state} />}
          <div role="status">
            {state.state === "stopped" && <p class="muted">{words.stopped(state.done)}</p>}
            <Verdict state={state} now={same ? now.facts.stepMs : null} />
            {!same && (
              <p class="muted">
                {words.old}{" "}
                <button type="button" class="button small" onClick={again}>
                  {words.again}
                </button>
              </p>
            )}
          </div>
        </div>
        <Tools state={state} />
      </header>
      {same && <Figure state={state} now={now} />}
      {state.report && (
        <div class="tune-report">
          <Plans report={state.report} />
          <Why report={state.report} />
        </div>
      )}
    </section>
  );
}

export function Panel() {
  const state = tuning.value;
  return (
    <div class="sweep">
      <Form />
      {state ? <Outcome state={state} /> : <p class="muted sweep-intro">{words.intro}</p>}
    </div>
  );
}
