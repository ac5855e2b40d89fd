// What is compared, and with which model.
import { useState } from "preact/hooks";
import { WorkButton } from "../panels/work";
import { object } from "../state/facts";
import * as s from "../state/store";
import { words } from "../text/learn";
import { firstChoice } from "./report";
import { cancel, learning, start } from "./state";

const OFFERED = Object.keys(words.schedules);
/** Points of a curve. */
const POINTS = 16;

interface ChoiceProps {
  id: string;
  label: string;
  value: string;
  options: string[][];
  set(value: string): void;
}

const Choice = ({ id, label, value, options, set }: ChoiceProps) => (
  <label>
    <span>{label}</span>
    <select id={`learn-${id}`} value={value} onChange={(event) => set(event.currentTarget.value)}>
      {options.map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
  </label>
);

interface FieldProps {
  id: string;
  label: string;
  value: string;
  title?: string;
  hint?: string;
  set(value: string): void;
}

const Field = ({ id, label, value, title, hint, set }: FieldProps) => (
  <label title={title}>
    <span>{label}</span>
    <input
      id={`learn-${id}`}
      value={value}
      placeholder={hint}
      spellcheck={false}
      autocomplete="off"
      onInput={(event) => set(event.currentTarget.value)}
    />
  </label>
);

const split = (text: string, by: RegExp): string[] => text.split(by).map((part) => part.trim()).filter(Boolean);
const within = (n: number, low: number, high: number) => Number.isInteger(n) && n >= low && n <= high;

export const nameOfOwn = ({ summary }: s.Result): string => String(object(summary.schedule).name ?? "");

export function Form() {
  const last = learning.peek()?.options;
  const result = s.result.value as s.Result;
  const own = nameOfOwn(result);
  const [picked, setPicked] = useState(
    () => last?.schedules ?? firstChoice(own, result.plan.ranks.length, result.plan.microbatches),
  );
  const [more, setMore] = useState(picked.filter((name) => !OFFERED.includes(name)).join("; "));
  const [model, setModel] = useState(last?.model ?? words.models[0][0]);
  const [optimizer, setOptimizer] = useState(last?.optimizer ?? words.optimizers[0][0]);
  const [rates, setRates] = useState(last?.rates.join(", ") ?? words.optimizers[0][1]);
  const [seeds, setSeeds] = useState(`${last?.seeds ?? 3}`);
  const [microbatches, setMicrobatches] = useState(`${last?.microbatches ?? 1024}`);
  const [problem, setProblem] = useState("");
  const go = (event: Event) => {
    event.preventDefault();
    const each = split(rates, /[,\s]+/).map(Number);
    const wrong =
      each.length === 0 || !each.every((rate) => rate > 0)
        ? words.badRates
        : !within(Number(seeds), 1, 100)
          ? words.badSeeds
          : !within(Number(microbatches), 16, 1e6)
            ? words.badMicrobatches
            : "";
    setProblem(wrong);
    if (wrong) return;
    const schedules = [...OFFERED.filter((name) => name !== own && picked.includes(name)), ...split(more, /;/)];
    const n = Number(microbatches);
    const options = { schedules, model, optimizer, rates: each, seeds: Number(seeds), microbatches: n, test_every: Math.floor(n / POINTS) };
    void start({ text: result.text, options });
  };
  return (
    <form class="sweep-form tune-form learn-form" onSubmit={go} aria-label={words.form(own)}>
      <fieldset>
        <legend>{words.form(own)}</legend>
        {OFFERED.filter((name) => name !== own).map((name) => (
          <label key={name} class="tune-axis" title={words.schedules[name]}>
            <input
              type="checkbox"
              id={`learn-${name}`}
              checked={picked.includes(name)}
              onChange={({ currentTarget: { checked } }) =>
                setPicked(checked ? [...picked, name] : picked.filter((one) => one !== name))
              }
            />
            {name}
          </label>
        ))}
      </fieldset>
      <div class="axis-fields">
        <Field id="more" label={words.more} value={more} title={words.moreTitle} hint={words.moreHint} set={setMore} />
        <Choice id="model" label={words.model} value={model} options={words.models} set={setModel} />
        <Choice
          id="optimizer"
          label={words.optimizer}
          value={optimizer}
          options={words.optimizers.map(([name]) => [name, name])}
          set={(name) => {
            setOptimizer(name);
            // A rate of one optimizer means nothing to another.
            setRates(words.optimizers.find(([one]) => one === name)?.[1] ?? rates);
          }}
        />
        <Field id="rates" label={words.rates} value={rates} title={words.ratesTitle} set={setRates} />
        <Field id="microbatches" label={words.microbatches} value={microbatches} set={setMicrobatches} />
      </div>
      <div class="sweep-go">
        <Field id="seeds" label={words.seeds} value={seeds} set={setSeeds} />
        <WorkButton id="learn" running={learning.value?.state === "running"} start={words.start} cancel={words.cancel} onCancel={cancel} />
      </div>
      <p class="sweep-problem" role="alert">
        {problem}
      </p>
    </form>
  );
}
