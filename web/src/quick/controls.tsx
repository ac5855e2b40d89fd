// The few values that a scenario offers under `ui:`, as sliders, numbers and lists above the text. They edit the text
// itself; a pull of a slider is one undo step.
import { useRef } from "preact/hooks";
import { readList, readScalar, writeScalar } from "../editor/scalar";
import { documented, type Schema, schema, schemasAt, valuesAt } from "../editor/schema";
import { scheduleNamed, type ScheduleInfo } from "../state/schedules";
import { schedules } from "../state/schedule_list";
import { replaceText, undoEdit } from "../state/source";
import * as s from "../state/store";
import { later } from "../text/later";
import { type Scale, scaleOf, STEPS } from "./scale";
import "../styles/quick.css";

const MOST = 6;
const SCHEDULE = "pipeline.schedule";

/** "Gradient" of `optimizer.gradient_mb`: the unit stands beside the value, or is part of the name where it does not. */
function labelOf(path: string, own: Schema): string {
  const key = path.split(".").at(-1) ?? "";
  const bare = own["x-unit"] ? key.replace(/_[a-z]+$/i, "") : key;
  return bare.replaceAll("_", " ").replace(/^[a-z]/, (letter) => letter.toUpperCase());
}

const withUnit = (value: string, own: Schema): string => (own["x-unit"] ? `${value} ${own["x-unit"]}` : value);

interface Props {
  path: string;
  value: string;
  own: Schema;
}

function Slider({ path, value, own, scale }: Props & { scale: Scale }) {
  /** The text before this pull, while it lasts. */
  const before = useRef<string | null>(null);
  const pull = (place: number) => {
    const old = before.current ?? s.text.peek();
    const now = writeScalar(old, path, String(scale.at(place)));
    if (now === s.text.peek()) return;
    if (before.current !== null && s.text.peek() !== old) undoEdit();
    before.current = old;
    if (now !== old) replaceText(now);
  };
  return (
    <label class="quick">
      <span class="quick-name">{labelOf(path, own)}</span>
      <strong class="num" aria-hidden="true">
        {withUnit(value, own)}
      </strong>
      <input
        type="range"
        min={0}
        max={STEPS}
        value={scale.placeOf(Number(value))}
        title={own.description}
        aria-valuetext={withUnit(value, own)}
        onInput={(event) => pull(Number(event.currentTarget.value))}
        onChange={() => (before.current = null)}
      />
    </label>
  );
}

function NumberField({ path, value, own }: Props) {
  return (
    <label class="quick">
      <span class="quick-name">{labelOf(path, own)}</span>
      <input
        type="number"
        class="quick-field"
        value={value}
        min={own.minimum}
        max={own.maximum}
        step={own.type === "integer" ? 1 : "any"}
        title={own.description}
        onChange={({ currentTarget: { value: typed } }) =>
          typed !== "" && replaceText(writeScalar(s.text.peek(), path, typed))
        }
      />
    </label>
  );
}

function List({ path, value, own, names }: Props & { names: string[] }) {
  return (
    <label class="quick">
      <span class="quick-name">{labelOf(path, own)}</span>
      <select
        class="quick-field"
        value={value}
        title={own.description}
        onChange={(event) => replaceText(writeScalar(s.text.peek(), path, event.currentTarget.value))}
      >
        {!names.includes(value) && <option value={value}>{value}</option>}
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

/** The scale of each path, made for the value at which the reader found it. */
const scales = new Map<string, Scale | null>();

function Control({ path, all }: { path: string; all: ScheduleInfo[] }) {
  const root = schema.value;
  const found = readScalar(s.text.value, path);
  if (!root || !found) return null;
  const keys = path.split(".");
  const own = documented(schemasAt(root, keys)) ?? {};
  const props = { path, value: found.value, own };
  if (path === SCHEDULE) {
    const value = scheduleNamed(all, found.value)?.name ?? found.value;
    return <List {...props} value={value} names={all.map(({ name }) => name)} />;
  }
  const names = own.type === "integer" || own.type === "number" ? [] : valuesAt(root, keys).map(({ value }) => value);
  if (names.length > 0) return <List {...props} names={names} />;
  const number = Number(found.value);
  if (found.value === "" || !Number.isFinite(number)) return null;
  const known = scales.get(path);
  // A value from elsewhere, far from where the scale reaches, makes a new one.
  if (!known || Math.abs(known.at(known.placeOf(number)) / number - 1) > 0.1) scales.set(path, scaleOf(number, own));
  const scale = path.endsWith(".seed") ? null : scales.get(path);
  return scale ? <Slider {...props} scale={scale} /> : <NumberField {...props} />;
}

export function QuickControls() {
  const paths = readList(s.text.value, "ui").slice(0, MOST);
  if (paths.length === 0 || !schema.value) return null;
  return (
    <div class="quick-row" id="quick" role="group" aria-label={later.quick}>
      {paths.map((path) => (
        <Control key={path} path={path} all={schedules.value} />
      ))}
    </div>
  );
}
