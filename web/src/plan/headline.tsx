// The sentence that says it all: what a step takes, and against what; or why there is no plan.
import { percent } from "../text/format";
import { words } from "../text/plan";
import { deviceName } from "./question";
import { fullest, IDEAL, type Plan } from "./report";
import { gib, ofMs } from "./say";
import { type Answer, answer } from "./state";

const METIS = "metis_like";
const UNLIMITED = "metis_unlimited_memory";
/** Closer than this is no difference that one would speak of. */
const ALIKE = 0.0005;

/** What a word of the sentence means, on hover and focus. */
function Term({ rule, name }: { rule: string; name: string }) {
  return (
    <span class="plan-term">
      <button type="button" aria-describedby={`def-${rule}`}>
        {name}
      </button>
      <span role="tooltip" id={`def-${rule}`}>
        {words.rules[rule][2]}
      </span>
    </span>
  );
}

/** Where nothing fits: why, and how far memory is from it. */
function Nothing({ why }: { why: string }) {
  const without = (answer.value as Answer).report.baselines[UNLIMITED];
  const worst = without && fullest(without);
  return (
    <div class="plan-headline bad" role="status">
      <p>{words.nothing(why)}</p>
      {without && worst && (
        <p class="muted">
          {words.unlimited(
            ofMs(without.iteration_ms),
            gib(worst.memory_GiB),
            gib(worst.device_memory_GiB),
            deviceName(worst.gpu),
          )}
        </p>
      )}
    </div>
  );
}

/** A step against that of the best plan, both by the closed form: the engine plays others only when they are shown. */
const ratioOf = (plan: Plan, best: Plan): number => plan.iteration_ms / best.analytic_ms;

export function Headline() {
  const { report, early } = answer.value as Answer;
  const [best] = report.plans;
  if (!best) return <Nothing why={report.why ?? ""} />;
  const { [IDEAL]: ideal, [METIS]: metis, ...rest } = report.baselines;
  const [takes, pipelines] = words.takes(best.pipelines.length);
  const others = Object.entries(rest).flatMap(([id, plan]) => (plan?.memory_fits ? [{ id, plan }] : []));
  const strongest = others.sort((a, b) => a.plan.iteration_ms - b.plan.iteration_ms)[0];
  const alike = (ratio: number) => Math.abs(ratio - 1) < ALIKE;
  const verb = (ratio: number) =>
    alike(ratio) ? words.alike : ratio > 1 ? words.faster(ratio.toFixed(2)) : words.slower((1 / ratio).toFixed(2));
  const more = strongest ? ratioOf(strongest.plan, best) : 1;
  return (
    <div class="plan-headline" role="status">
      <p>
        {takes}
        <strong class="num">{ofMs(best.iteration_ms)}</strong>
        {pipelines}
        {metis && (
          <>
            {verb(ratioOf(metis, best))}
            <Term rule={METIS} name={words.rules[METIS][0]} /> ({ofMs(metis.iteration_ms)})
          </>
        )}
        {ideal && (
          <>
            {words.above(percent(best.iteration_ms / ideal.iteration_ms - 1, 0))}
            <Term rule={IDEAL} name={words.idealTerm} />
          </>
        )}
        .{" "}
        {!metis && !early && (
          <>
            <Term rule={METIS} name={words.rules[METIS][0].replace("a", "A")} />
            {words.metisFindsNothing}
          </>
        )}
        {strongest && (
          <>
            {words.strongest}
            <Term rule={strongest.id} name={words.rules[strongest.id][0]} />, {ofMs(strongest.plan.iteration_ms)}
            {!alike(more) && ` (${more > 1 ? words.more(percent(more - 1)) : words.less(percent(1 - more))})`}.
          </>
        )}
      </p>
    </div>
  );
}
