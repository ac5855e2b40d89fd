// What the colours and letters mean: only the kinds this run has.
import * as s from "../state/store";
import { en } from "../text/en";
import { CLASSES, kindOf } from "../worker/kinds";

interface Item {
  paint: string;
  letter: string;
  name: string;
}

function itemsOf(result: s.Result): Item[] {
  const { trace, plan } = result;
  const present = new Uint8Array(256);
  for (const kind of trace.kind) present[kind] = 1;
  const items = new Map<string, Item>();
  plan.kinds.forEach((name, index) => {
    if (!present[index]) return;
    const { letter, name: word, paint } = kindOf(name);
    // Split backwards have two names; a plain one is simply "backward".
    const short = word === "optimizer update" ? "update" : word;
    if (!items.has(`${letter}${paint[0]}`)) items.set(`${letter}${paint[0]}`, { paint: paint[0], letter, name: short });
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

export function Legend({ limit = 99, idle = true }: { limit?: number; idle?: boolean }) {
  const mode = s.colourMode.value;
  if (!s.result.value) return null;
  return (
    <ul class="legend" aria-label={en.colours}>
      {legendItems()
        .filter((item) => mode === "kind" || item.letter)
        .slice(0, limit)
        .map((item) => (
          <li class="legend-item" key={item.name}>
            <span class={`swatch ${mode === "kind" ? item.paint : "plain"}`} aria-hidden="true">
              {item.letter}
            </span>
            {item.name}
          </li>
        ))}
      {mode === "microbatch" && <li class="legend-item">{en.microbatchColours}</li>}
      {idle && (
        <li class="legend-item">
          <span class="swatch idle" aria-hidden="true" />
          {en.idle}
        </li>
      )}
    </ul>
  );
}
