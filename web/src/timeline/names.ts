// What lanes, links and operations are called on the page.
import { en } from "../text/en";
import { kindOf } from "../worker/kinds";
import { NONE, type Plan, type Trace } from "../worker/protocol";
import { numberOf } from "./labels";
import { chunksOf, NO_STAGE } from "./shades";

export interface LaneName {
  long: string;
  short: string;
  /** Device and node, for those who look closer. */
  detail: string;
}

const stagesByDevice = new WeakMap<Plan, Map<string, Plan["ranks"][number]>>();

function rankOf(plan: Plan, device: string): Plan["ranks"][number] | undefined {
  let map = stagesByDevice.get(plan);
  if (!map) {
    map = new Map();
    for (const rank of plan.ranks) if (!map.has(rank.device)) map.set(rank.device, rank);
    stagesByDevice.set(plan, map);
  }
  return map.get(device);
}

/** Number by which a device is known: its stage when it has one, else its rank. */
function placeNumber(plan: Plan, device: string): string {
  const rank = rankOf(plan, device);
  if (!rank) return device;
  return shortOf(plan, rank);
}

/** The number of its only stage, where there are several pipelines behind the name of its own; else its rank. */
function shortOf(plan: Plan, rank: Plan["ranks"][number]): string {
  if (rank.stages.length !== 1) return `${rank.rank}`;
  const [stage] = rank.stages;
  return plan.pipelines ? `${plan.pipelines[Math.floor(stage / plan.stages)]}.${stage % plan.stages}` : `${stage}`;
}

/** "stage 5"; where pipes run both ways "stage 3, up"; of several pipelines "a, stage 3". */
export function stageName(plan: Plan, pipe: number, stage: number): string {
  if (plan.pipelines) return `${plan.pipelines[pipe]}, ${en.stage(stage).toLowerCase()}`;
  return plan.pipes > 1 ? en.stageOf(stage, pipe % 2 === 1) : en.stage(stage).toLowerCase();
}

export function laneName(plan: Plan, trace: Trace, lane: number): LaneName {
  const resource = plan.resources[trace.resource[lane]];
  if (resource.type === "link") {
    const [from, to] = [resource.from ?? "", resource.to ?? ""];
    const pair = from && to ? `${placeNumber(plan, from)}→${placeNumber(plan, to)}` : resource.name;
    return { long: en.link(pair), short: pair, detail: from && to ? `${from} → ${to}` : resource.name };
  }
  const device = plan.ranks.find((rank) => rank.resource === trace.resource[lane])?.device ?? resource.name;
  const rank = rankOf(plan, device);
  const place = resource.node ? `${device}, ${resource.node}` : device;
  if (!rank) return { long: resource.name, short: resource.name, detail: place };
  const single = rank.stages.length === 1;
  const held = rank.stages.map((stage) => stageName(plan, Math.floor(stage / plan.stages), stage % plan.stages));
  const detail = single ? place : `${place}: ${held.join("; ")}`;
  return {
    long: !single ? en.rank(rank.rank) : plan.pipelines ? held[0] : en.stage(rank.stages[0]),
    short: shortOf(plan, rank),
    detail,
  };
}

/** "B4", with slices "B4.1"; "update", "activation of microbatch 3". */
export function sliceName(plan: Plan, trace: Trace, index: number): string {
  const kind = kindOf(plan.kinds[trace.kind[index]] ?? "");
  const mb = trace.microbatch[index];
  if (mb === NONE) return kind.name;
  const number = numberOf(mb, trace.slice[index], plan.slices);
  return kind.letter ? `${kind.letter}${number}` : en.transferOf(kind.name, number);
}

/** The same with its stage, where the lane alone does not tell: "F3 of stage 5". */
export function fullName(plan: Plan, trace: Trace, index: number): string {
  const name = sliceName(plan, trace, index);
  const many = chunksOf(plan).most > 1 && index < trace.offsets[trace.devices];
  if (!many || trace.stage[index] === NO_STAGE || trace.microbatch[index] === NONE) return name;
  return en.ofStage(name, stageName(plan, trace.pipe[index], trace.stage[index]));
}
