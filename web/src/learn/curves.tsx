// Test loss against samples or simulated time: a line for each schedule with the band of its seeds, and what has
// diverged up to where it leaves the picture.
import { useState } from "preact/hooks";
import { DataTable } from "../panels/data_table";
import { Twin } from "../panels/twin";
import { Plot } from "../sweep/plot";
import { ticksOf } from "../sweep/scale";
import { count, time, trim, unitFor } from "../text/format";
import { words } from "../text/learn";
import { tickStep } from "../timeline/ticks";
import { type Case, curveOf, isOver, type Mean, type Report } from "./report";

const PS_PER_MS = 1e9;
/** No band is drawn before a loss is this much above all that learn. */
const HEADROOM = 1.05;
const PLAIN = { name: "", size: 1 };

interface Drawn {
  one: Case;
  curve: Mean[];
  /** Curves of seeds that left: [place, loss]. */
  left: [number, number][][];
}

type Along = "samples" | "ms";

function drawnOf(cases: Case[], along: Along): Drawn[] {
  return cases.map((one) => ({
    one,
    curve: one.diverged > 0 && one.diverged === one.seeds.filter(isOver).length ? [] : curveOf(one),
    left: one.seeds
      .filter(({ diverged }) => diverged)
      .map(({ curve }) =>
        curve.flatMap(([samples, ms, , test]): [number, number][] =>
          test === null ? [] : [[along === "ms" ? ms : samples, test]],
        ),
      ),
  }));
}

/** Least and most of the losses that are worth their place; those that left may go over the edge. */
function rangeOf(drawn: Drawn[]): [number, number] {
  const means = drawn.flatMap(({ curve }) => curve);
  const low = means.map(({ mean, sd }) => mean - sd);
  const high = means.map(({ mean, sd }) => mean + sd);
  if (means.length > 0) return [Math.min(...low), Math.max(...high)];
  const all = drawn.flatMap(({ left }) => left.flat()).map(([, loss]) => loss);
  return all.length > 0 ? [Math.min(...all), Math.min(...all) * 2] : [0, 1];
}

function Legend({ drawn, seeds }: { drawn: Drawn[]; seeds: number }) {
  return (
    <ul class="legend learn-legend">
      {drawn.map(({ one }) => {
        const over = one.seeds.filter(isOver).length;
        return (
          <li key={one.arm} class={`legend-item arm-${one.arm % 7}`}>
            <svg width="22" height="8" aria-hidden="true">
              <path class="arm-line" d="M0 4H22" />
            </svg>
            {one.schedule}
            {one.diverged > 0 ? (
              <span class="muted">{words.divergedOf(one.diverged, over)}</span>
            ) : (
              over < seeds && <span class="muted">{words.seedsOver(over, seeds)}</span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

export function Curves({ report, cases }: { report: Report; cases: Case[] }) {
  const [along, setAlong] = useState<Along>("ms");
  const drawn = drawnOf(cases, along);
  // What the first alone ends with is no target yet.
  const target = cases.filter((one) => one.test_loss_mean !== null).length > 1 ? report.target : null;
  const slowest = Math.max(...report.arms.map(({ ms_per_microbatch: ms }) => ms ?? 0));
  const most = report.microbatches * (along === "ms" ? slowest : report.samples_per_microbatch);
  const [unit, size] = along === "ms" ? unitFor(most * PS_PER_MS) : ["", PS_PER_MS];
  const under = along === "ms" ? words.alongOf.time(unit) : words.alongOf.samples;
  const ticks = ticksOf(...rangeOf(drawn), 170, PLAIN);
  const one = size / PS_PER_MS;
  const step = tickStep(most / one, 480, 80);
  const marks = Array.from({ length: Math.floor(most / one / step + 1e-9) + 1 }, (_, i) => ({
    at: (i * step * one) / most,
    label: along === "ms" ? `${Number((i * step).toFixed(6))}` : count(i * step),
  }));
  const placeOf = (point: Mean) => point[along];
  return (
    <div class="learn-curves">
      <div class="learn-along">
        <label>
          {words.along}{" "}
          <select id="learn-along" value={along} onChange={(event) => setAlong(event.currentTarget.value as Along)}>
            <option value="ms">{words.time}</option>
            <option value="samples">{words.samples}</option>
          </select>
        </label>
        <Legend drawn={drawn} seeds={report.seeds} />
      </div>
      <Plot label={words.chart(under)} ticks={ticks} up={words.loss} along={under} marks={marks}>
        {({ x, y, top }) => {
          const at = (place: number, loss: number) =>
            `${x(place / most).toFixed(1)} ${Math.max(top, y(loss)).toFixed(1)}`;
          return (
            <>
              {target !== null && y(target) >= top && (
                <>
                  <line class="learn-target" x1={x(0)} x2={x(1)} y1={y(target)} y2={y(target)} />
                  <text x={x(1)} y={y(target) - 5} text-anchor="end">
                    {words.target(trim(target))}
                  </text>
                </>
              )}
              {drawn.map(({ one: { arm, seeds }, curve }) => (
                <g key={arm} class={`arm-${arm % 7}`}>
                  {seeds.length > 1 && curve.length > 1 && (
                    <path
                      class="arm-band"
                      d={`M${curve.map((p) => at(placeOf(p), p.mean + p.sd)).join("L")}L${curve
                        .toReversed()
                        .map((p) => at(placeOf(p), p.mean - p.sd))
                        .join("L")}Z`}
                    />
                  )}
                </g>
              ))}
              {drawn.map(({ one: { arm, ms_to_target: ms, microbatches_to_target: n }, curve, left }) => {
                const reached = along === "ms" ? ms : n && n * report.samples_per_microbatch;
                return (
                  <g key={arm} class={`arm-${arm % 7}`}>
                    {curve.length > 0 && <path class="arm-line" d={`M${curve.map((p) => at(placeOf(p), p.mean)).join("L")}`} />}
                    {target !== null && reached && <circle cx={x(reached / most)} cy={y(target)} r={4} />}
                    {left.map((points, i) => {
                      const out = points.findIndex(([, loss]) => loss > ticks.high * HEADROOM);
                      const seen = out < 0 ? points : points.slice(0, out + 1);
                      const end = seen.at(-1);
                      if (!end) return null;
                      const [cx, cy] = at(...end).split(" ").map(Number);
                      return (
                        <g key={i}>
                          <path class="arm-left" d={`M${seen.map((point) => at(...point)).join("L")}`} />
                          <path class="arm-end" d={`M${cx - 4} ${cy - 4}l8 8m0-8l-8 8`} />
                        </g>
                      );
                    })}
                  </g>
                );
              })}
            </>
          );
        }}
      </Plot>
      <Twin>{() => <Points drawn={drawn} along={along} />}</Twin>
    </div>
  );
}

/** The same as a table: a row for each number of samples, since schedules are at the same ones. */
function Points({ drawn, along }: { drawn: Drawn[]; along: Along }) {
  const all = [...new Set(drawn.flatMap(({ curve }) => curve.map(({ samples }) => samples)))].sort((a, b) => a - b);
  return (
    <DataTable
      id="learn-points"
      caption={words.loss}
      head={[words.samples, ...drawn.map(({ one }) => words.twin(one.schedule))]}
      rows={all.map((samples) => [
        count(samples),
        ...drawn.map(({ curve }) => {
          const point = curve.find((one) => one.samples === samples);
          if (!point) return "–";
          const loss = words.mean(trim(point.mean), trim(point.sd));
          return along === "ms" ? `${loss}, ${time(point.ms * PS_PER_MS)}` : loss;
        }),
      ])}
    />
  );
}
