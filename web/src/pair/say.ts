// The difference in one sentence: how much, and its largest parts, which add up to it as they are written.
import { percent } from "../text/format";
import { pairText } from "../text/pair";
import { inQuanta, quantumFor, scaleFor, type Split, type SplitRow } from "./split";

/** More parts than this are not listed; what is left is said together. */
const MOST_TERMS = 4;
const DIGITS = 3;
/** A rank that has this share of a part's changes is named. */
const MOSTLY = 2 / 3;

export interface Sentence {
  strong: string;
  rest: string;
}

interface Term {
  what: string;
  mean: bigint;
  ranks: number[];
}

/** All work is one part, and so is all waiting for links. */
const termOf = ({ work, name }: SplitRow): string =>
  work ? pairText.work : (pairText.causes[name.startsWith("link_") ? "link" : name] ?? name);

function termsOf(split: Split): Term[] {
  const terms = new Map<string, Term>();
  for (const row of split.rows) {
    const what = termOf(row);
    const known = terms.get(what) ?? { what, mean: 0n, ranks: row.ranks.map(() => 0) };
    terms.set(what, { what, mean: known.mean + row.mean, ranks: row.ranks.map((ps, r) => ps + known.ranks[r]) });
  }
  return [...terms.values()];
}

/** " (most on stage 3)", where one of several ranks has most of the part's changes. */
function placeOf({ ranks }: Term, rankName: (rank: number) => string): string {
  if (ranks.length < 2) return "";
  const sizes = ranks.map(Math.abs);
  const all = sizes.reduce((total, ps) => total + ps, 0);
  const most = Math.max(...sizes);
  return most >= MOSTLY * all ? pairText.onRank(most === all, rankName(sizes.indexOf(most))) : "";
}

export function sentenceOf(split: Split, rankName: (rank: number) => string): Sentence {
  const { a, b, scale, counts } = split;
  const terms = termsOf(split);
  const sizes = terms.map(({ mean }) => Math.abs(Number(mean) / Number(scale)));
  const largest = Math.max(Math.abs(b - a), ...sizes);
  const quantum = quantumFor(largest, DIGITS);
  const shares = inQuanta(
    terms.map(({ mean }) => mean),
    BigInt(quantum) * scale,
  );
  const { unit, write } = scaleFor(largest, quantum);
  const amount = (quanta: number) => `${write(Math.abs(quanta))} ${unit}`;
  const change = (quanta: number, what: string) => (quanta > 0 ? pairText.more : pairText.less)(amount(quanta), what);
  const listed = terms
    .map((term, i) => ({ term, quanta: shares[i] }))
    .filter(({ quanta }) => quanta !== 0)
    .sort((x, y) => Math.abs(y.quanta) - Math.abs(x.quanta));
  const shown = listed.length > MOST_TERMS ? listed.slice(0, MOST_TERMS - 1) : listed;
  const left = listed.slice(shown.length).reduce((total, { quanta }) => total + quanta, 0);
  const said = shown.map(({ term, quanta }) => change(quanta, term.what) + placeOf(term, rankName));
  if (left !== 0) said.push(change(left, pairText.others));
  const total = shares.reduce((sum, quanta) => sum + quanta, 0);
  const share = percent(Math.abs(b / a - 1));
  const strong =
    a === b ? pairText.equal : (total > 0 ? pairText.slower : pairText.faster)(amount(total), share);
  const where = counts[0] === counts[1] ? pairText.means(counts[0]) : pairText.meansOf(...counts);
  if (said.length === 0) return { strong: `${strong}.`, rest: a === b ? ` ${pairText.noCause}` : "" };
  return { strong: `${strong}:`, rest: ` ${said.join(", ")}.${where}` };
}
