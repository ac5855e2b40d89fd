// What lanes, links and operations are called on the page.
import { en } from "../text/en";
import { kindOf } from "../worker/kinds";
import { NONE, type Plan, type Trace } from "../worker/protocol";

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
function numberOf(plan: Plan, device: string): string {
  const rank = rankOf(plan, device);
  if (!rank) return device;
  return `${rank.stages.length === 1 ? rank.stages[0] : rank.rank}`;
}

export function laneName(plan: Plan, trace: Trace, lane: number): LaneName {
  const resource = plan.resources[trace.resource[lane]];
  if (resource.type === "link") {
    const [from, to] = [resource.from ?? "", resource.to ?? ""];
    const pair = from && to ? `${numberOf(plan, from)}→${numberOf(plan, to)}` : resource.name;
    return { long: en.link(pair), short: pair, detail: from && to ? `${from} → ${to}` : resource.name };
  }
  const device = plan.ranks.find((rank) => rank.resource === trace.resource[lane])?.device ?? resource.name;
  const rank = rankOf(plan, device);
  const detail = resource.node ? `${device}, ${resource.node}` : device;
  if (!rank) return { long: resource.name, short: resource.name, detail };
  const single = rank.stages.length === 1;
  return {
    long: single ? en.stage(rank.stages[0]) : en.rank(rank.rank),
    short: `${single ? rank.stages[0] : rank.rank}`,
    detail,
  };
}

/** "B4", "update", "activation of microbatch 3". */
export function sliceName(plan: Plan, trace: Trace, index: number): string {
  const kind = kindOf(plan.kinds[trace.kind[index]] ?? "");
  const mb = trace.microbatch[index];
  if (mb === NONE) return kind.name;
  if (kind.letter) return `${kind.letter}${mb}`;
  return en.transferOf(kind.name, mb);
}
