// Figures of A and B beside each other, what changed, and whether that is better.
import { type Facts, worstPeak } from "../state/facts";
import type { Result } from "../state/store";
import { en } from "../text/en";
import { bytes, percent, short, time, trim } from "../text/format";
import { pairText } from "../text/pair";

interface Figure {
  id: keyof typeof pairText.figures;
  of(facts: Facts): number | null;
  write(value: number): string;
  /** Of a difference, where that is written otherwise. */
  writeChange?(change: number): string;
  /** Neither is better where this is missing. */
  lower?: boolean;
}

/** Shares, whose differences are points. */
const inPercent = {
  write: (share: number) => percent(share, 2),
  writeChange: (change: number) => en.points((100 * change).toFixed(2)),
};

const FIGURES: Figure[] = [
  { id: "step", of: (f) => f.stepMs, write: (ms) => time(ms * 1e9, 4), lower: true },
  { id: "bubble", of: (f) => f.bubble, ...inPercent, lower: true },
  { id: "mfu", of: (f) => f.mfu, ...inPercent, lower: false },
  { id: "tokens", of: (f) => f.tokensPerSecond, write: short, lower: false },
  {
    id: "samples",
    of: (f) => (f.tokensPerSecond === null ? f.samplesPerSecond : null),
    write: short,
    lower: false,
  },
  { id: "peak", of: (f) => worstPeak(f)?.bytes ?? null, write: (n) => bytes(n).join(" "), lower: true },
  {
    id: "flight",
    of: (f) => (f.inFlight.length > 0 ? Math.max(...f.inFlight) : null),
    write: (n) => `${Number(trim(n))}`,
    lower: true,
  },
  { id: "bound", of: (f) => f.lowerBoundMs, write: (ms) => time(ms * 1e9, 4) },
];

function Change({ figure, a, b }: { figure: Figure; a: number; b: number }) {
  const change = b - a;
  if (Math.abs(change) <= 1e-12 * Math.abs(a)) return <span class="delta same">{en.noChange}</span>;
  const better = change < 0 === figure.lower;
  const words = figure.lower === undefined ? "same" : better ? "better" : "worse";
  return (
    <span class={`delta ${words}`}>
      <span aria-hidden="true">{change < 0 ? "▼" : "▲"}</span> {change < 0 ? "−" : "+"}
      {(figure.writeChange ?? figure.write)(Math.abs(change))} {words !== "same" && en[words]}
    </span>
  );
}

const share = (a: number, b: number): string =>
  a === 0 || a === b ? "" : `${b > a ? "+" : "−"}${percent(Math.abs(b / a - 1))}`;

export function Numbers({ a, b }: { a: Result; b: Result }) {
  const rows = FIGURES.flatMap((figure) => {
    const [x, y] = [figure.of(a.facts), figure.of(b.facts)];
    return x === null && y === null ? [] : [{ figure, x, y }];
  });
  return (
    <div class="pair-scroll" tabIndex={0} role="region" aria-label={pairText.numbersCaption}>
      <table class="data">
        <caption>{pairText.numbersCaption}</caption>
        <thead>
          <tr>
            <th scope="col">{pairText.figure}</th>
            {["A", "B", pairText.difference, "%"].map((label) => (
              <th key={label} scope="col" class="num">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{pairText.figures.schedule}</th>
            <td class="num">{a.facts.schedule}</td>
            <td class="num">{b.facts.schedule}</td>
            <td />
            <td />
          </tr>
          {rows.map(({ figure, x, y }) => (
            <tr key={figure.id} id={`pair-${figure.id}`}>
              <th scope="row">{pairText.figures[figure.id]}</th>
              <td class="num">{x === null ? "–" : figure.write(x)}</td>
              <td class="num">{y === null ? "–" : figure.write(y)}</td>
              <td class="num">{x !== null && y !== null && <Change figure={figure} a={x} b={y} />}</td>
              <td class="num">{x !== null && y !== null && share(x, y)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
