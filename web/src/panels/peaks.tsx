// Peak memory of each device against what it has, split by what fills it where the summary says so.
import type { Facts } from "../state/facts";
import * as s from "../state/store";
import { later } from "../text/later";
import { bytes, percent, trim } from "../text/format";

function Bar({ peak, capacity }: { peak: Facts["peaks"][number]; capacity: number }) {
  const parts = Object.entries(peak.parts).filter(([, n]) => n > 0);
  const shown = parts.length > 0 ? parts : [["weights", peak.bytes] as [string, number]];
  const sum = shown.reduce((total, [, n]) => total + n, 0);
  return (
    <div class="mem-bar" aria-hidden="true">
      {shown.map(([name, n]) => (
        <span
          key={name}
          class={`part-${name}`}
          style={{ "--share": Math.min(1, ((n / sum) * peak.bytes) / capacity) }}
        />
      ))}
    </div>
  );
}

/** Most activations that a rank of each device holds at once, in whole stages. */
function flightByDevice({ facts, plan }: s.Result): Map<string, number> {
  const most = new Map<string, number>();
  for (const { rank, device } of plan.ranks) {
    const own = facts.inFlight[rank];
    if (own !== undefined) most.set(device, Math.max(own, most.get(device) ?? 0));
  }
  return most;
}

const inFlight = (n: number | undefined): string =>
  n === undefined ? "–" : later.stages(`${Number(trim(n))}`, n === 1);

export function Peaks() {
  const result = s.result.value;
  if (!result) return null;
  const { facts, plan } = result;
  const devices = plan.resources.filter((r) => r.type === "device");
  const capacityOf = (name: string) => devices.find((r) => r.name === name)?.memory_capacity_bytes ?? 0;
  const highest = Math.max(...facts.peaks.map((peak) => peak.bytes));
  const size = (n: number) => bytes(n).join(" ");
  const flight = flightByDevice(result);
  const ranks = new Map(plan.ranks.map((one) => [one.device, one.rank]));
  return (
    <table class="data">
      <caption>{later.memoryCaption}</caption>
      <thead>
        <tr>
          <th scope="col">{later.memoryDevice}</th>
          <th scope="col">{later.memoryShare}</th>
          <th scope="col" class="num">
            {later.memoryPeak}
          </th>
          <th scope="col" class="num">
            {later.memoryCapacity}
          </th>
          {flight.size > 0 && (
            <th scope="col" class="num" title={later.inFlightHint}>
              {later.inFlight}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {facts.peaks.slice(0, 512).map((peak) => {
          const capacity = capacityOf(peak.device);
          return (
            <tr key={peak.device}>
              <th scope="row">
                {peak.device}
                {ranks.has(peak.device) && <span class="muted"> {later.ofRank(ranks.get(peak.device) as number)}</span>}
              </th>
              <td>
                <Bar peak={peak} capacity={capacity || highest} />
              </td>
              <td class="num">{size(peak.bytes)}</td>
              <td class="num">{capacity ? `${size(capacity)}, ${percent(peak.bytes / capacity, 0)}` : "–"}</td>
              {flight.size > 0 && <td class="num">{inFlight(flight.get(peak.device))}</td>}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
