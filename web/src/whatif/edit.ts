// Counterfactual edits of a resolved scenario. The module writes that text in one form, so it can be edited by lines:
// two blanks a level, one key a line, lists as "- key: value".

const FASTEST_GBPS = 1e9;

const indentOf = (line: string): number => line.search(/\S|$/);

/** Lines below the line `at`, which are deeper than it: [from, to). */
function below(lines: string[], at: number): [from: number, to: number] {
  let to = at + 1;
  while (to < lines.length && indentOf(lines[to]) > indentOf(lines[at])) to++;
  return [at + 1, to];
}

/** The line of a key inside [from, to), or -1. */
const find = (lines: string[], key: string, from = 0, to = lines.length): number =>
  lines.findIndex((line, i) => i >= from && i < to && line.trimStart().startsWith(`${key}:`));

/** The entries of a list below the line `at`, each [from, to); comments before an entry belong to the one above. */
function entries(lines: string[], at: number): [number, number][] {
  const [from, to] = below(lines, at);
  const starts: number[] = [];
  for (let i = from; i < to; i++) {
    if (indentOf(lines[i]) === indentOf(lines[at]) + 2 && lines[i].trimStart().startsWith("- ")) starts.push(i);
  }
  return starts.map((start, i) => [start, starts[i + 1] ?? to]);
}

const valueOf = (lines: string[], keys: string[], from: number, to: number): string => {
  for (let i = from; i < to; i++) {
    const match = lines[i].match(/^\s*(?:- )?(\w+): "?([^"]*?)"?$/);
    if (match && keys.includes(match[1])) return match[2];
  }
  return "";
};

/** Both directions between two devices without any time; null when the text has no hardware. */
export function withoutLink(resolved: string, a: string, b: string): string | null {
  const lines = resolved.split("\n");
  const joins = ([from, to]: [number, number]) => {
    const ends = [valueOf(lines, ["from", "src"], from, to), valueOf(lines, ["to", "dst"], from, to)];
    return ends.includes(a) && ends.includes(b);
  };
  const drop = new Set<number>();
  lines.forEach((line, at) => {
    if (line.trim() !== "links:") return;
    for (const [from, to] of entries(lines, at)) {
      if (joins([from, to])) for (let i = from; i < to; i++) drop.add(i);
    }
  });
  const hardware = lines.indexOf("hardware:");
  if (hardware < 0) return null;
  const quoted = (name: string) => JSON.stringify(name);
  const entry = `    - {from: ${quoted(a)}, to: ${quoted(b)}, bandwidth_GBps: ${FASTEST_GBPS}, latency_us: 0}`;
  const [, end] = below(lines, hardware);
  const own = lines.findIndex((line, i) => i > hardware && i < end && line === "  links:");
  const out: string[] = [];
  lines.forEach((line, i) => {
    if (!drop.has(i)) out.push(line);
    if (i === own) out.push(entry);
    else if (own < 0 && i === hardware) out.push("  links:", entry);
  });
  return out.join("\n");
}

/** What one factor makes shorter in each kind of distribution; a Poisson number cannot be scaled. */
const TIMES = new Set(["value", "mean", "std", "base", "distribution", "overlapped", "forward", "backward"]);

/**
 * The stage entry of a rank with all its operations taking `factor` of their time; null for what has no time of its
 * own here: `layers`, and Poisson times.
 */
export function withFasterStage(resolved: string, rank: number, factor: number): string | null {
  const lines = resolved.split("\n");
  const pipeline = lines.indexOf("pipeline:");
  const stages = pipeline < 0 ? -1 : find(lines, "stages", ...below(lines, pipeline));
  const entry = stages < 0 ? undefined : entries(lines, stages)[rank];
  if (!entry) return null;
  const compute = find(lines, "compute", ...entry);
  if (compute < 0 || lines.slice(...entry).some((line) => /type: poisson/.test(line))) return null;
  const rates = find(lines, "efficiency", ...entry);
  const isRate = (i: number) => rates >= 0 && i > rates && i < below(lines, rates)[1];
  const isUpdate = (i: number) => {
    const update = find(lines, "update", ...entry);
    return update >= 0 && i >= update && i < below(lines, update)[1];
  };
  for (let i = entry[0]; i < entry[1]; i++) {
    const match = lines[i].match(/^(\s*(?:- )?(\w+): )(-?[\d.]+(?:e[-+]?\d+)?)(\s.*)?$/);
    if (!match || isUpdate(i)) continue;
    const [, head, key, number] = match;
    if (isRate(i)) lines[i] = head + Number(number) / factor;
    else if (TIMES.has(key)) lines[i] = head + Number(number) * factor;
  }
  return lines.join("\n");
}
