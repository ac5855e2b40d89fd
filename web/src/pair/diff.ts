// What two texts have in common, line by line, and one text written as the changes to another.

export interface Piece {
  kind: "same" | "gone" | "new";
  lines: string[];
}

/** Beyond this many pairs of lines the changed middle is taken as a whole: it keeps the page quick. */
const MOST_PAIRS = 1_000_000;

/** Lengths of the longest common subsequences of what is left from line i of `a` and from line j of `b` on. */
function lengths(a: string[], b: string[]): Uint16Array {
  const wide = b.length + 1;
  const table = new Uint16Array((a.length + 1) * wide);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * wide + j;
      table[at] = a[i] === b[j] ? table[at + wide + 1] + 1 : Math.max(table[at + wide], table[at + 1]);
    }
  }
  return table;
}

/** From `a` to `b`; before a line that is new stand those that went. */
export function diffLines(a: string[], b: string[]): Piece[] {
  const pieces: Piece[] = [];
  const put = (kind: Piece["kind"], lines: string[]) => {
    if (lines.length === 0) return;
    if (pieces.at(-1)?.kind !== kind) pieces.push({ kind, lines: [] });
    for (const line of lines) pieces[pieces.length - 1].lines.push(line);
  };
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  const most = Math.min(a.length, b.length) - head;
  while (tail < most && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const [from, to] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  put("same", a.slice(0, head));
  if (from.length * to.length > MOST_PAIRS) {
    put("gone", from);
    put("new", to);
  } else {
    const table = lengths(from, to);
    const wide = to.length + 1;
    let [i, j] = [0, 0];
    while (i < from.length || j < to.length) {
      const at = i * wide + j;
      if (i < from.length && j < to.length && from[i] === to[j]) {
        put("same", [from[i++]]);
        j++;
      } else if (i < from.length && (j === to.length || table[at + wide] >= table[at + 1])) put("gone", [from[i++]]);
      else put("new", [to[j++]]);
    }
  }
  put("same", a.slice(a.length - tail));
  return pieces;
}

/** `text` as what is to be done to `base`: "=3" keeps three lines, "-2" leaves two out, "+…" is a line of its own. */
export function writePatch(base: string, text: string): string {
  const mark = { same: "=", gone: "-" };
  return diffLines(base.split("\n"), text.split("\n"))
    .flatMap(({ kind, lines }) => (kind === "new" ? lines.map((line) => `+${line}`) : [mark[kind] + lines.length]))
    .join("\n");
}

/** The text again; null when the patch is none, or of another text. */
export function applyPatch(base: string, patch: string): string | null {
  const lines = base.split("\n");
  const out: string[] = [];
  let at = 0;
  for (const step of patch.split("\n")) {
    if (step.startsWith("+")) {
      out.push(step.slice(1));
      continue;
    }
    if (!/^[=-][1-9]\d*$/.test(step)) return null;
    const stop = at + Number(step.slice(1));
    if (stop > lines.length) return null;
    if (step.startsWith("=")) for (const line of lines.slice(at, stop)) out.push(line);
    at = stop;
  }
  return at === lines.length ? out.join("\n") : null;
}
