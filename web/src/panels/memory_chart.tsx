// What a device holds over time as areas, part upon part, under the line of what it has.
import { PARTS } from "../state/held";
import { later } from "../text/later";
import { bytes, trim } from "../text/format";
import { tickStep } from "../timeline/ticks";
import type { MemoryMoment, MemorySeries } from "../worker/protocol";

const HEIGHT = 132;
/** From below: what rests, then what comes and goes. */
const STACKED = [0, 1, 2, 7, 8, 3, 4, 5, 6];
/** A capacity beyond this many times the peak would press the picture flat: it is said, not drawn. */
const FAR = 3;

type Level = (moment: MemoryMoment) => number;

/** A path of rectangles: of each run what lies between two levels, equal neighbours joined. */
function areaOf(runs: MemorySeries["runs"], y: (n: number) => number, low: Level, high: Level): string {
  let path = "";
  for (let i = 0; i < runs.length; ) {
    const { from, moment } = runs[i];
    const [bottom, top] = [low(moment), high(moment)];
    while (i < runs.length && low(runs[i].moment) === bottom && high(runs[i].moment) === top) i++;
    if (top > bottom) path += `M${from} ${y(top)}H${runs[i - 1].to}V${y(bottom)}H${from}z`;
  }
  return path;
}

/** What the first `n` of the stack hold. */
const level = (n: number): Level => ({ parts }) => STACKED.slice(0, n).reduce((sum, part) => sum + parts[part], 0);

interface Props {
  series: MemorySeries;
  /** 0 where it is not known. */
  capacity: number;
  /** What the pointer or the keys have chosen. */
  chosen: MemoryMoment | null;
}

export function Areas({ series, capacity, chosen }: Props) {
  const { runs, columns, t0, t1, peak } = series;
  const far = capacity > FAR * peak.total;
  const top = Math.max(peak.total, far ? 0 : capacity) * 1.06 || 1;
  const y = (n: number) => Math.round(HEIGHT * 10 * (1 - n / top)) / 10;
  const [unit, name] = top >= 2 ** 30 ? [2 ** 30, "GiB"] : top >= 2 ** 20 ? [2 ** 20, "MiB"] : [2 ** 10, "KiB"];
  const step = tickStep(top / unit, HEIGHT, 32);
  const ticks = Array.from({ length: Math.floor(top / unit / step) + 1 }, (_, i) => i * step);
  const across = (n: number) => `M0 ${y(n)}H${columns}`;
  const mark = (moment: MemoryMoment, line: boolean) => {
    const x = ((moment.time - t0) / (t1 - t0)) * columns;
    return (
      <g class="mark">
        {line && <path d={`M${x} 0V${HEIGHT}`} />}
        <circle cx={x} cy={y(moment.total)} r="4" />
      </g>
    );
  };
  return (
    <>
      <svg aria-hidden="true" width={columns} height={HEIGHT}>
        {ticks.map((n) => (
          <path key={n} class="grid" d={across(n * unit)} />
        ))}
        {STACKED.map((part, i) => (
          <path key={part} class={`part-${PARTS[part]}`} d={areaOf(runs, y, level(i), level(i + 1))} />
        ))}
        {series.over && <path class="over" d={areaOf(runs, y, () => capacity, ({ total }) => total)} />}
        {capacity > 0 && !far && <path class="cap" d={across(capacity)} />}
        {mark(peak, false)}
        {chosen && mark(chosen, true)}
      </svg>
      <div class="y-axis num" aria-hidden="true">
        {ticks.map((n) => (
          <span key={n} style={{ "--y": `${y(n * unit)}px` }}>
            {n > 0 ? `${Number(trim(n))} ${name}` : n}
          </span>
        ))}
      </div>
      {capacity > 0 && (
        <span class="cap-label num" aria-hidden="true" style={{ "--y": `${far ? 0 : y(capacity)}px` }}>
          {later.capacityLine(bytes(capacity).join(" "), far)}
        </span>
      )}
    </>
  );
}
