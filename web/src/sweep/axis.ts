// The values an axis of a sweep takes, written as the command has them: "a,b,c" or "lo:hi:step" with `hi` included.
// Numbers are read and written as the engine does, so that a sweep of the page is the command's.

export interface Axis {
  path: string;
  /** YAML texts. */
  values: string[];
}

export const MOST_POINTS = 1_000_000;

const NUMBER = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** NaN for what is no number. */
export const readNumber = (text: string): number =>
  NUMBER.test(text) && Number.isFinite(Number(text)) ? Number(text) : Number.NaN;

/** Shortest text that reads back as the number; exponents as C writes them. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e-4 && size < 1e15) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

/** Null for what is no range; no values for an impossible one. */
function rangeValues(text: string): string[] | null {
  const parts = text.split(":");
  const [low, high, step] = parts.map(readNumber);
  if (parts.length !== 3 || Number.isNaN(low + high + step)) return null;
  if (!(step > 0) || high < low) return [];
  // A hair of slack, so that 0:1:0.1 includes 1.
  const count = Math.floor(((high - low) / step) * (1 + 1e-12) + 1e-9) + 1;
  if (!(count <= MOST_POINTS)) return [];
  // The value that was meant, not its rounding: 15 significant digits.
  return Array.from({ length: count }, (_, i) => numberText(Number((low + i * step).toPrecision(15))));
}

/** Commas separate values unless they stand inside brackets or quotes. */
function splitValues(text: string): string[] {
  const values = [""];
  let depth = 0;
  let quote = "";
  for (const c of text) {
    if (quote) quote = c === quote ? "" : quote;
    else if (c === '"' || c === "'") quote = c;
    else if (c === "[" || c === "{") depth++;
    else if (c === "]" || c === "}") depth--;
    else if (c === "," && depth === 0) {
      values.push("");
      continue;
    }
    values[values.length - 1] += c;
  }
  return values;
}

/** "path=values"; null when it is neither a list nor a range. */
export function parseAxis(text: string): Axis | null {
  const cut = text.indexOf("=");
  const written = text.slice(cut + 1);
  if (cut < 1 || written === "") return null;
  const values = rangeValues(written) ?? splitValues(written);
  if (values.length === 0 || values.length > MOST_POINTS || values.includes("")) return null;
  return { path: text.slice(0, cut), values };
}
