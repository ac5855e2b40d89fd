// Peak memory of each device against what it has, split by what fills it where the summary says so.
import type { Facts } from "../state/facts";
import * as s from "../state/store";
import { later } from "../text/later";
import { bytes, percent } from "../text/format";

const PARTS: Record<string, string> = {
  weights: "weights",
  gradients: "grads",
  optimizer: "optimizer",
  activations: "activations",
  buffers: "activations",
};

function Bar({ peak, capacity }: { peak: Facts["peaks"][number]; capacity: number }) {
  const parts = Object.entries(peak.parts).filter(([, n]) => n > 0);
  const shown = parts.length > 0 ? parts : [["weights", peak.bytes] as [string, number]];
  const sum = shown.reduce((total, [, n]) => total + n, 0);
  return (
    <div class="mem-bar" aria-hidden="true">
      {shown.map(([name, n]) => (
        <span
          key={name}
          class={PARTS[name] ?? "optimizer"}
          style={{ "--share": Math.min(1, ((n / sum) * peak.bytes) / capacity) }}
        />
      ))}
    </div>
  );
}

export function Memory() {
  const result = s.result.value;
  if (!result) return null;
  const { facts, plan } = result;
  const devices = plan.resources.filter((r) => r.type === "device");
  const capacityOf = (name: string) => devices.find((r) => r.name === name)?.memory_capacity_bytes ?? 0;
  const highest = Math.max(...facts.peaks.map((peak) => peak.bytes));
  const size = (n: number) => bytes(n).join(" ");
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
        </tr>
      </thead>
      <tbody>
        {facts.peaks.slice(0, 512).map((peak) => {
          const capacity = capacityOf(peak.device);
          return (
            <tr key={peak.device}>
              <th scope="row">{peak.device}</th>
              <td>
                <Bar peak={peak} capacity={capacity || highest} />
              </td>
              <td class="num">{size(peak.bytes)}</td>
              <td class="num">{capacity ? `${size(capacity)}, ${percent(peak.bytes / capacity, 0)}` : "–"}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
