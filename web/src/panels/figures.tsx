// Every figure of the run that the tiles have no room for, and how sure they all are.
import { type Json, number, object } from "../state/facts";
import * as s from "../state/store";
import { later } from "../text/later";
import { expectationsIn, figure } from "../state/expectations";
import { Icon } from "./icon";
import { Staleness } from "./staleness";
import { percent, short, time, trim } from "../text/format";

const BOUND_KEYS = ["value", "at_most", "at_least"];

type Row = [key: string, value: string];

function parameters(model: Json): string | null {
  const all = number(model.parameters);
  const active = number(model.active_parameters);
  if (all === null) return null;
  return active === null || active === all ? short(all) : `${short(all)}, ${short(active)} active`;
}

/** Of the time in which messages travel, the share in which the device at their end computes; over all ranks. */
function overlap({ per_rank }: Json): string | null {
  const ranks = Array.isArray(per_rank) ? per_rank.map(object) : [];
  const sum = (key: string) => ranks.reduce((all, rank) => all + (number(rank[key]) ?? 0), 0);
  return sum("transfer_ms") > 0 ? percent(sum("overlap_ms") / sum("transfer_ms")) : null;
}

function rowsOf(summary: Json): Row[] {
  const throughput = object(summary.throughput);
  const bubble = object(summary.bubble);
  const energy = object(summary.energy);
  const price = object(summary.price);
  const failures = object(summary.failures);
  const shown = (value: unknown, format: (n: number) => string): string | null => {
    const n = number(value);
    return n === null ? null : format(n);
  };
  const rows: [string, string | null][] = [
    ["tokens", shown(throughput.tokens_per_s, (n) => `${short(n)}/s`)],
    ["samples", shown(throughput.samples_per_s, (n) => `${short(n)}/s`)],
    ["mfu", shown(summary.mfu, (n) => percent(n))],
    ["parameters", parameters(object(summary.model))],
    ["span", shown(bubble.span, (n) => percent(n))],
    ["overWork", shown(bubble.idle_over_work, (n) => percent(n))],
    ["overlap", overlap(object(summary.communication))],
    ["bound", shown(summary.lower_bound_ms, (n) => time(n * 1e9))],
    ["power", shown(energy.average_power_W, (n) => (n < 1000 ? `${trim(n)} W` : `${trim(n / 1000)} kW`))],
    ["energy", shown(energy.joules_per_token, (n) => `${trim(n)} J`)],
    ["priceHour", shown(price.per_hour, (n) => trim(n))],
    ["priceTokens", shown(price.per_million_tokens, (n) => trim(n))],
    ["failures", shown(failures.count || null, (n) => short(n))],
    ["lostWork", shown(failures.lost_work_ms || null, (n) => time(n * 1e9))],
    ["goodput", shown(failures.goodput, (n) => percent(n))],
  ];
  return rows.flatMap(([key, value]) => (value === null ? [] : [[key, value] as Row]));
}

function sentences({ facts, summary }: s.Result): string[] {
  const { compute, communication, memory } = facts.certainty;
  const certainty = object(summary.certainty);
  const error = object(certainty.period_error);
  const mean = number(error.mean_pct);
  const worst = number(error.worst_pct);
  const unknown = Array.isArray(certainty.uncalibrated) ? certainty.uncalibrated.join(", ") : "";
  return [
    later.certaintyOf[compute],
    mean !== null && worst !== null
      ? later.certaintyError(String(certainty.calibration), trim(mean), trim(worst))
      : undefined,
    unknown ? later.certaintyDevices(unknown) : undefined,
    later.certaintyLinks[communication],
    later.certaintyMemory[memory],
  ].filter((one): one is string => one !== undefined);
}

/** What the scenario expects of its summary, and whether it came. */
function Expected({ summary }: { summary: Json }) {
  const all = expectationsIn(summary);
  if (all.length === 0) return null;
  return (
    <>
      <h4>{later.expected}</h4>
      <ul id="expectations" class="expectations">
        {all.map((one, i) => {
          const path = String(one.path);
          const key = BOUND_KEYS.find((bound) => bound in one) ?? BOUND_KEYS[0];
          const shown = (value: unknown) => {
            const n = number(value);
            return n === null ? later.nothing : figure(path, n);
          };
          return (
            <li key={i} class={one.passed ? "met" : "failed"}>
              <Icon name={one.passed ? "check" : "warning"} />
              <span>
                <span class="visually-hidden">{one.passed ? later.holds : later.fails}: </span>
                {later.expectedOf(path, later.bounds[key] + shown(one[key]), shown(one.found))}
              </span>
            </li>
          );
        })}
      </ul>
    </>
  );
}

export function Figures() {
  const result = s.result.value;
  if (!result) return null;
  const priced = number(object(result.summary.price).per_hour) !== null;
  return (
    <div class="figures">
      <table class="data">
        <caption>{later.figuresCaption}</caption>
        <thead>
          <tr>
            <th scope="col">{later.figure}</th>
            <th scope="col" class="num">
              {later.figureValue}
            </th>
            <th scope="col">{later.figureMeaning}</th>
          </tr>
        </thead>
        <tbody>
          {rowsOf(result.summary).map(([key, value]) => (
            <tr key={key} id={`figure-${key}`}>
              <th scope="row">{later.figures[key][0]}</th>
              <td class="num">{value}</td>
              <td class="muted">{later.figures[key][1]}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Staleness summary={result.summary} />
      <h4>{later.certainty}</h4>
      <ul id="certainty">
        {sentences(result).map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
      <Expected summary={result.summary} />
      {!priced && <p class="muted">{later.noPriceHint}</p>}
    </div>
  );
}
