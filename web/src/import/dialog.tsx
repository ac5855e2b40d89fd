// A recorded run above its replay, on one axis of time; how far apart they are, kind by kind; and the scenario that
// plays it again.
import { useMemo } from "preact/hooks";
import { closeDialog, Dialog } from "../panels/dialog";
import { Axis, Lanes } from "../panels/lanes";
import { loadScenario } from "../state/source";
import { count, percent, time, trim } from "../text/format";
import { later } from "../text/later";
import { type Line, linesOf, pairsOf, planOf, traceOf } from "./measured";
import { imported } from "./traces";

const PS_PER_MS = 1e9;
/** The table of operations shows no more than this many. */
const MOST_ROWS = 1000;

const shown = (value: number, unit: Line["unit"]): string => {
  if (unit === "ms") return time(value * PS_PER_MS, 4);
  return unit === "share" ? percent(value) : trim(value);
};
const signed = (share: number): string => `${share > 0 ? "+" : share < 0 ? "−" : ""}${percent(Math.abs(share), 2)}`;

export function Measured() {
  const found = imported.value;
  const drawn = useMemo(() => {
    if (!found) return null;
    const plan = planOf(found);
    const ranks = found.report.ranks.length;
    const [measured, simulated] = [found.step.measured, found.step.simulated].map((events) => ({
      plan,
      trace: traceOf(events, ranks),
      pyramid: null,
    }));
    return { measured, simulated, lines: linesOf(found.report), pairs: pairsOf(found) };
  }, [found]);
  if (!found || !drawn) return null;
  const { report, names } = found;
  const { measured, simulated, lines, pairs } = drawn;
  const view = { t0: 0, t1: Math.max(measured.trace.end, simulated.trace.end) };
  const words = later.traces;
  const use = () => {
    closeDialog();
    loadScenario(report.scenario, words.replayOf(names[0]));
  };
  return (
    <Dialog
      id="measured"
      heading={words.heading}
      note={words.note(names.length, report.last_iteration - report.first_iteration + 1, report.order)}
      wide
    >
      <div class="dialog-body measured" tabIndex={0} role="region" aria-label={words.heading}>
        <div class="stack">
          <Axis run={measured} view={view} unit={null} />
          {(
            [
              ["A", words.measured, measured],
              ["B", words.simulated, simulated],
            ] as const
          ).map(([letter, name, run]) => (
            <figure class="stack-entry" key={letter}>
              <figcaption>
                <strong>
                  {letter}: {name}
                </strong>
                <span class="num muted">{time(run.trace.end, 4)}</span>
              </figcaption>
              <Lanes strips={[{ run, view, unit: null }]} />
            </figure>
          ))}
        </div>
        <div class="measured-say">
          <p class="muted">{words.typical}</p>
          <button type="button" class="button primary" onClick={use}>
            {words.use}
          </button>
        </div>
        <table class="data">
          <caption>{words.caption}</caption>
          <thead>
            <tr>
              <th scope="col">{words.what}</th>
              <th scope="col" class="num">
                {words.measured}
              </th>
              <th scope="col" class="num">
                {words.simulated}
              </th>
              <th scope="col" class="num">
                {words.error}
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => (
              <tr key={line.id}>
                <th scope="row">{words.lines[line.id]}</th>
                <td class="num">{shown(line.measured, line.unit)}</td>
                <td class="num">{shown(line.simulated, line.unit)}</td>
                <td class="num">{line.error === null ? "–" : signed(line.error)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <ul class="notes">
          {report.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
        <details class="resolved">
          <summary>{words.operations}</summary>
          <table class="data">
            <caption>{pairs.length > MOST_ROWS ? words.first(count(MOST_ROWS)) : words.operations}</caption>
            <thead>
              <tr>
                {[words.rank, words.operation].map((text) => (
                  <th scope="col" key={text}>
                    {text}
                  </th>
                ))}
                {[words.startA, words.lastsA, words.startB, words.lastsB].map((text) => (
                  <th scope="col" class="num" key={text}>
                    {text}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {pairs.slice(0, MOST_ROWS).map((pair, i) => (
                <tr key={i}>
                  <td>{pair.rank}</td>
                  <td>{pair.name}</td>
                  {[...pair.measured, ...(pair.simulated ?? [null, null])].map((ms, at) => (
                    <td class="num" key={at}>
                      {ms === null ? "–" : time(ms * PS_PER_MS, 4)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </details>
        <details class="resolved">
          <summary>{words.scenario}</summary>
          <pre>{report.scenario}</pre>
        </details>
      </div>
    </Dialog>
  );
}
