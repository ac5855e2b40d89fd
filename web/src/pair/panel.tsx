// Compare A/B: why B is faster or slower than A, in a sentence and in a table; figures, timelines and texts of both.
import { useMemo } from "preact/hooks";
import * as s from "../state/store";
import { en } from "../text/en";
import { pairText } from "../text/pair";
import { Numbers } from "./numbers";
import { type Pinned, pinned, pinShown, swap, unpin } from "./pinned";
import { sentenceOf } from "./say";
import { splitOf } from "./split";
import { TextDiff } from "./text_diff";
import { Timelines } from "./timelines";
import { Why } from "./why";
import "../styles/pair.css";

/** What is said of A and B: the difference, or why there is none to be said. */
function useSplit(a: s.Result | null, b: s.Result) {
  const split = useMemo(() => (a ? splitOf(a.summary, b.summary) : null), [a, b]);
  const rankName = (rank: number) => {
    const { stages } = b.plan.ranks[rank];
    return stages.length === 1 ? en.stage(stages[0]) : en.rank(rank);
  };
  return { split, rankName };
}

/** What was pressed goes away: the focus stays in the panel. */
const andStay = (action: () => void) => () => {
  action();
  document.getElementById("panel-pair")?.focus();
};

function Tools() {
  return (
    <div class="compare-tools">
      <button type="button" class="button small" onClick={swap}>
        {pairText.swap}
      </button>
      <button type="button" class="button small" onClick={pinShown}>
        {pairText.pinAgain}
      </button>
      <button type="button" class="button small" onClick={andStay(unpin)}>
        {pairText.unpin}
      </button>
    </div>
  );
}

function Both({ a: pin, b }: { a: Pinned; b: s.Result }) {
  const a = pin.result;
  const { split, rankName } = useSplit(a, b);
  const same = pin.text === b.text;
  const said = split && !same ? sentenceOf(split, rankName) : null;
  const plain = same ? pairText.same : a ? "" : pin.problem ? pairText.cannot(pin.problem) : pairText.playing;
  return (
    <div class="pair">
      <header class="compare-head">
        <p class="compare-say" id="pair-say">
          {said ? (
            <>
              <strong>{said.strong}</strong>
              {said.rest}
            </>
          ) : (
            plain
          )}
        </p>
        <Tools />
      </header>
      {a && !same && (
        <>
          <div class="pair-tables">
            {split && split.rows.length > 0 && (
              <div class="pair-causes">
                <Why split={split} rankName={rankName} />
              </div>
            )}
            <Numbers a={a} b={b} />
          </div>
          <Timelines a={a} b={b} />
        </>
      )}
      {!same && <TextDiff a={pin.text} b={b.text} />}
    </div>
  );
}

export function Pair() {
  const a = pinned.value;
  const b = s.result.value;
  if (!b) return null;
  if (a) return <Both a={a} b={b} />;
  return (
    <div class="pair">
      <p class="pair-intro">{pairText.intro}</p>
      <button type="button" class="button primary" onClick={andStay(pinShown)}>
        {pairText.pin}
      </button>
    </div>
  );
}
