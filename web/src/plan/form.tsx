// The question: what the form offers of the scenario, and the scenario itself with what is wrong in it.
import { useRef } from "preact/hooks";
import { words } from "../text/plan";
import * as q from "./question";
import { data, phase, question, setByForm, setText, text } from "./state";

const known = (gpu: string) => q.figuresOf(data.value.examples.map((example) => example.text), gpu);

function Example() {
  const { examples } = data.value;
  const now = examples.find((example) => example.text === text.value)?.name ?? "";
  return (
    <label class="plan-field wide">
      <span>{words.example}</span>
      <select
        id="plan-example"
        value={now}
        onChange={({ currentTarget: { value } }) => setText(examples.find(({ name }) => name === value)?.text ?? text.peek(), 0)}
      >
        {now === "" && <option value="">{words.own}</option>}
        {examples.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

function Number_({ id, label, value, path }: { id: string; label: string; value: string; path: string }) {
  return (
    <label class="plan-field">
      <span>{label}</span>
      <input
        id={id}
        type="number"
        min={1}
        value={value}
        onInput={({ currentTarget }) => currentTarget.value && setByForm(q.put(text.peek(), path, currentTarget.value))}
      />
    </label>
  );
}

function Model() {
  const { model } = question.value;
  const all = data.value.models;
  return (
    <label class="plan-field">
      <span>{words.model}</span>
      <select
        id="plan-model"
        value={model}
        onChange={({ currentTarget: { value } }) => setByForm(q.put(text.peek(), q.PATHS.model, value))}
      >
        {!all.includes(model) && <option value={model}>{q.modelName(model) || words.otherModel}</option>}
        {all.map((name) => (
          <option key={name} value={name}>
            {q.modelName(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Row({ row, index, alone }: { row: q.Nodes; index: number; alone: boolean }) {
  const { devices } = data.value;
  const put = (change: Partial<q.Nodes>) =>
    setByForm(q.putNodes(text.peek(), index, { ...row, ...change }, known(change.gpu ?? row.gpu)));
  // One number leaves the rest of the entry as it is.
  const number = (key: "nodes" | "devices") => (
    <input
      type="number"
      min={1}
      aria-label={`${words[key]}, ${words.row(index)}`}
      value={row[key]}
      onInput={({ currentTarget: { value } }) => value && setByForm(q.put(text.peek(), `plan.cluster[${index}].${key}`, value))}
    />
  );
  return (
    <tr>
      <td>
        <select
          aria-label={`${words.type}, ${words.row(index)}`}
          value={row.gpu}
          onChange={({ currentTarget: { value } }) => put({ gpu: value })}
        >
          {!devices.some(({ name }) => name === row.gpu) && <option value={row.gpu}>{row.gpu}</option>}
          {devices.map(({ name, title }) => (
            <option key={name} value={name} title={title}>
              {q.deviceName(name)}
            </option>
          ))}
        </select>
      </td>
      <td>{number("nodes")}</td>
      <td>{number("devices")}</td>
      <td>
        <button
          type="button"
          class="button quiet square"
          aria-label={words.remove(words.row(index))}
          disabled={alone}
          onClick={() => setByForm(q.removeNodes(text.peek(), index))}
        >
          ×
        </button>
      </td>
    </tr>
  );
}

function Cluster() {
  const { cluster } = question.value;
  if (cluster.length === 0) return <p class="muted">{words.noCluster}</p>;
  const add = () => {
    const free = data.value.devices.find(({ name }) => name === "a100") ?? data.value.devices[0];
    const gpu = free?.name ?? cluster[0].gpu;
    setByForm(q.addNodes(text.peek(), { ...cluster[0], gpu }, known(gpu)));
  };
  return (
    <fieldset>
      <legend>{words.cluster}</legend>
      <table class="plan-cluster">
        <thead>
          <tr>
            {[words.type, words.nodes, words.devices].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {cluster.map((row, i) => (
            <Row key={i} row={row} index={i} alone={cluster.length < 2} />
          ))}
        </tbody>
      </table>
      <button type="button" class="button small" id="plan-add" onClick={add}>
        {words.add}
      </button>
    </fieldset>
  );
}

/** The start of a place in the text; lines and columns count from 1. */
const placeOf = (lines: string[], line: number, column: number) =>
  lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;

function Scenario() {
  const area = useRef<HTMLTextAreaElement>(null);
  const now = phase.value;
  const problems = now.kind === "wrong" ? now.problems : [];
  const go = (d: (typeof problems)[number]) => {
    const lines = text.peek().split("\n");
    area.current?.focus();
    area.current?.setSelectionRange(placeOf(lines, d.line, d.column), placeOf(lines, d.end_line, d.end_column));
  };
  return (
    <div class="plan-scenario">
      <label for="plan-text">{words.scenario}</label>
      <textarea
        id="plan-text"
        ref={area}
        rows={16}
        wrap="off"
        spellcheck={false}
        autocomplete="off"
        aria-describedby="plan-note plan-problems"
        aria-invalid={problems.length > 0}
        value={text.value}
        onInput={({ currentTarget: { value } }) => setText(value)}
      />
      <p class="muted" id="plan-note">
        {words.scenarioNote}
      </p>
      <ul id="plan-problems" class="plan-problems" aria-label={words.problems}>
        {problems.map((d, i) => (
          <li key={i}>
            {d.line > 0 && (
              <button type="button" class="text-button num" onClick={() => go(d)}>
                {words.at(d.line, d.column)}
              </button>
            )}{" "}
            {d.message}
            {d.hint && <span class="muted">. {d.hint}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

export function Form() {
  const { sequence, batch, recompute, cluster } = question.value;
  return (
    <section class="plan-question" aria-label={words.question}>
      <form onSubmit={(event) => event.preventDefault()}>
        <Example />
        {cluster.length > 0 && (
          <>
            <Model />
            <Number_ id="plan-sequence" label={words.sequence} value={sequence} path={q.PATHS.sequence} />
            <Number_ id="plan-batch" label={words.batch} value={batch} path={q.PATHS.batch} />
          </>
        )}
        <Cluster />
        {cluster.length > 0 && (
          <label class="plan-check">
            <input
              id="plan-recompute"
              type="checkbox"
              checked={recompute}
              onChange={({ currentTarget: { checked } }) => setByForm(q.put(text.peek(), q.PATHS.recompute, `${checked}`))}
            />
            {words.recompute}
          </label>
        )}
      </form>
      <Scenario />
    </section>
  );
}
