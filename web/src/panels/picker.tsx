// Choosing a schedule: families with one line on each, parameters as controls, what each asks of the scenario, and
// what it would come to. Nothing changes before Use is pressed; then one line of the text does.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Choice, readSchedule, scheduleText, scheduleValue } from "../editor/schedule";
import { applySchedule, compare, comparison } from "../state/compare";
import { reasonOf } from "../state/compare_rows";
import { readFacts, worstPeak } from "../state/facts";
import { loadSchedules, schedules } from "../state/schedule_list";
import { choicesOf, defaultOf, families, familyTitle, type Parameter, type ScheduleInfo, scheduleNamed } from "../state/schedules";
import * as s from "../state/store";
import { paletteVersion } from "../state/theme";
import { familyWords } from "../text/families";
import { later } from "../text/later";
import { bytes, percent, time } from "../text/format";
import { paintThumb } from "../gallery/thumb";
import { aside } from "../worker/aside";
import type { Loaded, RunResult } from "../worker/protocol";
import { closeDialog, Dialog } from "./dialog";
import { Icon } from "./icon";

/** What a preview may cost. */
const PREVIEW_EVENTS = 200_000;
const TYPING_MS = 150;
const POLICIES = "hops policies";

type Values = Record<string, string>;

interface Trial {
  key: string;
  run: RunResult | null;
  loaded: Loaded | null;
}

/** Plays the chosen schedule beside the shown run, the newest choice first. */
function useTrial(name: string, values: Values): Trial | null {
  const [trial, setTrial] = useState<Trial | null>(null);
  const key = scheduleText(name, values);
  useEffect(() => {
    if (!name) return;
    const off = new AbortController();
    const timer = setTimeout(async () => {
      const set = { "pipeline.schedule": scheduleValue(name, values) };
      const reply = await aside().ask({ type: "probe", text: s.text.peek(), set, cap: PREVIEW_EVENTS }, off.signal);
      if (off.signal.aborted || !reply) return;
      if (reply.type === "result") setTrial({ key, run: reply.result, loaded: reply.loaded });
      else if (reply.type === "checked" || reply.type === "capped") setTrial({ key, run: null, loaded: reply.loaded });
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      off.abort();
    };
  }, [key]);
  return trial?.key === key ? trial : null;
}

function Control({
  parameter,
  value,
  ranks,
  set,
}: {
  parameter: Parameter;
  value: string;
  ranks: number;
  set(value: string): void;
}) {
  const { name, type, range, doc } = parameter;
  const choices = choicesOf(parameter);
  const id = `parameter-${name}`;
  const standard = defaultOf(parameter, ranks);
  const describe = { id, "aria-describedby": `${id}-doc` };
  const limits = choices ? "" : later.range(range[0], range[1]);
  const yes: Record<string, string> = type === "boolean" ? { true: later.yes, false: later.no } : {};
  const word = (choice: string) => yes[choice] ?? choice;
  return (
    <div class="parameter">
      <label for={id}>{name.replaceAll("_", " ")}</label>
      {choices ? (
        <select {...describe} value={value} onChange={(event) => set(event.currentTarget.value)}>
          <option value="">{later.standard(word(standard))}</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {word(choice)}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...describe}
          type={type === "integer" ? "number" : "text"}
          min={range[0]}
          max={range[1]}
          step={1}
          inputMode={type === "integer" ? "numeric" : "decimal"}
          placeholder={standard}
          value={value}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
      <p class="muted" id={`${id}-doc`}>
        {doc}. {limits}
        {!choices && later.unset(parameter.default, standard)}
      </p>
    </div>
  );
}

function Preview({ trial }: { trial: Trial | null }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const run = trial?.run ?? null;
  const version = paletteVersion.value;
  useEffect(() => {
    if (run && canvas.current) paintThumb(canvas.current, run);
  }, [run, version]);
  const refused = trial !== null && !run && trial.loaded?.ok === false;
  return <canvas class="preview" ref={canvas} hidden={refused} aria-hidden="true" />;
}

function Numbers({ trial }: { trial: Trial }) {
  if (!trial.run) {
    const first = trial.loaded?.diagnostics.find((d) => d.severity === "error");
    if (!first) return <p class="muted">{later.previewLarge}</p>;
    return (
      <p class="refused">
        <Icon name="error" />
        <span>
          <strong>{later.refused}</strong> {first.message}
        </span>
      </p>
    );
  }
  const facts = readFacts(trial.run.summary);
  const now = s.result.value?.facts.stepMs ?? null;
  const peak = worstPeak(facts);
  const step = facts.stepMs ?? 0;
  const parts: [string, string][] = [
    [later.columns.time, time(step * 1e9, 4)],
    [later.columns.bubble, facts.bubble === null ? "–" : percent(facts.bubble)],
    ...(peak ? [[later.columns.bytes, bytes(peak.bytes).join(" ")] as [string, string]] : []),
  ];
  return (
    <dl class="facts">
      {parts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd class="num">{value}</dd>
        </div>
      ))}
      {now !== null && Math.abs(step - now) > 1e-9 * now && (
        <div>
          <dt>{later.against}</dt>
          <dd class={`num delta ${step < now ? "better" : "worse"}`}>
            {step < now ? "▼" : "▲"} {percent(Math.abs(step - now) / now)}{" "}
            {step < now ? later.shorterWord : later.longerWord}
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Which of its own conditions a refusal names. */
const isBroken = (text: string, trial: Trial | null): boolean =>
  trial?.run === null && (trial.loaded?.diagnostics.some((d) => d.message.includes(text)) ?? false);

function Detail({
  info,
  values,
  set,
  ranks,
}: {
  info: ScheduleInfo;
  values: Values;
  set(values: Values): void;
  ranks: number;
}) {
  const trial = useTrial(info.name, values);
  const text = scheduleText(info.name, values);
  const use = () => {
    closeDialog();
    applySchedule(text, info.name);
  };
  return (
    <section class="pick-detail" aria-labelledby="pick-name">
      <div class="pick-head">
        <h3 id="pick-name">{info.name}</h3>
        <button type="button" class="button primary" onClick={use}>
          {later.useIt}
        </button>
      </div>
      <p>{info.doc}.</p>
      <Preview trial={trial} />
      <div class="pick-numbers" role="status">
        {trial ? <Numbers trial={trial} /> : <p class="muted">{later.trying}</p>}
      </div>
      {info.parameters.length > 0 && (
        <fieldset class="parameters">
          <legend>{later.parameters}</legend>
          {info.parameters.map((parameter) => (
            <Control
              key={parameter.name}
              parameter={parameter}
              ranks={ranks}
              value={values[parameter.name] ?? ""}
              set={(value) => set({ ...values, [parameter.name]: value })}
            />
          ))}
        </fieldset>
      )}
      {info.constraints.length > 0 && (
        <div class="conditions">
          <h4>{later.conditions}</h4>
          <ul>
            {info.constraints.map(({ code, text: words }) => (
              <li key={code} class={isBroken(words, trial) ? "broken" : trial?.run ? "" : "unknown"}>
                <Icon name={isBroken(words, trial) ? "error" : trial?.run ? "check" : "more"} />
                {words}
                {isBroken(words, trial) && <span class="visually-hidden"> ({later.notMet})</span>}
              </li>
            ))}
          </ul>
        </div>
      )}
      <dl class="facts pick-facts">
        <div>
          <dt>{later.weights}</dt>
          <dd>{later.copiesOf(info.weights_copies)}</dd>
        </div>
        <div>
          <dt>{later.backward}</dt>
          <dd>{info.split_backward ? later.split : later.onePiece}</dd>
        </div>
        <div>
          <dt>{later.updates}</dt>
          <dd>{info.synchronous ? later.synchronous : later.staleWeights}</dd>
        </div>
      </dl>
      <p class="muted source">{info.source}</p>
      <p>
        <code class="written">schedule: {text}</code>
      </p>
    </section>
  );
}

function Option({ info, chosen, choose }: { info: ScheduleInfo; chosen: boolean; choose(): void }) {
  const row =
    comparison.value?.text === s.text.value ? comparison.value.rows.find((one) => one.name === info.name) : undefined;
  const refused = row !== undefined && row.time === null;
  return (
    <label class={`option${refused ? " refused" : ""}`}>
      <input type="radio" name="schedule" value={info.name} checked={chosen} onChange={choose} />
      <span class="option-name">
        {info.name}
        {row?.current && <span class="tag now">{later.current}</span>}
      </span>
      <span class="option-time num">{row?.time ? time(row.time, 4) : refused ? later.cannotRun : ""}</span>
      <span class="option-doc">{info.doc}</span>
      {refused && <span class="option-doc option-why">{reasonOf(row)}</span>}
    </label>
  );
}

export function Picker() {
  useEffect(loadSchedules, []);
  const list = useRef<HTMLDivElement>(null);
  const all = schedules.value;
  const written = useMemo<Choice>(() => readSchedule(s.text.peek()), []);
  const own = scheduleNamed(all, written.name);
  const [chosen, setChosen] = useState<string | null>(null);
  const [values, setValues] = useState<Record<string, Values>>({});
  const name = chosen ?? own?.name ?? all[0]?.name ?? "";
  const info = all.find((one) => one.name === name);
  const ranks = s.result.value?.plan.ranks.length ?? 0;
  const heavy = (s.result.value?.trace.start.length ?? 0) > PREVIEW_EVENTS;
  useEffect(() => {
    if (!heavy) void compare(s.text.peek());
  }, []);
  useEffect(() => {
    const checked = list.current?.querySelector<HTMLInputElement>("input:checked");
    checked?.closest("label")?.scrollIntoView({ block: "center" });
    checked?.focus({ preventScroll: true });
  }, [all.length]);
  const parameters = (one: string): Values => values[one] ?? (one === own?.name ? written.parameters : {});
  const shown = all.filter(
    (one) => one.family !== POLICIES || one.name === name || s.result.value?.summary.physics === "hops",
  );
  const note = written.form === "policy" || written.form === "order" ? later.ownSchedule : later.pickerNote;
  return (
    <Dialog
      id="picker"
      heading={later.pickerHeading}
      note={note}
      wide
      aside={
        <a class="button" href="docs/schedules.html" target="_blank" rel="noopener">
          {later.pictureBook}
          <Icon name="open" />
        </a>
      }
    >
      <div class="picker">
        <div class="options" ref={list}>
          {families(shown).map(([family, members]) => (
            <fieldset key={family}>
              <legend>
                {familyTitle(family)}
                {familyWords[family] && <span class="muted">: {familyWords[family]}</span>}
              </legend>
              {members.map((one) => (
                <Option key={one.name} info={one} chosen={one.name === name} choose={() => setChosen(one.name)} />
              ))}
            </fieldset>
          ))}
        </div>
        {info && (
          <Detail
            key={info.name}
            info={info}
            ranks={ranks}
            values={parameters(info.name)}
            set={(now) => setValues({ ...values, [info.name]: now })}
          />
        )}
      </div>
    </Dialog>
  );
}
