// What the colours and letters mean: only the kinds this run has.
import * as s from "../state/store";
import { en } from "../text/en";
import { PAPER } from "../timeline/palette";
import { chunksOf } from "../timeline/shades";
import { CLASSES, type KindClass, kindOf } from "../worker/kinds";

interface Item {
  paint: KindClass;
  letter: string;
  name: string;
}

function itemsOf(result: s.Result): Item[] {
  const { trace, plan } = result;
  const items = new Map<string, Item>();
  plan.kinds.forEach((name, index) => {
    if (!trace.present[index]) return;
    const { letter, name: word, paint } = kindOf(name);
    // Split backwards have two names; a plain one is simply "backward".
    const short = word === "optimizer update" ? "update" : word;
    // The halves of an overlapped cell look like the operations they are.
    if (!items.has(`${letter}${paint}`)) items.set(`${letter}${paint}`, { paint, letter, name: short });
  });
  const rank = (item: Item) => CLASSES.findIndex((name) => name === item.paint) + (item.letter ? 0 : 100);
  return [...items.values()].sort((a, b) => rank(a) - rank(b));
}

let cached: { of: s.Result; items: Item[] } | null = null;
export function legendItems(): Item[] {
  const result = s.result.value;
  if (!result) return [];
  if (cached?.of !== result) cached = { of: result, items: itemsOf(result) };
  return cached.items;
}

function Swatch({ item: { paint, letter } }: { item: Item }) {
  const mode = s.colours.value;
  if (mode === "paper") {
    // On paper slices have no letter, so the legend says what each colour stands for.
    const { fill, text } = PAPER[paint];
    return (
      <span class="swatch" aria-hidden="true" style={{ background: fill, color: text, borderColor: fill }}>
        {letter}
      </span>
    );
  }
  return (
    <span class={`swatch ${mode === "microbatch" || (mode === "version" && letter) ? "plain" : paint}`} aria-hidden="true">
      {letter}
    </span>
  );
}

const Entry = (item: Item) => (
  <li class="legend-item" key={item.name}>
    <Swatch item={item} />
    {item.name}
  </li>
);

export function Legend({ limit = 99, idle = true }: { limit?: number; idle?: boolean }) {
  const mode = s.colours.value;
  const result = s.result.value;
  if (!result) return null;
  const paper = mode === "paper";
  const shown = legendItems()
    .filter((item) => item.letter || (mode !== "microbatch" && mode !== "cause"))
    .slice(0, limit);
  return (
    <ul class="legend" aria-label={en.colours}>
      {shown.filter((item) => item.letter).map(Entry)}
      {mode === "microbatch" && <li class="legend-item">{en.microbatchColours}</li>}
      {mode === "version" && <li class="legend-item">{en.versionColours}</li>}
      {idle && mode !== "microbatch" && mode !== "version" && chunksOf(result.plan).most > 1 && (
        <li class="legend-item legend-note">
          <span class="swatch chunks" aria-hidden="true" />
          {en.laterChunks}
        </li>
      )}
      {idle && !paper && result.plan.pipes > 1 && !result.plan.pipelines && (
        <li class="legend-item legend-note">
          <span class="swatch up" aria-hidden="true" />
          {en.upwards}
        </li>
      )}
      {s.veilColours.value.map(({ name, colour }) => (
        <li class="legend-item" key={name}>
          <span class="swatch cause" aria-hidden="true" style={{ "--cause": colour }} />
          {name}
        </li>
      ))}
      {idle && mode !== "cause" && (
        <li class="legend-item">
          <span class={`swatch ${paper ? "idle-plain" : "idle"}`} aria-hidden="true" />
          {en.idle}
        </li>
      )}
      {shown.filter((item) => !item.letter).map(Entry)}
    </ul>
  );
}
