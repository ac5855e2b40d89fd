// Why a device is idle in a gap: the module's chain of waits, newest first, down to what began it; each row can be
// pressed and selects what it speaks of.
import { useEffect, useState } from "preact/hooks";
import { lasts as time, when as moment } from "../state/clock";
import { gapsIn, PS_PER_MS, sliceOfRow } from "../state/causes";
import * as s from "../state/store";
import { percent } from "../text/format";
import { later } from "../text/later";
import { type Gap as Place, laneOf } from "../timeline/gaps";
import { fullName, laneName } from "../timeline/names";
import { causesOf } from "../timeline/veil";
import { kindOf } from "../worker/kinds";
import { type Gap, NONE, type WaitStep } from "../worker/protocol";
import { CopyButton } from "./copy";

/** Shown before the rest is asked for. */
const FEW = 8;

/** One operation, transfer or pause of a chain: steps of the same row that follow each other. */
interface Link {
  /** NONE in a pause. */
  slice: number;
  waits: boolean;
  reasons: string[];
  ps: number;
}

export const whatOf = ({ trace, plan }: s.Result, slice: number): string => {
  const lane = laneOf(trace, slice);
  const name = laneName(plan, trace, lane).long;
  const what = fullName(plan, trace, slice);
  return lane >= trace.devices ? later.carries(name, what) : later.runsOn(what, name);
};

/** The part of each step that lies in the gap. */
function linksOf({ trace }: s.Result, gap: Gap, steps: WaitStep[]): Link[] {
  const links: Link[] = [];
  for (const { row, waits, cause, start_ms, end_ms } of steps) {
    const slice = row === null ? NONE : sliceOfRow(trace, row);
    const ps = (Math.min(end_ms, gap.end_ms) - Math.max(start_ms, gap.start_ms)) * PS_PER_MS;
    const last = links.at(-1);
    const reason = later.reason(cause, waits);
    if (last && slice !== NONE && last.slice === slice && last.waits === waits) {
      last.ps += Math.max(ps, 0);
      if (!last.reasons.includes(reason)) last.reasons.push(reason);
    } else links.push({ slice, waits, reasons: [reason], ps: Math.max(ps, 0) });
  }
  return links;
}

interface RowProps {
  result: s.Result;
  slice: number;
  why: string;
  share: number;
  ms: string;
  root?: boolean;
  /** In the place of what runs and where. */
  what?: string;
}

/** A row of a list of operations; pressing it selects its own. */
export function OperationRow({ result, slice, why, share, ms, root, what }: RowProps) {
  const { trace, plan } = result;
  const kind = kindOf(slice === NONE ? "barrier" : (plan.kinds[trace.kind[slice]] ?? ""));
  const link = slice !== NONE && laneOf(trace, slice) >= trace.devices;
  const inside = (
    <>
      <span class={`swatch ${kind.paint}`} aria-hidden="true">
        {link ? "→" : kind.letter}
      </span>
      <span class="chain-text">
        <span class="chain-what">{slice === NONE ? later.pause : (what ?? whatOf(result, slice))}</span>
        <span class="chain-why">
          {root && <strong>{later.root}</strong>} {why}
        </span>
      </span>
      <span class="chain-bar" aria-hidden="true" style={{ "--share": share }} />
      <span class="chain-ms num">{ms}</span>
    </>
  );
  return (
    <li class={root ? "root" : ""}>
      {slice === NONE ? (
        <div class="chain-row">{inside}</div>
      ) : (
        <button type="button" class="chain-row" onClick={() => (s.selection.value = { type: "slice", index: slice })}>
          {inside}
        </button>
      )}
    </li>
  );
}

interface ChainProps {
  result: s.Result;
  links: Link[];
  idle: number;
  few?: number;
  /** Else each stands beside the others and has the device's own name only. */
  rooted?: boolean;
}

function Chain({ result, links, idle, few = FEW, rooted = true }: ChainProps) {
  const [all, setAll] = useState(false);
  const shown = all || links.length <= few + 1 ? links : links.slice(0, few);
  return (
    <>
      <ol class={rooted ? "chain" : ""}>
        {shown.map((link, i) => (
          <OperationRow
            key={i}
            result={result}
            slice={link.slice}
            why={link.reasons.join(", ")}
            share={idle > 0 ? link.ps / idle : 0}
            ms={time(link.ps)}
            root={rooted && link === links.at(-1)}
            what={rooted ? undefined : fullName(result.plan, result.trace, link.slice)}
          />
        ))}
      </ol>
      {shown.length < links.length && (
        <button type="button" class="text-button show-more" onClick={() => setAll(true)}>
          {later.restOfChain(links.length - shown.length)}
        </button>
      )}
    </>
  );
}

/** Time by cause, with its share. */
export function CauseList({ causes, total }: { causes: [string, number][]; total: number }) {
  return (
    <dl class="cause-list">
      {causes.map(([name, ps]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="num">
            <span class="cause-bar" aria-hidden="true" style={{ "--share": total > 0 ? ps / total : 0 }} />
            <span>{time(ps)}</span>
            <span>{percent(total > 0 ? ps / total : 0, 0)}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The whole reason as a text for others. */
function textOf(result: s.Result, gap: Gap, links: Link[], could: Link[]): string {
  const { trace } = result;
  const range = `${moment(gap.start_ms * PS_PER_MS, trace.end)} – ${moment(gap.end_ms * PS_PER_MS, trace.end)}`;
  const line = ({ slice, reasons, ps }: Link) =>
    `- ${slice === NONE ? later.pause : whatOf(result, slice)}: ${time(ps)} (${reasons.join(", ")})`;
  return [
    `${gap.device}: ${later.idleFor(time(gap.idle_ms * PS_PER_MS))}, ${range}`,
    ...causesOf(gap).map(([cause, ms]) => `${later.causes[cause]}: ${time(ms * PS_PER_MS)}`),
    ...(could.length > 0 ? [later.couldRun, ...could.map(line)] : []),
    later.chain,
    ...links.map(line),
  ].join("\n");
}

function Reason({ result, gap }: { result: s.Result; gap: Gap }) {
  const links = linksOf(result, gap, gap.chain);
  const could = linksOf(result, gap, gap.could_run);
  const idle = gap.idle_ms * PS_PER_MS;
  return (
    <>
      <CauseList causes={causesOf(gap).map(([cause, ms]) => [later.causes[cause], ms * PS_PER_MS])} total={idle} />
      {could.length > 0 && (
        <>
          <h5>{later.couldRun}</h5>
          <Chain result={result} links={could} idle={idle} few={3} rooted={false} />
        </>
      )}
      <div class="chain-head">
        <h5>{later.chain}</h5>
        <CopyButton text={textOf(result, gap, links, could)} label={later.copyReason} small />
      </div>
      <Chain result={result} links={links} idle={idle} />
      {gap.chain_steps > gap.chain.length && <p class="muted">{later.cutChain(gap.chain.length, gap.chain_steps)}</p>}
    </>
  );
}

/** Why the lane is idle in this place; the module may see several gaps in it, where a step ends or a device fails. */
export function Reasons({ result, place }: { result: s.Result; place: Place }) {
  const [gaps, setGaps] = useState<Gap[] | null>(null);
  useEffect(() => {
    let wanted = true;
    setGaps(null);
    void gapsIn(result, [place.lane], [place.start, place.end], false).then((found) => {
      const inside = ({ start_ms, end_ms }: Gap) =>
        Math.min(end_ms * PS_PER_MS, place.end) - Math.max(start_ms * PS_PER_MS, place.start) > 1;
      if (wanted && found) setGaps(found[0].filter(inside));
    });
    return () => void (wanted = false);
  }, [result, place]);
  if (!gaps) return <p class="muted">{later.asking}</p>;
  if (gaps.length === 0) return <p class="muted">{later.noReason}</p>;
  return (
    <>
      {gaps.map((gap) => (
        <Reason key={gap.start_ms} result={result} gap={gap} />
      ))}
    </>
  );
}

