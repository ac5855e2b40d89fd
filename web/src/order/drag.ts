// Dragging an operation along its lane: a copy of it follows the pointer, a line shows where it would go, and while
// it is held what that would bring is tried. Presses on anything else are the timeline's own.
import * as s from "../state/store";
import { endOf } from "../timeline/gaps";
import { thingAt } from "../timeline/hit";
import { frame, visibleRows } from "../timeline/view";
import { kindOf } from "../worker/kinds";
import { cellName, current, move, moveSelected, previewMove, undoMove, verdict } from "./editing";
import { type Order, type Place, placeOfSlice } from "./order";

const SLACK = 4;

interface Held {
  order: Order;
  from: Place;
  /** Where it would go, among the others of its rank. */
  to: number;
  x: number;
  moving: boolean;
}

/** The slice of a device's lane under the pointer, with its row. */
function sliceAt(host: HTMLElement, { clientX, clientY }: PointerEvent) {
  const result = s.result.peek();
  if (!result) return null;
  const box = host.getBoundingClientRect();
  const y = clientY - box.top;
  const row = visibleRows.peek().find((one) => one.type === "lane" && y >= one.y && y < one.y + one.h);
  if (!row || y < frame.peek().axis) return null;
  const { t0, t1 } = s.view.peek();
  const t = t0 + ((clientX - box.left) / box.width) * (t1 - t0);
  const thing = thingAt(result.trace, row.lane, t, y < row.y + row.h / 2);
  return thing?.type === "slice" ? { index: thing.index, row } : null;
}

export function wireDrag(host: HTMLElement): () => void {
  const abort = new AbortController();
  const options = { capture: true, signal: abort.signal };
  const ghost = document.createElement("div");
  const mark = document.createElement("div");
  ghost.className = "order-ghost";
  mark.className = "order-mark";
  let held: Held | null = null;

  const release = () => {
    held = null;
    host.classList.remove("holding");
    ghost.remove();
    mark.remove();
  };

  const pixels = () => {
    const { t0, t1 } = s.view.peek();
    return (t: number) => ((t - t0) / (t1 - t0)) * host.clientWidth;
  };

  function lift(state: Held): void {
    const { trace, plan } = s.result.peek() as s.Result;
    const cell = state.order.ranks[state.from.rank][state.from.at];
    const row = visibleRows.peek().find((one) => one.type === "lane" && trace.offsets[one.lane + 1] > cell.index);
    if (!row) return;
    const x = pixels();
    host.classList.add("holding");
    ghost.className = `order-ghost swatch ${kindOf(plan.kinds[trace.kind[cell.index]]).paint}`;
    ghost.textContent = cellName(cell, state.order);
    ghost.style.setProperty("--w", `${Math.max(x(endOf(trace, cell.index)) - x(trace.start[cell.index]), 18)}px`);
    for (const node of [ghost, mark]) {
      node.style.setProperty("--y", `${row.y}px`);
      node.style.setProperty("--h", `${row.h}px`);
      host.append(node);
    }
  }

  function drag(state: Held, clientX: number): void {
    const { trace } = s.result.peek() as s.Result;
    const box = host.getBoundingClientRect();
    const x = pixels();
    const at = clientX - box.left;
    const own = state.order.ranks[state.from.rank][state.from.at].index;
    const others = state.order.ranks[state.from.rank].filter((_, i) => i !== state.from.at);
    const middle = (index: number) => x((trace.start[index] + endOf(trace, index)) / 2);
    const to = others.filter(({ index }) => middle(index) < at).length;
    ghost.style.setProperty("--x", `${x(trace.start[own]) + clientX - state.x}px`);
    const edge = to < others.length ? x(trace.start[others[to].index]) : x(endOf(trace, others[to - 1]?.index ?? own));
    mark.style.setProperty("--x", `${edge}px`);
    mark.hidden = to === state.from.at;
    if (to === state.to) return;
    state.to = to;
    void previewMove(state.from, to);
  }

  host.addEventListener(
    "pointerdown",
    (event) => {
      if (held) return event.stopImmediatePropagation();
      const order = current.peek();
      const found = event.button === 0 ? sliceAt(host, event) : null;
      const trace = s.result.peek()?.trace;
      const from = order && found && trace ? placeOfSlice(order, trace, found.index) : null;
      if (!order || !found || !from || s.stale.peek()) return;
      event.stopImmediatePropagation();
      host.setPointerCapture(event.pointerId);
      s.selection.value = { type: "slice", index: found.index };
      held = { order, from, to: from.at, x: event.clientX, moving: false };
    },
    options,
  );
  host.addEventListener(
    "pointermove",
    (event) => {
      if (!held) return;
      event.stopImmediatePropagation();
      if (!held.moving && Math.abs(event.clientX - held.x) < SLACK) return;
      if (!held.moving) lift(held);
      held.moving = true;
      drag(held, event.clientX);
    },
    options,
  );
  host.addEventListener(
    "pointerup",
    (event) => {
      if (!held) return;
      event.stopImmediatePropagation();
      const { from, to, moving } = held;
      release();
      if (moving) void move(from, to);
    },
    options,
  );
  host.addEventListener("pointercancel", release, options);
  host.addEventListener(
    "keydown",
    (event) => {
      const along = { ArrowLeft: -1, ArrowRight: 1 }[event.code] as -1 | 1 | undefined;
      if (event.code === "Escape" && held) {
        release();
        verdict.value = null;
      } else if (event.shiftKey && along) moveSelected(along);
      else if ((event.ctrlKey || event.metaKey) && event.code === "KeyZ" && !event.shiftKey) undoMove();
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    options,
  );
  return () => {
    abort.abort();
    release();
  };
}
