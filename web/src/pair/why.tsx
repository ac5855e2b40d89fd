// Where the difference comes from: parts of the step by rank, in whole quanta, so that every column adds up.
import type { ComponentChildren } from "preact";
import { pairText } from "../text/pair";
import { columnOf, quantumFor, scaleFor, type Split } from "./split";

/** More columns would only slow the page. */
const MOST_RANKS = 128;
const DIGITS = 4;

function Cell({ quanta, write }: { quanta: number; write(quanta: number): string }) {
  if (quanta === 0) return <td class="num muted">0</td>;
  return (
    <td class={`num ${quanta < 0 ? "better" : "worse"}`}>
      {quanta < 0 ? "−" : "+"}
      {write(Math.abs(quanta))}
    </td>
  );
}

const capital = (text: string): string => text[0].toUpperCase() + text.slice(1);

/** `rankName` is asked for ranks that both have. */
export function Why({ split, rankName }: { split: Split; rankName(rank: number): string }) {
  const { counts, scale } = split;
  const change = Math.abs(split.b - split.a);
  const same = counts[0] === counts[1];
  const shown = same ? Math.min(counts[0], MOST_RANKS) : 0;
  const means = split.rows.map(({ mean }) => Math.abs(Number(mean) / Number(scale)));
  const cells = split.rows.flatMap(({ ranks }) => ranks.slice(0, shown).map(Math.abs));
  const largest = [change, ...means, ...cells].reduce((x, y) => Math.max(x, y));
  const quantum = quantumFor(largest, DIGITS);
  const { unit, write } = scaleFor(change >= quantum ? change : largest, quantum);
  const columns = [
    columnOf(split.rows, BigInt(quantum) * scale, ({ mean }) => mean),
    ...Array.from({ length: shown }, (_, r) =>
      columnOf(split.rows, BigInt(quantum), ({ ranks }) => BigInt(ranks[r])),
    ),
  ];
  // What is too small to be written in any column has no line.
  const rows = split.rows.map((row, i) => ({ ...row, i })).filter(({ i }) => columns.some((column) => column[i] !== 0));
  const line = (name: ComponentChildren, key: string, value: (column: number[]) => number) => (
    <tr key={key}>
      <th scope="row">{name}</th>
      {columns.map((column, i) => (
        <Cell key={i} quanta={value(column)} write={write} />
      ))}
    </tr>
  );
  const group = (work: boolean) => {
    const own = rows.filter((row) => row.work === work);
    const names = work ? pairText.kinds : pairText.causes;
    if (own.length === 0) return null;
    return (
      <tbody>
        {line(<strong>{work ? pairText.workHead : pairText.idleHead}</strong>, "all", (column) =>
          own.reduce((sum, { i }) => sum + column[i], 0),
        )}
        {own.map(({ name, i }) => line(capital(names[name] ?? name), name, (column) => column[i]))}
      </tbody>
    );
  };
  return (
    <>
      <div class="pair-scroll" tabIndex={0} role="region" aria-label={pairText.whyCaption}>
        <table class="data pair-why">
          <caption>{pairText.whyCaption}</caption>
          <thead>
            <tr>
              <th scope="col">{pairText.part}</th>
              <th scope="col" class="num">
                {pairText.mean}
              </th>
              {columns.slice(1).map((_, r) => (
                <th key={r} scope="col" class="num">
                  {rankName(r)}
                </th>
              ))}
            </tr>
          </thead>
          {group(true)}
          {group(false)}
          <tfoot>
            {line(<strong>{pairText.total}</strong>, "step", (column) => column.reduce((sum, n) => sum + n, 0))}
          </tfoot>
        </table>
      </div>
      <p class="muted pair-note">
        {pairText.whyNote(unit)} {!same && pairText.meansOnly(...counts)}
        {same && shown < counts[0] && pairText.firstRanks(shown, counts[0])}
      </p>
    </>
  );
}
