// Five numbers of the run, each with its definition on hover and focus, and its change against the run before.
// A number the run does not have gives its place to one it has.
import type { ComponentChildren } from "preact";
import { type Facts, worstPeak } from "../state/facts";
import * as s from "../state/store";
import { en } from "../text/en";
import { bytes, count, percent, short, time, trim } from "../text/format";
import { laneName } from "../timeline/names";

interface Tile {
  id: string;
  label: string;
  /** Key of its definition. */
  definition: string;
  value: string;
  unit: ComponentChildren;
  note: ComponentChildren;
}

/** What the number of a tile was made from; of the step time, how far off such numbers were, where that is known. */
function basisOf(id: string, { certainty }: Facts): string {
  const { compute, communication, memory, errorPct } = certainty;
  if (id === "step" && errorPct !== null) return en.off(trim(errorPct));
  return en.basis[{ peak: memory, path: communication }[id] ?? compute] ?? "";
}

/** Better or worse: arrow, amount and word. Colour only repeats what the word says. */
function Delta({ change, text, lowerIsBetter }: { change: number; text: string; lowerIsBetter: boolean }) {
  if (Math.abs(change) < 1e-9) return <span class="delta same">{en.noChange}</span>;
  const better = change < 0 === lowerIsBetter;
  return (
    <span class={`delta ${better ? "better" : "worse"}`}>
      <span aria-hidden="true">{change < 0 ? "▼" : "▲"}</span> {text} {better ? en.better : en.worse}
    </span>
  );
}

function deltaOf(
  now: number | null,
  old: number | null | undefined,
  lowerIsBetter: boolean,
  format: (change: number) => string,
) {
  if (now === null || old === null || old === undefined) return null;
  return <Delta change={now - old} text={format(Math.abs(now - old))} lowerIsBetter={lowerIsBetter} />;
}

const points = (change: number) => en.points((100 * change).toFixed(1));
const split = (text: string): [string, string] => {
  const at = text.lastIndexOf(" ");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
};

function stepTile(facts: Facts, before: Facts | null, batches: number): Tile {
  const [value, unit] = facts.stepMs === null ? ["–", ""] : split(time(facts.stepMs * 1e9));
  const delta = deltaOf(facts.stepMs, before?.stepMs, true, (ms) => time(ms * 1e9));
  const note = delta ? (
    <>
      {delta}
      <span class="muted extra">{en.thanBefore}</span>
    </>
  ) : (
    <span class="muted">{facts.schedule}</span>
  );
  return {
    id: "step",
    label: batches > 1 ? en.tiles.stepMany : en.tiles.step,
    definition: "step",
    value,
    unit,
    note,
  };
}

function bubbleTile(facts: Facts, before: Facts | null): Tile {
  return {
    id: "bubble",
    label: en.tiles.bubble,
    definition: "bubble",
    value: facts.bubble === null ? "–" : (100 * facts.bubble).toFixed(1),
    unit: "%",
    note: deltaOf(facts.bubble, before?.bubble, true, points),
  };
}

function throughput(facts: Facts): [number, string] | null {
  if (facts.tokensPerSecond !== null) return [facts.tokensPerSecond, "tokens/s"];
  if (facts.samplesPerSecond !== null) return [facts.samplesPerSecond, "samples/s"];
  return facts.perSecond !== null ? [facts.perSecond, "microbatches/s"] : null;
}

function speedTile(facts: Facts, before: Facts | null): Tile {
  const speed = throughput(facts);
  if (facts.mfu !== null) {
    const beside = speed ? <span class="extra">{`, ${short(speed[0])} ${speed[1]}`}</span> : null;
    return {
      id: "mfu",
      label: en.tiles.mfu,
      definition: "mfu",
      value: (100 * facts.mfu).toFixed(1),
      unit: <>%{beside}</>,
      note: deltaOf(facts.mfu, before?.mfu, false, points),
    };
  }
  const old = before ? throughput(before) : null;
  const same = old && speed && old[1] === speed[1] ? old[0] : null;
  return {
    id: "mfu",
    label: en.tiles.throughput,
    definition: "throughput",
    value: speed ? short(speed[0]) : "–",
    unit: speed?.[1] ?? "",
    note: deltaOf(speed?.[0] ?? null, same, false, (n) => trim(n)),
  };
}

function memoryTile({ facts, plan, trace }: s.Result): Tile {
  const worst = worstPeak(facts);
  if (!worst) {
    return {
      id: "peak",
      label: en.tiles.inFlight,
      definition: "operations",
      value: count(trace.offsets[trace.devices]),
      unit: "",
      note: <span class="muted">{en.transfers(trace.offsets[trace.lanes] - trace.offsets[trace.devices])}</span>,
    };
  }
  const resource = plan.resources.findIndex((r) => r.type === "device" && r.name === worst.device);
  const capacity = resource >= 0 ? plan.resources[resource].memory_capacity_bytes : undefined;
  const lane = trace.resource.indexOf(resource);
  const who = lane >= 0 ? laneName(plan, trace, lane).long.toLowerCase() : worst.device;
  const [value, unit] = bytes(worst.bytes);
  return {
    id: "peak",
    label: en.tiles.peak,
    definition: "peak",
    value,
    unit,
    note: (
      <span class={capacity && worst.bytes > capacity ? "delta worse" : "muted"}>
        {who}, {capacity ? en.full(percent(worst.bytes / capacity, 0)) : en.noCapacity}
      </span>
    ),
  };
}

function communicationTile({ facts: { path } }: s.Result): Tile {
  const total = path.compute + path.link + path.wait;
  const share = (part: number) => (total > 0 ? part / total : 0);
  return {
    id: "path",
    label: en.tiles.communication,
    definition: "communication",
    value: (100 * share(path.link)).toFixed(1),
    unit: "%",
    note: (
      <>
        <span class="muted num">
          {en.onCompute(percent(share(path.compute), 0))}
          <span class="extra">, {en.onWait(percent(share(path.wait), 0))}</span>
        </span>
        <span class="split-bar" aria-hidden="true">
          {Object.entries(path).map(([name, part]) => (
            <span key={name} class={`part ${name}`} style={{ "--share": share(part) }} />
          ))}
        </span>
      </>
    ),
  };
}

function tilesOf(result: s.Result, before: Facts | null): Tile[] {
  const { facts, plan } = result;
  return [
    stepTile(facts, before, plan.batches),
    bubbleTile(facts, before),
    speedTile(facts, before),
    memoryTile(result),
    communicationTile(result),
  ];
}

const PLACEHOLDERS: [string, string][] = [
  ["step", en.tiles.step],
  ["bubble", en.tiles.bubble],
  ["mfu", en.tiles.mfu],
  ["peak", en.tiles.peak],
  ["path", en.tiles.communication],
];

export function Tiles() {
  const result = s.result.value;
  const tiles: Tile[] = result
    ? tilesOf(result, s.before.value)
    : PLACEHOLDERS.map(([id, label]) => ({ id, label, definition: "", value: "–", unit: "", note: null }));
  return (
    <ul class="tiles" id="tiles" aria-label={en.metrics}>
      {tiles.map((tile) => (
        <li class={`tile tile-${tile.id}`} key={tile.id}>
          <button type="button" class="tile-label" aria-describedby={`def-${tile.id}`}>
            {tile.label}
          </button>
          {result && <span class="tile-basis">{basisOf(tile.id, result.facts)}</span>}
          <div class="tile-value num">
            {tile.value}
            <span class="unit">{tile.unit}</span>
          </div>
          <div class="tile-note">{tile.note}</div>
          <span class="tip" role="tooltip" id={`def-${tile.id}`}>
            {s.definitions.value[tile.definition]}
          </span>
        </li>
      ))}
    </ul>
  );
}
