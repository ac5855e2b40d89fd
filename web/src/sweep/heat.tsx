// A sweep over two values: a table whose cells are shaded by what they say, each one press from being the scenario.
import { words } from "../text/sweep";
import { PointButton, type Shown } from "./point";
import { METRICS, bestOf } from "./rows";
import { figure } from "./scale";

export function Heat({ rows, columns, ...shown }: Shown & { rows: string[]; columns: string[] }) {
  const { points, metric, unit, paths } = shown;
  const medians = points.flatMap(({ sample }) => (sample ? [sample.median] : []));
  const [least, most] = [Math.min(...medians), Math.max(...medians)];
  const best = bestOf(points, metric);
  return (
    <div class="heat-box" tabIndex={0} role="region" aria-label={words.metrics[METRICS[metric]]}>
      <table class="data sweep-heat">
        <caption>
          {words.metrics[METRICS[metric]]}, {unit.name}. {words.heatNote}
        </caption>
        <thead>
          <tr>
            <td />
            <th scope="colgroup" colSpan={columns.length}>
              {paths[1]}
            </th>
          </tr>
          <tr>
            <th scope="col">{paths[0]}</th>
            {columns.map((value) => (
              <th key={value} scope="col" class="num">
                {value}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((value, r) => (
            <tr key={value}>
              <th scope="row">{value}</th>
              {columns.map((_, c) => {
                const point = points[r * columns.length + c];
                const median = point.sample?.median;
                const share = median === undefined ? 0 : most > least ? (median - least) / (most - least) : 0.5;
                return (
                  <td
                    key={c}
                    class={`num${point === best ? " best" : ""}${point.fits ? "" : " over"}`}
                    style={{ "--share": share }}
                    title={point.fits ? undefined : words.noneFits}
                  >
                    {median !== undefined ? (
                      <PointButton {...shown} point={point} label={figure(median, unit)} />
                    ) : point.problem ? (
                      <span title={point.problem} class="muted">
                        {words.failedPoint}
                      </span>
                    ) : (
                      ""
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
