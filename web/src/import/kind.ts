// What a file is that someone brings: told from its content, since names lie and pasted text has none.
export type Brought =
  | { kind: "scenario"; text: string }
  /** A summary that this page or the command wrote. */
  | { kind: "result"; summary: Record<string, unknown> }
  /** An order: PyTorch's CSV, or one line a rank of F0@0 B0@0. */
  | { kind: "order"; text: string }
  | { kind: "unknown" };

const CELL = String.raw`"?(?:\(?\d+[A-Z_]+\d*(?:;\d+[A-Z_]+\d*\)OVERLAP_F_B)?)?"?`;
const CSV_LINE = new RegExp(`^\\s*${CELL}(?:\\s*,\\s*${CELL})*\\s*$`);
const TEXT_LINE = /^\s*(?:\(?[FBIW]\d+(?:\.\d+)?@\d+[|)]?\S*\s*)+$/;

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return value && typeof value === "object" && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

export function kindOf(text: string): Brought {
  if (text.includes("\0")) return { kind: "unknown" };
  const json = /^\s*\{/.test(text) ? parsed(text) : null;
  if (json && "time_ms" in json) return { kind: "result", summary: json };
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.trimStart().startsWith("#"));
  const all = (pattern: RegExp) => lines.length > 0 && lines.every((line) => pattern.test(line));
  if (all(CSV_LINE) || all(TEXT_LINE)) return { kind: "order", text };
  // Whatever has keys may be a scenario: what is wrong with it is said at its place, as for one that was typed.
  return lines.some((line) => /^[\s{"']*[\w-]+["']?\s*:/.test(line)) ? { kind: "scenario", text } : { kind: "unknown" };
}
