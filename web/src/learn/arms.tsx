// The schedules beside each other: what a microbatch costs, how stale the weights are, and how they learn.
import { bytes, count, percent, time, trim } from "../text/format";
import { words } from "../text/learn";
import type { Case, Report } from "./report";

const PS_PER_MS = 1e9;
const ofMs = (ms: number) => time(ms * PS_PER_MS, 4);
const NONE = "–";

function lossOf({ seeds, diverged, test_loss_mean: mean, test_loss_sd: sd }: Case): string {
  if (diverged > 0) return words.divergedOf(diverged, seeds.length);
  if (mean === null) return NONE;
  return sd === null ? mean.toFixed(3) : words.mean(mean.toFixed(3), sd.toFixed(3));
}

export function Arms({ report }: { report: Report }) {
  const { arms, cases } = report;
  const many = new Set(cases.map(({ rate }) => rate)).size > 1;
  const heads = Object.entries(words.columns).filter(([key]) => key !== "rate" || many);
  return (
    <div class="learn-box" tabIndex={0} role="region" aria-label={words.table}>
      <table class="data learn-arms" aria-label={words.table}>
        <thead>
          <tr>
            {heads.map(([key, name]) => (
              <th key={key} scope="col" class={key === "schedule" ? "" : "num"} title={words.hints[key]}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cases.map((one) => {
            const arm = arms[one.arm];
            const first = cases.find(({ rate }) => rate === one.rate)?.ms_to_target;
            const { ms_to_target: ms, microbatches_to_target: n } = one;
            return (
              <tr key={`${one.arm}/${one.rate}`}>
                <th scope="row">{one.schedule}</th>
                {many && <td class="num">{one.rate}</td>}
                <td class={`num${one.diverged > 0 ? " over" : ""}`}>{lossOf(one)}</td>
                <td class="num">{n === null ? NONE : count(n)}</td>
                <td class="num">{ms === null ? NONE : ofMs(ms)}</td>
                <td class="num">{ms === null || !first ? NONE : `× ${(ms / first).toFixed(2)}`}</td>
                <td class="num">{ofMs(arm.ms_per_microbatch)}</td>
                <td class="num">{percent(arm.utilization)}</td>
                <td class="num">{words.drift(arm.drift_max, trim(arm.drift_mean))}</td>
                <td class="num">{arm.delay_max}</td>
                <td class="num">{arm.weight_copies}</td>
                <td class="num">{bytes(arm.peak_memory_bytes).join(" ")}</td>
                <td class="num">{trim(arm.peak_in_flight)}</td>
                <td class="num">{bytes(arm.summed_bytes_per_rank_and_update).join(" ")}</td>
              </tr>
            );
          })}
          {arms.map(
            ({ schedule, refused }, i) =>
              refused && (
                <tr key={i}>
                  <th scope="row">{schedule}</th>
                  <td class="muted why" colSpan={heads.length - 1}>
                    {refused}
                  </td>
                </tr>
              ),
          )}
        </tbody>
      </table>
    </div>
  );
}
