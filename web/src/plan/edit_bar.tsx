// What can be done with a plan that is shown: open it in the simulator, copy it, change it by hand.
import { useEffect, useState } from "preact/hooks";
import { percent } from "../text/format";
import { words } from "../text/plan";
import { microSizes, moveBatch, portion, setMicro, takerOf } from "./edit";
import { EDIT, isOver, type Shown } from "./report";
import { gib, ofMs } from "./say";
import { beginEdit, edit, editing, endEdit, linkOf, plans, refused, runOf, undo } from "./state";

function Links({ plan }: { plan: Shown }) {
  const [link, setLink] = useState("");
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    let wanted = true;
    setCopied(false);
    void linkOf(plan.text).then((hash) => wanted && setLink(`./${hash}`));
    return () => void (wanted = false);
  }, [plan.text]);
  return (
    <>
      <a class="button small plan-open" href={link || undefined}>
        {words.open}
      </a>
      <button
        type="button"
        class="button small"
        onClick={() => navigator.clipboard.writeText(plan.text).then(() => setCopied(true), () => undefined)}
      >
        {copied ? words.copied : words.copy}
      </button>
    </>
  );
}

/** What the change costs, by the engine. */
function Cost({ plan, from }: { plan: Shown; from: Shown }) {
  const why = refused.value.get(plan.text);
  if (why !== undefined) return <p class="over">{why || words.tooLarge}</p>;
  if (!runOf(plan)) return <p>{words.playing}</p>;
  const more = plan.iteration_ms / from.iteration_ms - 1;
  const how = Math.abs(more) < 5e-5 ? words.same : more > 0 ? words.slowerBy(percent(more, 2)) : words.fasterBy(percent(-more, 2));
  const tooMuch = plan.pipelines.flatMap(({ stages }, p) =>
    stages.flatMap((stage, s) =>
      isOver(stage) ? words.tooMuch(p, s, gib(stage.memory_GiB), gib(stage.device_memory_GiB)) : [],
    ),
  );
  return (
    <p>
      {plan.text === from.text ? words.unchanged : words.cost(ofMs(plan.iteration_ms), how)}{" "}
      {tooMuch.length > 0 ? <span class="over">{tooMuch.join(" ")}</span> : words.fits}
    </p>
  );
}

function Batches({ plan }: { plan: Shown }) {
  return (
    <ul class="plan-batches">
      {plan.pipelines.map((pipeline, p) => {
        const to = takerOf(plan, p);
        return (
          <li key={p}>
            <b>{words.pipeline(p)}</b>
            {to >= 0 && (
              <button
                type="button"
                class="button small"
                disabled={!moveBatch(plan, p)}
                onClick={() => edit(moveBatch(plan, p))}
              >
                {words.give(portion(plan, p, to), to)}
              </button>
            )}
            <label>
              {words.micro}{" "}
              <select
                aria-label={`${words.micro}, ${words.pipeline(p)}`}
                value={pipeline.micro_batch_size}
                onChange={({ currentTarget: { value } }) => edit(setMicro(plan, p, Number(value)))}
              >
                {microSizes(pipeline).map((size) => (
                  <option key={size} value={size}>
                    {size}
                  </option>
                ))}
              </select>
            </label>
          </li>
        );
      })}
    </ul>
  );
}

export function EditBar({ plan }: { plan: Shown }) {
  const now = editing.value;
  const own = plan.id === EDIT && now !== null;
  const from = own ? (plans.value.find(({ id }) => id === now.from.id) ?? now.from) : plan;
  return (
    <>
      <div class="plan-tools">
        {own ? (
          <>
            <button type="button" class="button small" id="plan-undo" disabled={now.steps.length < 2} onClick={() => undo()}>
              {words.undo}
            </button>
            <button type="button" class="button small" disabled={now.steps.length < 2} onClick={() => undo(true)}>
              {words.reset}
            </button>
            <button type="button" class="button small" id="plan-end" onClick={endEdit}>
              {words.editDone}
            </button>
          </>
        ) : (
          <button type="button" class="button small plan-edit" onClick={() => beginEdit(plan)}>
            {words.edit}
          </button>
        )}
        <Links plan={plan} />
      </div>
      {own && (
        <div class="plan-editing">
          <div id="plan-cost" role="status">
            <Cost plan={plan} from={from} />
          </div>
          <Batches plan={plan} />
          <p class="muted">{words.editNote}</p>
        </div>
      )}
    </>
  );
}
