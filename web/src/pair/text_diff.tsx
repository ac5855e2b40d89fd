// What differs in the texts of A and B, with a little of what is around it.
import { useMemo } from "preact/hooks";
import { pairText } from "../text/pair";
import { diffLines, type Piece } from "./diff";

const CONTEXT = 2;
/** More lines than these would slow the page; they are in the scenarios themselves. */
const MOST_LINES = 1_000;

type Line = { kind: Piece["kind"] | "cut"; text: string };

/** Equal lines far from any change are counted, not shown. */
function linesOf(pieces: Piece[]): Line[] {
  return pieces.flatMap(({ kind, lines }, i): Line[] => {
    const all = lines.map((text): Line => ({ kind, text }));
    if (kind !== "same") return all;
    const before = i === 0 ? 0 : CONTEXT;
    const after = i === pieces.length - 1 ? 0 : CONTEXT;
    const cut = lines.length - before - after;
    if (cut <= 1) return all;
    const mark: Line = { kind: "cut", text: pairText.equalLines(cut) };
    return [...all.slice(0, before), mark, ...all.slice(lines.length - after)];
  });
}

const SIGNS = { same: "", cut: "⋯", gone: "−", new: "+" };
const WORDS = { same: "", cut: "", gone: pairText.onlyA, new: pairText.onlyB };

export function TextDiff({ a, b }: { a: string; b: string }) {
  const lines = useMemo(() => linesOf(diffLines(a.split("\n"), b.split("\n"))), [a, b]);
  return (
    <section class="pair-part" aria-labelledby="pair-text">
      <header class="pair-head">
        <h4 id="pair-text">{pairText.textHead}</h4>
        <span class="muted">{a === b ? pairText.textSame : pairText.textNote}</span>
      </header>
      {a !== b && (
        <ol class="pair-diff" tabIndex={0} aria-labelledby="pair-text">
          {lines.slice(0, MOST_LINES).map(({ kind, text }, i) => (
            <li key={i} class={kind}>
              <span class="sign" aria-hidden="true">
                {SIGNS[kind]}
              </span>
              <code>
                {WORDS[kind] && <span class="visually-hidden">{WORDS[kind]} </span>}
                {text}
              </code>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
