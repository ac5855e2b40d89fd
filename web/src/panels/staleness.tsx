// Of a schedule that never drains: which versions of the weights meet, stage by stage.
import { type Json, number, object } from "../state/facts";
import { percent, trim } from "../text/format";
import { later } from "../text/later";

const words = later.staleness;
const HEIGHT = 16;
const WIDTH = 64;
const WIDEST = 10;

/** How many backwards there are of each drift, from 0 up. */
function Histogram({ counts }: { counts: number[] }) {
  const all = counts.reduce((sum, n) => sum + n, 0) || 1;
  const wide = Math.min(WIDEST, WIDTH / counts.length);
  const label = counts.flatMap((n, drift) => (n > 0 ? [words.share(drift, percent(n / all))] : [])).join(", ");
  return (
    <>
      <svg class="drift" width={Math.min(WIDTH, counts.length * WIDEST)} height={HEIGHT} aria-hidden="true">
        {counts.map((n, drift) => {
          const h = n > 0 ? Math.max(1, (n / all) * HEIGHT) : 0;
          return <rect key={drift} x={drift * wide} y={HEIGHT - h} width={Math.max(1, wide - 1)} height={h} />;
        })}
      </svg>
      <span class="muted">{counts.length <= 3 && label}</span>
      {counts.length > 3 && <span class="visually-hidden">{label}</span>}
    </>
  );
}

export function Staleness({ summary }: { summary: Json }) {
  const found = object(summary.staleness);
  if (!Array.isArray(found.stages)) return null;
  const of = (json: Json, key: string) => number(json[key]) ?? 0;
  return (
    <>
      <h4>{words.heading}</h4>
      <p id="staleness">
        {words.drift(percent(of(found, "drifted_share")), of(found, "drift_max"))}
        {words.delay(of(found, "delay_max"))} <span class="muted">{words.more}</span>
      </p>
      <table class="data staleness">
        <caption>{words.caption}</caption>
        <thead>
          <tr>
            {words.columns.map((name, i) => (
              <th key={name} scope="col" class={i === 0 || i === 3 ? "" : "num"}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {found.stages.map(object).map((stage, i) => (
            <tr key={i}>
              <th scope="row">{of(stage, "stage")}</th>
              <td class="num">{of(stage, "drift_max")}</td>
              <td class="num">{trim(of(stage, "drift_mean"))}</td>
              <td>
                <Histogram counts={stage.drift_histogram as number[]} />
              </td>
              {["delay_max", "weight_versions", "updates"].map((key) => (
                <td key={key} class="num">
                  {of(stage, key)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
