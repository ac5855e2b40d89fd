// The answer: how far the search is, one sentence, the plans that are shown, and all there are.
import { count, percent } from "../text/format";
import { words } from "../text/plan";
import { Drawing } from "./drawing";
import { EditBar } from "./edit_bar";
import { Headline } from "./headline";
import { EDIT, fullest, IDEAL, isOver, type Shown, shortForm } from "./report";
import { Preview } from "./preview";
import { differences, nameOf, ofMs } from "./say";
import { type Answer, answer, chosen, choose, enough, notice, phase, plans, runOf, search, shown, text } from "./state";

/** Closer than this is no difference that one would speak of. */
const ALIKE = 0.0005;

/** What the search took. It stands where its progress stood, so that nothing moves when it ends. */
function Effort() {
  const { report, seconds, early } = answer.value as Answer;
  const { evaluated, configurations } = report.search;
  return (
    <p class="plan-state done">
      {early
        ? `${words.cut(seconds.toFixed(1))} ${words.stoppedEarly}`
        : report.plans.length > 0
          ? words.effort(seconds.toFixed(1), count(evaluated), count(configurations))
          : words.searched(seconds.toFixed(1), count(configurations))}
    </p>
  );
}

function Progress() {
  const now = phase.value;
  if (now.kind === "loading") return <p class="plan-state">{words.loading}</p>;
  if (now.kind === "wrong" || now.kind === "failed") {
    return (
      <p class="plan-state bad" role="alert">
        {now.kind === "wrong" ? words.wrong(now.problems.length) : now.message}
        {answer.value && ` ${words.previous}`}
        {now.kind === "failed" && (
          <button type="button" class="button" onClick={() => void search()}>
            {words.again}
          </button>
        )}
      </p>
    );
  }
  if (now.kind === "done") return <Effort />;
  const { part, done, total, best, ending } = now;
  return (
    <p class="plan-state">
      <progress max={total || 1} value={done} aria-label={words.heading} />
      <span class="num">
        {part < 0
          ? words.loading
          : words.progress(words.parts[part], count(done), count(total), best === undefined ? "" : ofMs(best))}
        {answer.value && part >= 0 && <span class="muted">. {words.previous}</span>}
      </span>
      <button type="button" class="button" id="plan-cancel" disabled={ending} onClick={enough}>
        {words.cancel}
      </button>
    </p>
  );
}

function Against({ ms, best }: { ms: number; best: number | undefined }) {
  if (best === undefined) return <>–</>;
  const more = ms / best - 1;
  if (Math.abs(more) < ALIKE / 10) return <>{words.best}</>;
  // As many digits as it takes not to look the same.
  const amount = percent(Math.abs(more), Math.abs(more) < 0.001 ? 3 : 1);
  return <span class={`delta ${more > 0 ? "worse" : "better"}`}>{more > 0 ? words.more(amount) : words.less(amount)}</span>;
}

function Line({ plan, best }: { plan: Shown; best: number | undefined }) {
  const full = fullest(plan);
  const used = full.memory_GiB / full.device_memory_GiB;
  const share = used < 2 ? percent(used) : words.timesFull(used.toFixed(1));
  const over = !plan.memory_fits || isOver(full);
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          id={`show-${plan.id}`}
          checked={chosen.value.includes(plan.id)}
          onChange={({ currentTarget }) => {
            choose(plan.id, currentTarget.checked);
            // The last one stays.
            currentTarget.checked = chosen.peek().includes(plan.id);
          }}
        />
      </td>
      <th scope="row">
        <label for={`show-${plan.id}`} title={words.rules[plan.id]?.[2]}>
          {nameOf(plan.id)}
        </label>
      </th>
      <td class="num">{ofMs(plan.iteration_ms)}</td>
      <td class="num">
        <Against ms={plan.iteration_ms} best={best} />
      </td>
      <td class="num">{plan.max_min_latency.toFixed(2)}</td>
      <td class={over ? "over" : ""}>{over ? words.tooFull(share) : words.full(share)}</td>
      <td class="plan-form">{shortForm(plan)}</td>
    </tr>
  );
}

function Compare() {
  const { report } = answer.value as Answer;
  const all = plans.value;
  const best = report.plans[0]?.iteration_ms;
  const none = Object.entries(report.baselines).filter(([, plan]) => plan === null);
  const ideal = report.baselines[IDEAL];
  if (all.length === 0) return null;
  return (
    <section class="plan-compare" aria-label={words.compare}>
      <h2>
        {words.compare} <span class="muted">{words.compareNote}</span>
      </h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={words.compareTable}>
        <table class="data">
          <thead>
            <tr>
              {words.compareColumns.map((name, i) => (
                <th key={name} scope="col" title={i === 4 ? words.maxMin : undefined}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {all.map((plan) => (
              <Line key={plan.id} plan={plan} best={best} />
            ))}
            {none.map(([id]) => (
              <tr key={id}>
                <td />
                <th scope="row" title={words.rules[id][2]}>
                  {nameOf(id)}
                </th>
                <td colSpan={5} class="muted">
                  {words.finds}
                </td>
              </tr>
            ))}
            {ideal && (
              <tr>
                <td />
                <th scope="row" title={words.rules[IDEAL][2]}>
                  {nameOf(IDEAL)}
                </th>
                <td class="num">{ofMs(ideal.iteration_ms)}</td>
                <td class="num">
                  <Against ms={ideal.iteration_ms} best={best} />
                </td>
                <td colSpan={3} />
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Entry({ plan }: { plan: Shown }) {
  return (
    <section class="plan-shown" aria-label={nameOf(plan.id)}>
      <header>
        <h2>
          {nameOf(plan.id)} <span class="num">{ofMs(plan.iteration_ms)}</span>
        </h2>
        <EditBar plan={plan} />
      </header>
      <Drawing plan={plan} />
      <Preview plan={plan} run={runOf(plan)} />
    </section>
  );
}

export function Result() {
  const found = answer.value;
  const pair = shown.value;
  const stale = found !== null && (found.text !== text.value || phase.value.kind !== "done");
  return (
    <main id="plan" class={`plan-result${stale ? " stale" : ""}`} aria-label={words.heading}>
      {notice.value && <p class="plan-state bad">{notice.value}</p>}
      <Progress />
      {found && (
        <>
          <Headline />
          {pair.length === 2 && (
            <section class="plan-differences" aria-label={words.difference}>
              <h2>{words.difference}</h2>
              <ul>
                {differences(pair[0], pair[1]).map((sentence) => (
                  <li key={sentence}>{sentence}</li>
                ))}
              </ul>
            </section>
          )}
          <div class={`plan-pair of-${pair.length}`}>
            {pair.map((plan) => (
              <Entry key={plan.id === EDIT ? EDIT : plan.text} plan={plan} />
            ))}
          </div>
          <Compare />
        </>
      )}
    </main>
  );
}
