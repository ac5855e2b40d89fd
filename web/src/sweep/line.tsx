// A sweep over one value: a line with the band over its seeds where the values are numbers, and the table beside it,
// which is all there is where they are names.
import { words } from "../text/sweep";
import { readNumber } from "./axis";
import { Plot } from "./plot";
import { METRICS } from "./rows";
import { figure, placesOf, ticksOf, type Unit } from "./scale";
import { PointButton, type Shown } from "./point";

/** Neighbours that both have runs are joined. */
function Curve({ points, places, metric, unit, path, press }: Shown & { places: number[] }) {
  const all = points.flatMap(({ sample }) => (sample ? [sample.low, sample.high] : []));
  const ticks = ticksOf(Math.min(...all), Math.max(...all), 170, unit);
  const name = words.metrics[METRICS[metric]];
  return (
    <Plot
      label={words.chart(name, path)}
      ticks={ticks}
      up={`${name}, ${unit.name}`}
      along={path}
      marks={points.map(({ at }, i) => ({ at: places[i], label: at[0] }))}
    >
      {({ x, y }) => (
        <>
          {points.slice(1).map(({ sample: b }, i) => {
            const a = points[i].sample;
            if (!a || !b) return null;
            const [from, to] = [x(places[i]), x(places[i + 1])];
            return (
              <g key={i}>
                <path
                  class="plot-band"
                  d={`M${from} ${y(a.low)}L${to} ${y(b.low)}L${to} ${y(b.high)}L${from} ${y(a.high)}Z`}
                />
                <line class="plot-line" x1={from} y1={y(a.median)} x2={to} y2={y(b.median)} />
              </g>
            );
          })}
          {points.map((point, i) =>
            point.sample ? (
              <g key={i} class="plot-point" onClick={() => press(point)}>
                <title>{`${point.at[0]}: ${figure(point.sample.median, unit)} ${unit.name}`}</title>
                <circle class="plot-reach" cx={x(places[i])} cy={y(point.sample.median)} r={12} />
                <circle class={point.fits ? "" : "over"} cx={x(places[i])} cy={y(point.sample.median)} r={4} />
              </g>
            ) : null,
          )}
        </>
      )}
    </Plot>
  );
}

function Bar({ value, most }: { value: number; most: number }) {
  const share = most > 0 ? value / most : 0;
  return <div class="time-bar" aria-hidden="true" style={{ "--share": share, "--bound": share }} />;
}

const inUnit = (text: string, unit: Unit) => `${text}, ${unit.name}`;

export function Line(shown: Shown & { seeds: number }) {
  const { points, metric, unit, path, seeds } = shown;
  const places = placesOf(points.map(({ at }) => readNumber(at[0])));
  const drawn = places !== null && points.some(({ sample }) => sample);
  const met = points.filter(({ sample, problem }) => sample || problem);
  const most = Math.max(...points.map(({ sample }) => sample?.median ?? 0));
  return (
    <>
      {drawn && <Curve {...shown} places={places} />}
      <table class="data sweep-table">
        <thead>
          <tr>
            <th scope="col">{path}</th>
            <th scope="col" class="num">
              {inUnit(words.metrics[METRICS[metric]], unit)}
            </th>
            {seeds > 1 && (
              <th scope="col" class="num">
                {inUnit(words.band, unit)}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {met.map((point) => (
            <tr key={point.at[0]}>
              <th scope="row">
                <PointButton {...shown} point={point} label={point.at[0]} />
              </th>
              {point.sample ? (
                <>
                  <td class={`num${places ? "" : " with-bar"}${point.fits ? "" : " over"}`}>
                    {!places && <Bar value={point.sample.median} most={most} />}
                    {figure(point.sample.median, unit)}
                    {!point.fits && <span class="tag strong">{words.noneFits}</span>}
                  </td>
                  {seeds > 1 && (
                    <td class="num">
                      {figure(point.sample.low, unit)} – {figure(point.sample.high, unit)}
                    </td>
                  )}
                </>
              ) : (
                <td colSpan={2} class="muted why">
                  {point.problem}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
