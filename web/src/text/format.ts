// Numbers and units as the page writes them. Times come in picoseconds.
const NS = 1e3;
const US = 1e6;
const MS = 1e9;
const S = 1e12;

/** Digits after the point, so that about `significant` digits stand. */
const digitsFor = (value: number, significant: number): number =>
  value === 0 ? 0 : Math.max(0, Math.min(6, significant - 1 - Math.floor(Math.log10(Math.abs(value)))));

export function unitFor(ps: number): [string, number] {
  const size = Math.abs(ps);
  if (size >= S) return ["s", S];
  if (size >= MS) return ["ms", MS];
  if (size >= US) return ["µs", US];
  return ["ns", NS];
}

/** "2.76 s", "33.6 ms", "850 µs". */
export function time(ps: number, significant = 3): string {
  if (Math.abs(ps) < 0.5) return "0";
  const [unit, size] = unitFor(ps);
  return `${(ps / size).toFixed(digitsFor(ps / size, significant))} ${unit}`;
}

/** A point in time, in the unit of the whole run: "1.131 s". */
export function moment(ps: number, span: number): string {
  const [unit, size] = unitFor(span);
  return `${(ps / size).toFixed(3)} ${unit}`;
}

export const percent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)} %`;

const grouped = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
export const count = (n: number): string => grouped.format(Math.round(n));
export const short = (n: number): string => (n < 1000 ? trim(n) : compact.format(n).replace("K", "k"));

/** Three significant digits without an exponent. */
export const trim = (n: number): string => n.toFixed(digitsFor(n, 3));

/** [value, unit] of a size in bytes. */
export function bytes(n: number): [string, string] {
  if (n >= 2 ** 30) return [(n / 2 ** 30).toFixed(1), "GiB"];
  if (n >= 2 ** 20) return [(n / 2 ** 20).toFixed(1), "MiB"];
  return [(n / 1024).toFixed(1), "KiB"];
}

export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;
