// What to vary: one value of the scenario or two, what they take, and how many seeds. Values found in the text are
// offered with some around the one that stands there.
import { useEffect, useState } from "preact/hooks";
import { schema } from "../editor/schema";
import { loadSchedules, schedules } from "../state/schedule_list";
import * as s from "../state/store";
import { WorkButton } from "../panels/work";
import { words } from "../text/sweep";
import { type Axis, parseAxis, readNumber } from "./axis";
import { type Offer, offersOf } from "./offers";
import { cancel, start, sweep } from "./state";

interface Typed {
  path: string;
  values: string;
}

const EMPTY: Typed = { path: "", values: "" };
const FIRST = "simulation.microbatches";

function useOffers(): Offer[] {
  useEffect(loadSchedules, []);
  const root = schema.value;
  const names = schedules.value.filter((one) => one.synchronous).map((one) => one.name);
  return root ? offersOf(s.text.value, root, names) : [];
}

function AxisFields({ n, typed, offers, change }: { n: number; typed: Typed; offers: Offer[]; change(to: Typed): void }) {
  const setPath = (path: string) => {
    // What was offered for the old path goes with it; what was typed stays.
    const old = offers.find((one) => one.path === typed.path);
    const own = typed.values !== "" && typed.values !== old?.values;
    change({ path, values: own ? typed.values : (offers.find((one) => one.path === path)?.values ?? "") });
  };
  const name = n === 0 ? words.path : words.second;
  return (
    <div class="axis-fields">
      <label>
        <span>{name}</span>
        <input
          type="text"
          id={`sweep-path-${n}`}
          list="sweep-offers"
          value={typed.path}
          placeholder={n === 0 ? undefined : words.secondHint}
          title={words.pathHint}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setPath(event.currentTarget.value.trim())}
        />
      </label>
      <label>
        <span>{words.values}</span>
        <input
          type="text"
          id={`sweep-values-${n}`}
          aria-label={words.valuesOf(name)}
          value={typed.values}
          placeholder={words.valuesHint}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => change({ ...typed, values: event.currentTarget.value })}
        />
      </label>
    </div>
  );
}

/** The axes that are typed, or what is wrong with them. */
function read(typed: Typed[], seeds: number): { axes: Axis[]; problem: string } {
  const axes: Axis[] = [];
  const bad = (problem: string) => ({ axes: [], problem });
  for (const { path, values } of typed) {
    if (path === "" && values === "") continue;
    const text = `${path}=${values.trim()}`;
    const axis = parseAxis(text);
    if (!axis) return bad(words.noAxis(text));
    axes.push(axis);
  }
  if (!(Number.isInteger(seeds) && seeds >= 1 && seeds <= 1_000_000)) return bad(words.seedsWhole);
  if (axes.length === 0 && seeds === 1) return bad(words.needs);
  return { axes, problem: "" };
}

export function Form() {
  const offers = useOffers();
  const last = sweep.peek();
  const [typed, setTyped] = useState<Typed[]>(() =>
    [0, 1].map((n) => {
      const axis = last?.axes[n];
      return axis ? { path: axis.path, values: axis.values.join() } : EMPTY;
    }),
  );
  const [seeds, setSeeds] = useState(String(last?.seeds ?? 1));
  const [problem, setProblem] = useState("");
  const [touched, setTouched] = useState(last !== null);
  const first = offers.find(({ path }) => path === FIRST);
  // Something to start with, as long as nothing was typed.
  const shown = touched || !first ? typed : [{ path: first.path, values: first.values }, EMPTY];
  const change = (n: number) => (to: Typed) => {
    setTouched(true);
    setTyped(shown.map((one, i) => (i === n ? to : one)));
  };
  const go = (event: Event) => {
    event.preventDefault();
    const question = read(shown, readNumber(seeds.trim()));
    setProblem(question.problem);
    if (!question.problem) void start({ text: s.text.peek(), axes: question.axes, seeds: Number(seeds) });
  };
  const running = sweep.value?.state === "running";
  return (
    <form class="sweep-form" onSubmit={go} aria-label={words.form}>
      <datalist id="sweep-offers">
        {offers.map(({ path, value }) => (
          <option key={path} value={path}>
            {value}
          </option>
        ))}
      </datalist>
      {shown.map((one, n) => (
        <AxisFields key={n} n={n} typed={one} offers={offers} change={change(n)} />
      ))}
      <div class="sweep-go">
        <label>
          <span>{words.seeds}</span>
          <input
            type="text"
            inputMode="numeric"
            id="sweep-seeds"
            value={seeds}
            title={words.seedsHint}
            autocomplete="off"
            onInput={(event) => setSeeds(event.currentTarget.value)}
          />
        </label>
        <WorkButton id="sweep" running={running} start={words.start} cancel={words.cancel} onCancel={cancel} />
      </div>
      <p class="sweep-problem" role="alert">
        {problem}
      </p>
    </form>
  );
}
