// Monte Carlo: one scenario under many seeds. How far chance moves it, how often, and how many runs would say more.
import { useState } from "preact/hooks";
import { words } from "../text/sweep";
import { count, percent, trim } from "../text/format";
import { Plot } from "./plot";
import { isBetter, METRICS, type Row } from "./rows";
import { figure, roundStep, ticksOf, type Unit, withUnit } from "./scale";
import { type Bin, histogram, precisionOf, runsNeeded, type Sample } from "./stats";

/** Percent of the mean. */
const PRECISIONS = [0.1, 0.2, 0.5, 1, 2, 5];

function Histogram({ bins, sample, metric, unit }: { bins: Bin[]; sample: Sample; metric: number; unit: Unit }) {
  const [from, to] = [bins[0].from, bins[bins.length - 1].to];
  const share = (value: number) => (value - from) / (to - from);
  const name = words.metrics[METRICS[metric]];
  const edges = ticksOf(from, to, 480, unit);
  const most = Math.max(...bins.map((bin) => bin.count));
  return (
    <Plot
      label={words.histogram(name)}
      ticks={ticksOf(0, most, 170, { name: "", size: 1 })}
      up={words.runs}
      along={`${name}, ${unit.name}`}
      marks={edges.marks.filter((x) => x >= from && x <= to).map((x) => ({ at: share(x), label: edges.label(x) }))}
    >
      {({ x, y, top, bottom }) => {
        const upright = (value: number, kind: string) => (
          <line class={kind} x1={x(share(value))} x2={x(share(value))} y1={top} y2={bottom} />
        );
        return (
          <>
            <rect
              class="plot-band"
              x={x(share(sample.low))}
              width={x(share(sample.high)) - x(share(sample.low))}
              y={top}
              height={bottom - top}
            />
            {bins.map((bin) => (
              <rect
                key={bin.from}
                class="plot-bar"
                x={x(share(bin.from)) + 0.5}
                width={Math.max(1, x(share(bin.to)) - x(share(bin.from)) - 1)}
                y={y(bin.count)}
                height={bottom - y(bin.count)}
              />
            ))}
            {upright(sample.median, "plot-median")}
            <text class="plot-title" x={x(share(sample.median)) + 4} y={top - 4}>
              {words.median}
            </text>
          </>
        );
      }}
    </Plot>
  );
}

/** How closely these runs give the mean, and what a closer answer would cost. */
function Precision({ sample, run }: { sample: Sample; run(seeds: number): void }) {
  const [share, setShare] = useState(1);
  const needed = runsNeeded(sample, share / 100);
  return (
    <div class="precision">
      <p>{words.known(`${trim(100 * precisionOf(sample))} %`)}</p>
      <p>
        <label>
          {words.precision}{" "}
          <select id="precision" value={share} onChange={(event) => setShare(Number(event.currentTarget.value))}>
            {PRECISIONS.map((one) => (
              <option key={one} value={one}>
                {one} %
              </option>
            ))}
          </select>
        </label>{" "}
        <span role="status">{(needed > sample.n ? words.needed : words.enough)(count(needed))}</span>{" "}
        {needed > sample.n && needed <= 1_000_000 && (
          <button type="button" class="button small" onClick={() => run(needed)}>
            {words.runThem(count(needed))}
          </button>
        )}
      </p>
    </div>
  );
}

interface Props {
  rows: Row[];
  sample: Sample;
  metric: number;
  unit: Unit;
  run(seeds: number): void;
  /** Makes a seed the scenario's. */
  take(seed: string): void;
}

export function Chance({ rows, sample, metric, unit, run, take }: Props) {
  const made = rows.filter((row) => row.values.length > 0);
  const worst = made.reduce((a, b) => (isBetter(metric, a.values[metric], b.values[metric]) ? b : a));
  const facts: [string, string][] = [
    [words.median, withUnit(sample.median, unit)],
    [words.band, `${figure(sample.low, unit)} – ${withUnit(sample.high, unit)}`],
    [words.mean, withUnit(sample.mean, unit)],
    [words.range, `${figure(sample.least, unit)} – ${withUnit(sample.most, unit)}`],
    [words.runs, count(sample.n)],
  ];
  const bins = histogram(
    made.map((row) => row.values[metric]),
    (rough) => roundStep(rough / unit.size) * unit.size,
  );
  return (
    <>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="num">{value}</dd>
          </div>
        ))}
      </dl>
      {sample.deviation === 0 ? (
        sample.n > 1 && <p>{words.noChance}</p>
      ) : (
        <>
          <Histogram bins={bins} sample={sample} metric={metric} unit={unit} />
          <Precision sample={sample} run={run} />
          <p>
            <button type="button" class="button" onClick={() => take(worst.seed)}>
              {words.worst(worst.seed, withUnit(worst.values[metric], unit))}
            </button>
          </p>
          <details>
            <summary>{words.bins}</summary>
            <table class="data sweep-table">
              <thead>
                <tr>
                  <th scope="col">{`${words.metrics[METRICS[metric]]}, ${unit.name}`}</th>
                  <th scope="col" class="num">
                    {words.runs}
                  </th>
                  <th scope="col" class="num">
                    %
                  </th>
                </tr>
              </thead>
              <tbody>
                {bins.map((bin) => (
                  <tr key={bin.from}>
                    <th scope="row" class="num">
                      {figure(bin.from, unit)} – {figure(bin.to, unit)}
                    </th>
                    <td class="num">{bin.count}</td>
                    <td class="num">{percent(bin.count / made.length)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        </>
      )}
    </>
  );
}
