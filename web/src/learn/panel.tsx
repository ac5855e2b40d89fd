// Convergence: schedules of one scenario, each training the same small model with its own versions of the weights, and
// what that comes to in simulated time.
import { useState } from "preact/hooks";
import { currentName, download } from "../export/files";
import { WorkProgress } from "../panels/work";
import * as s from "../state/store";
import { en } from "../text/en";
import { count, time, trim } from "../text/format";
import { words } from "../text/learn";
import { Arms } from "./arms";
import { Curves } from "./curves";
import { Form } from "./form";
import { alike, type Case, csvOf, isOver, type Report } from "./report";
import { type Learning, learning, start } from "./state";
import "../styles/sweep.css";
import "../styles/tune.css";
import "../styles/learn.css";

function Progress({ state }: { state: Learning }) {
  const { done, total } = state;
  const text = total > 0 ? words.running(count(done), count(total)) : words.fetching;
  return <WorkProgress {...state} name={words.start} text={text} />;
}

/** Who is first at the target, and by how much. */
function Headline({ report, cases }: { report: Report; cases: Case[] }) {
  const there = cases
    .filter((one) => one.ms_to_target !== null)
    .sort((a, b) => (a.ms_to_target as number) - (b.ms_to_target as number));
  const [first, ...rest] = there;
  if (!first || report.target === null || rest.length === 0) return null;
  const ms = first.ms_to_target as number;
  const others = rest.map((one) => words.next(one.schedule, ((one.ms_to_target as number) / ms).toFixed(2)));
  return (
    <>
      <strong>{words.first(first.schedule, trim(report.target), time(ms * 1e9))}</strong>
      {["", ...others].join("; ")}.{" "}
    </>
  );
}

function Verdict({ report, cases }: { report: Report; cases: Case[] }) {
  const over = cases.filter(({ seeds }) => seeds.filter(isOver).length === report.seeds);
  const left = over.filter(({ diverged }) => diverged > 0).map(({ schedule }) => schedule);
  const pairs = alike(over).map(([a, b]) => words.pair(a.schedule, b.schedule));
  const all = over.length > 0 && over.every(({ diverged }) => diverged === report.seeds);
  return (
    <>
      <p>
        <Headline report={report} cases={over} />
        {all ? words.allDiverged : left.length > 0 && words.diverged(left.join(", "))}
      </p>
      <p class="muted">
        {pairs.length > 0 && words.within(pairs)} {report.seeds === 1 && words.oneSeed} {words.toy}
      </p>
    </>
  );
}

function RateChoice({ rates, rate, set }: { rates: number[]; rate: number; set(rate: number): void }) {
  if (rates.length < 2) return null;
  return (
    <label>
      {words.rateShown}{" "}
      <select id="learn-rate" value={rate} onChange={(event) => set(Number(event.currentTarget.value))}>
        {rates.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  );
}

function Outcome({ state }: { state: Learning }) {
  const [chosen, setChosen] = useState(0);
  const { report, options } = state;
  const running = state.state === "running";
  const same = s.result.value?.text === state.text;
  const rates = [...new Set(report?.cases.map(({ rate }) => rate))];
  // Unless one is chosen, the rate that is being tried.
  const rate = rates.includes(chosen) ? chosen : ((running ? rates.at(-1) : rates[0]) ?? 0);
  const cases = report?.cases.filter((one) => one.rate === rate) ?? [];
  const again = () => void start({ text: (s.result.peek() as s.Result).text, options });
  const save = () => report && download(new Blob([csvOf(report)], { type: "text/csv" }), currentName("learn.csv"));
  return (
    <section class="sweep-found learn-found" aria-label={en.tabs.learn}>
      <header class="compare-head">
        <div class="compare-say">
          {running && <Progress state={state} />}
          <div role="status">
            {state.state === "stopped" && <p class="muted">{words.stopped}</p>}
            {state.state === "failed" && <p>{state.problem}</p>}
            {report && !running && <Verdict report={report} cases={cases} />}
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
        {report && !running && (
          <div class="compare-tools">
            <RateChoice rates={rates} rate={rate} set={setChosen} />
            <button type="button" class="button small" id="learn-csv" onClick={save}>
              {words.csv}
            </button>
          </div>
        )}
      </header>
      {report && cases.some(({ seeds }) => seeds.some(({ curve }) => curve.length > 0)) && <Curves report={report} cases={cases} />}
    </section>
  );
}

export function Panel() {
  const state = learning.value;
  return (
    <div class="sweep">
      <Form />
      {state ? <Outcome state={state} /> : <p class="muted sweep-intro">{words.intro}</p>}
      {state?.report && <Arms report={state.report} />}
    </div>
  );
}
