// The critical path: what it is made of, what has the largest part in it, and where an operation stands to it.
import { useEffect, useState } from "preact/hooks";
import { lasts as time, when as moment } from "../state/clock";
import { type Path, pathOf, PS_PER_MS } from "../state/causes";
import { type Json, number, object } from "../state/facts";
import * as s from "../state/store";
import { percent } from "../text/format";
import { later } from "../text/later";
import { endOf, laneOf } from "../timeline/gaps";
import { NONE } from "../worker/protocol";
import { CauseList, OperationRow } from "./chain";

export function usePath(result: s.Result): Path | null {
  const [path, setPath] = useState<{ of: s.Result; path: Path | null } | null>(null);
  useEffect(() => {
    let wanted = true;
    void pathOf(result).then((found) => wanted && setPath({ of: result, path: found }));
    return () => void (wanted = false);
  }, [result]);
  return path?.of === result ? path.path : null;
}

/** Less than this is rounding of stored times. */
const NO_SLACK_PS = 1e3;

export function slackText(path: Path | null, index: number): string {
  if (!path) return later.asking;
  if (path.on[index]) return later.onPath;
  if (path.slack.length === 0) return later.noSlack;
  const slack = path.slack[index];
  return slack < NO_SLACK_PS ? later.asTight : later.slack(time(slack));
}

/** The message that brought an operation its input: the last one to its device for the same work, ended by its start. */
function inputOf({ trace, plan }: s.Result, index: number): number {
  const { microbatch, stage, kind, pipe, slice, batch, start } = trace;
  const name = plan.kinds[kind[index]];
  const wanted = name === "F" || name === "FB" ? "activation" : "gradient";
  const sender = stage[index] + (wanted === "activation" ? -1 : 1);
  const device = plan.resources[trace.resource[laneOf(trace, index)]].name;
  let best = NONE;
  for (let lane = trace.devices; lane < trace.lanes; lane++) {
    if (plan.resources[trace.resource[lane]].to !== device) continue;
    for (let i = trace.offsets[lane]; i < trace.offsets[lane + 1] && start[i] < start[index]; i++) {
      const same = microbatch[i] === microbatch[index] && pipe[i] === pipe[index] && slice[i] === slice[index];
      if (!same || batch[i] !== batch[index] || stage[i] !== sender || plan.kinds[kind[i]] !== wanted) continue;
      if (best === NONE || endOf(trace, i) > endOf(trace, best)) best = i;
    }
  }
  return best;
}

/** What an operation comes after: what decided its start, the one before it on its lane, and its input. */
export function Predecessors({ result, index }: { result: s.Result; index: number }) {
  const { trace } = result;
  const lane = laneOf(trace, index);
  const decider = trace.predecessor[index];
  const device = lane < trace.devices;
  const found: [slice: number, why: string][] = [
    [decider, later.decided],
    [device && index > trace.offsets[lane] ? index - 1 : NONE, later.justBefore],
    [device && trace.microbatch[index] !== NONE ? inputOf(result, index) : NONE, later.itsInput],
  ];
  const rows = found.filter(([slice], i) => slice !== NONE && found.findIndex(([other]) => other === slice) === i);
  if (rows.length === 0) return <p class="muted">{later.nothingDecided}</p>;
  return (
    <ul class="predecessors">
      {rows.map(([slice, why]) => (
        <OperationRow
          key={slice}
          result={result}
          slice={slice}
          why={`${why}, ${later.ended(moment(endOf(trace, slice), trace.end))}`}
          share={0}
          ms={time(trace.dur[slice])}
        />
      ))}
    </ul>
  );
}

interface Part {
  kind: string;
  rank: number | null;
  where: string;
  ms: number;
  share: number;
  waits: boolean;
}

const partsOf = (summary: Json): Part[] => {
  const { top } = object(summary.critical_path);
  return (Array.isArray(top) ? top : []).map((entry) => {
    const part = object(entry);
    return {
      kind: String(part.kind ?? ""),
      rank: number(part.rank),
      where: String(part.where ?? ""),
      ms: number(part.ms) ?? 0,
      share: number(part.share) ?? 0,
      waits: part.waits === true,
    };
  });
};

/** The first slice of the path that a part of it is made of. */
function sliceOfPart({ trace, plan }: s.Result, path: Path | null, part: Part): number {
  const own = (slice: number) => {
    if (plan.kinds[trace.kind[slice]] !== part.kind) return false;
    const resource = trace.resource[laneOf(trace, slice)];
    if (part.rank !== null) return plan.ranks[part.rank]?.resource === resource;
    const { name, from, to } = plan.resources[resource];
    return part.where === name || part.where === `${from}->${to}`;
  };
  return path?.slices.findLast(own) ?? NONE;
}

const SHOWN = 5;

export function CriticalPath({ result }: { result: s.Result }) {
  const path = usePath(result);
  const [all, setAll] = useState(false);
  const parts = partsOf(result.summary).filter(({ ms }) => ms > 0);
  const { compute, link, wait } = result.facts.path;
  const total = (compute + link + wait) * PS_PER_MS;
  if (total === 0) return null;
  const list = [
    [later.pathParts.compute, compute],
    [later.pathParts.link, link],
    [later.pathParts.wait, wait],
  ] as const;
  return (
    <section class="critical" aria-labelledby="critical-heading">
      <h4>
        <span id="critical-heading">{later.criticalPath}</span>
        <button
          type="button"
          class="button small"
          aria-pressed={s.onlyPath.value}
          title={later.onlyPathHint}
          onClick={() => (s.onlyPath.value = !s.onlyPath.value)}
        >
          {later.onlyPath}
        </button>
      </h4>
      <CauseList causes={list.map(([name, ms]) => [name, ms * PS_PER_MS])} total={total} />
      <h5>{later.largestParts}</h5>
      <ul class="path-parts">
        {parts.slice(0, all ? parts.length : SHOWN).map((part) => {
          const slice = sliceOfPart(result, path, part);
          const text = later.pathPart(part.kind, part.where, part.waits);
          return (
            <li key={text}>
              {slice === NONE ? (
                <span>{text}</span>
              ) : (
                <button
                  type="button"
                  class="text-button"
                  onClick={() => (s.selection.value = { type: "slice", index: slice })}
                >
                  {text}
                </button>
              )}
              <span class="num">{time(part.ms * PS_PER_MS)}</span>
              <span class="num muted">{percent(part.share, 0)}</span>
            </li>
          );
        })}
      </ul>
      {!all && parts.length > SHOWN && (
        <button type="button" class="text-button show-more" onClick={() => setAll(true)}>
          {later.restOfParts(parts.length - SHOWN)}
        </button>
      )}
    </section>
  );
}
