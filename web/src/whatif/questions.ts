// Which "what if" is worth asking of a run: about the selection, about the busiest link and the busiest device, and
// about memory.
import { readSchedule } from "../editor/schedule";
import type { Result, Selection } from "../state/store";
import { later } from "../text/later";
import { laneOfThing } from "../timeline/hit";
import { laneName } from "../timeline/names";
import { subjectOf } from "../timeline/overlay";
import { laneOf } from "../timeline/gaps";
import { NONE } from "../worker/protocol";
import { withFasterStage, withoutLink } from "./edit";

export interface Question {
  id: string;
  label: string;
  text: string;
  set: Record<string, unknown>;
}

const FASTER = 0.9;

/** Of each schedule whose order memory limits: what it would be without a limit, for m microbatches. */
const UNLIMITED: Record<string, (m: number) => unknown> = {
  "1f1b": (m) => ({ name: "1f1b", extra_warm_up: m }),
  zb_h1: (m) => ({ name: "zb_auto", memory_limit: m }),
  zb_h2: (m) => ({ name: "zb_auto", memory_limit: m }),
  zb_auto: (m) => ({ name: "zb_auto", memory_limit: m }),
  zb_2p: (m) => ({ name: "zb_auto", memory_limit: m }),
  zb_v: (m) => ({ name: "zb_v_auto", memory_limit: m }),
  zb_v_auto: (m) => ({ name: "zb_v_auto", memory_limit: m }),
  v_half: (m) => ({ name: "zb_v_auto", memory_limit: m }),
  v_min: (m) => ({ name: "zb_v_auto", memory_limit: m }),
};

function aboutLink({ trace, plan, resolved }: Result, lane: number): Question | null {
  const { from, to } = plan.resources[trace.resource[lane]];
  const text = from && to ? withoutLink(resolved, from, to) : null;
  if (!text) return null;
  const label = later.whatIf.link(laneName(plan, trace, lane).long);
  return { id: `link-${[from, to].sort().join("-")}`, label, text, set: {} };
}

function aboutStage({ trace, plan, resolved }: Result, lane: number): Question | null {
  const ranks = plan.ranks.filter((rank) => rank.resource === trace.resource[lane]);
  // Where pipes run both ways an entry stands for work on two ranks.
  const text = plan.pipes === 1 && ranks.length === 1 ? withFasterStage(resolved, ranks[0].rank, FASTER) : null;
  if (!text) return null;
  return { id: `stage-${lane}`, label: later.whatIf.stage(laneName(plan, trace, lane).long), text, set: {} };
}

function aboutMemory({ plan, resolved, text }: Result): Question | null {
  const { form, name, parameters } = readSchedule(text);
  const unlimited = form === "name" && Object.keys(parameters).length === 0 ? UNLIMITED[name] : undefined;
  if (!unlimited) return null;
  return {
    id: "memory",
    label: later.whatIf.memory,
    text: resolved,
    set: { "pipeline.schedule": unlimited(plan.microbatches) },
  };
}

function busiest({ busy }: Result["trace"], from: number, to: number): number {
  let most = -1;
  for (let lane = from; lane < to; lane++) if (busy[lane] > 0 && (most < 0 || busy[lane] > busy[most])) most = lane;
  return most;
}

/** Those about the selection first; the same one is asked once. */
export function questionsOf(result: Result, selection: Selection | null): Question[] {
  const { trace } = result;
  const subject = selection ? subjectOf(trace, selection) : NONE;
  const decider = subject === NONE ? NONE : trace.predecessor[subject];
  const lanes = [
    decider === NONE ? -1 : laneOf(trace, decider),
    selection ? laneOfThing(trace, selection) : -1,
    busiest(trace, trace.devices, trace.lanes),
    busiest(trace, 0, trace.devices),
  ].filter((lane) => lane >= 0);
  const about = (lane: number) => (lane < trace.devices ? aboutStage(result, lane) : aboutLink(result, lane));
  const all = [...lanes.map(about), aboutMemory(result)].filter((question) => question !== null);
  return all.filter(({ id }, i) => all.findIndex((other) => other.id === id) === i);
}
