// The line above the lanes while the order is edited: the selected operation with its two buttons, how the last move
// came out, and what to do with the order.
import { useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Icon } from "../panels/icon";
import * as s from "../state/store";
import { time } from "../text/format";
import { later } from "../text/later";
import { wireDrag } from "./drag";
import {
  before,
  cellName,
  current,
  followResult,
  moves,
  moveSelected,
  rankName,
  selected,
  startEditing,
  tooLarge,
  undoMove,
  unwritable,
  verdict,
} from "./editing";
import { saveCsv } from "./save";
import "../styles/order.css";

const SIGNS = { better: "▼", worse: "▲", same: "", refused: "" };

function Selected() {
  const order = current.value;
  const place = selected.value;
  if (!order || !place) return <span class="order-what muted">{later.order.pick}</span>;
  const cells = order.ranks[place.rank];
  return (
    <span class="order-what">
      <strong>{cellName(cells[place.at], order)}</strong>{" "}
      <span class="num">{later.order.position(place.at + 1, cells.length, rankName(place.rank))}</span>
    </span>
  );
}

function hint(): string {
  if (tooLarge.value) return later.order.tooLarge;
  return unwritable.value ? later.order.unwritable : later.order.hint;
}

function Outcome() {
  const last = verdict.value;
  const start = before.value;
  const now = s.result.value?.facts.stepMs ?? null;
  const change = start === null || now === null ? 0 : now - start;
  return (
    <>
      <p class={`order-verdict ${last?.state ?? ""}`} role="status" id="order-verdict">
        {last ? (
          <>
            {last.state === "refused" && <Icon name="error" />}
            <span aria-hidden="true">{SIGNS[last.state]}</span> {last.text}
          </>
        ) : (
          <span class="muted">{hint()}</span>
        )}
      </p>
      {start !== null && now !== null && moves.value > 1 && !s.stale.value && (
        <p class="order-total num">
          {later.order.since(time(start * 1e9, 4), time(now * 1e9, 4))}
          <span class={change < 0 ? "better" : change > 0 ? "worse" : ""}>
            {Math.abs(change) > 1e-9 && ` ${later.order.by(time(Math.abs(change) * 1e9), change < 0)}`}
          </span>
        </p>
      )}
    </>
  );
}

export function OrderBar() {
  useEffect(() => {
    startEditing();
    const host = document.getElementById("tl-canvas") as HTMLElement;
    const unwire = wireDrag(host);
    host.classList.add("ordering");
    return () => {
      unwire();
      host.classList.remove("ordering");
    };
  }, []);
  useSignalEffect(() => {
    s.result.value;
    followResult();
  });
  const order = current.value;
  const place = selected.value;
  const last = order && place ? order.ranks[place.rank].length - 1 : 0;
  return (
    <section class="order-bar" id="order-bar" aria-label={later.order.label}>
      <div class="order-moves">
        <button
          type="button"
          class="button small"
          disabled={!place || place.at === 0}
          onClick={() => moveSelected(-1)}
        >
          {later.order.earlier}
        </button>
        <button
          type="button"
          class="button small"
          disabled={!place || place.at === last}
          onClick={() => moveSelected(1)}
        >
          {later.order.later}
        </button>
        <Selected />
      </div>
      <Outcome />
      <div class="order-tools">
        <button type="button" class="button small" disabled={moves.value === 0} onClick={undoMove}>
          {later.undo}
        </button>
        <button type="button" class="button small" disabled={!order} onClick={() => order && saveCsv(order)}>
          {later.order.save}
        </button>
      </div>
    </section>
  );
}
