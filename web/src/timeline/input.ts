// Pointer, wheel, touch and keys of the timeline. A plain wheel scrolls the page; keys work by their place on the
// keyboard, and only while the timeline has the focus.
import * as s from "../state/store";
import { fit, pan, setView, type TimelineView, zoom } from "./view";

const CLICK_SLACK = 4;

export interface InputHooks {
  /** Shows or hides what is said about the thing under the pointer. */
  tip(thing: s.Selection | null, x: number, y: number): void;
  details(): void;
}

export function wireTimeline(host: HTMLElement, timeline: TimelineView, hooks: InputHooks): () => void {
  const abort = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (event: HTMLElementEventMap[K]) => void,
    options: AddEventListenerOptions = {},
  ) => host.addEventListener(type, listener, { ...options, signal: abort.signal });

  on(
    "wheel",
    (event) => {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        zoom(
          Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 60) * 0.004),
          timeline.timeAt(event.clientX),
        );
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        pan((event.deltaX || event.deltaY) / host.clientWidth);
      }
    },
    { passive: false },
  );

  wirePointers(host, timeline, hooks, on);

  on("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = keyAction(event, timeline, hooks);
    if (!action) return;
    event.preventDefault();
    hooks.tip(null, 0, 0);
    action();
  });
  return () => abort.abort();
}

type On = <K extends keyof HTMLElementEventMap>(
  type: K,
  listener: (event: HTMLElementEventMap[K]) => void,
  options?: AddEventListenerOptions,
) => void;

function wirePointers(host: HTMLElement, timeline: TimelineView, hooks: InputHooks, on: On): void {
  const down = new Map<number, PointerEvent>();
  let moved = false;
  let from: { view: s.View; x: number; distance: number; middle: number } | null = null;

  const anchor = () => {
    const points = [...down.values()];
    const xs = points.map((p) => p.clientX);
    const x = xs.reduce((a, b) => a + b, 0) / xs.length;
    const distance = points.length > 1 ? Math.max(Math.abs(xs[0] - xs[1]), 10) : 0;
    from = { view: s.view.peek(), x, distance, middle: timeline.timeAt(x) };
  };

  on("pointerdown", (event) => {
    if (event.button !== 0) return;
    host.setPointerCapture(event.pointerId);
    down.set(event.pointerId, event);
    if (down.size === 1) moved = false;
    anchor();
  });
  on("pointermove", (event) => {
    const start = down.get(event.pointerId);
    if (!start || !from) {
      if (event.pointerType === "touch") return;
      const thing = timeline.thingAt(event.clientX, event.clientY);
      timeline.setHover(thing);
      hooks.tip(thing, event.clientX, event.clientY);
      return;
    }
    if (!moved && Math.abs(event.clientX - start.clientX) < CLICK_SLACK && down.size === 1) return;
    moved = true;
    hooks.tip(null, 0, 0);
    down.set(event.pointerId, event);
    const xs = [...down.values()].map((p) => p.clientX);
    const x = xs.reduce((a, b) => a + b, 0) / xs.length;
    const { t0, t1 } = from.view;
    const scale = xs.length > 1 && from.distance ? from.distance / Math.max(Math.abs(xs[0] - xs[1]), 10) : 1;
    const span = (t1 - t0) * scale;
    const box = host.getBoundingClientRect();
    const start0 = from.middle - ((x - box.left) / box.width) * span;
    setView(start0, start0 + span);
  });
  const up = (event: PointerEvent) => {
    if (!down.delete(event.pointerId)) return;
    if (down.size > 0) return anchor();
    from = null;
    if (moved || event.type === "pointercancel") return;
    const thing = timeline.thingAt(event.clientX, event.clientY);
    if (thing) s.selection.value = thing;
  };
  on("pointerup", up);
  on("pointercancel", up);
  on("pointerleave", () => {
    timeline.setHover(null);
    hooks.tip(null, 0, 0);
  });
}

function keyAction(event: KeyboardEvent, timeline: TimelineView, hooks: InputHooks): (() => void) | undefined {
  const { t0, t1 } = s.view.peek();
  const middle = (t0 + t1) / 2;
  const step = event.shiftKey ? 0.5 : 0.1;
  if (event.key === "?") return () => (s.dialog.value = "help");
  const actions: Record<string, () => void> = {
    KeyW: () => zoom(1 / 1.3, middle),
    KeyS: () => zoom(1.3, middle),
    KeyA: () => pan(-step),
    KeyD: () => pan(step),
    KeyC: () => (s.onlyPath.value = !s.onlyPath.value),
    KeyF: () => timeline.fitSelection(),
    Digit0: fit,
    Numpad0: fit,
    ArrowLeft: () => timeline.move(-1, 0),
    ArrowRight: () => timeline.move(1, 0),
    ArrowUp: () => timeline.move(0, -1),
    ArrowDown: () => timeline.move(0, 1),
    Space: () => (s.tool.value = "play"),
    Enter: hooks.details,
    NumpadEnter: hooks.details,
  };
  return actions[event.code];
}

/** Dragging the window of the minimap, or one of its grips; a press beside it brings it there. */
export function wireMinimap(canvas: HTMLCanvasElement): () => void {
  const abort = new AbortController();
  const options = { signal: abort.signal };
  let grip: { mode: "move" | "left" | "right"; x: number; view: s.View } | null = null;
  const perPixel = () => (s.result.peek()?.trace.end ?? 1) / Math.max(canvas.clientWidth, 1);
  canvas.addEventListener(
    "pointerdown",
    (event) => {
      canvas.setPointerCapture(event.pointerId);
      const view = s.view.peek();
      const t = event.offsetX * perPixel();
      const near = 6 * perPixel();
      let mode: "move" | "left" | "right" = "move";
      if (Math.abs(t - view.t0) < near) mode = "left";
      else if (Math.abs(t - view.t1) < near) mode = "right";
      else if (t < view.t0 || t > view.t1) {
        const half = (view.t1 - view.t0) / 2;
        setView(t - half, t + half);
      }
      grip = { mode, x: event.clientX, view: s.view.peek() };
    },
    options,
  );
  canvas.addEventListener(
    "pointermove",
    (event) => {
      if (!grip) return;
      const by = (event.clientX - grip.x) * perPixel();
      const { t0, t1 } = grip.view;
      if (grip.mode === "move") setView(t0 + by, t1 + by);
      else if (grip.mode === "left") setView(Math.min(t0 + by, t1 - 1e4), t1);
      else setView(t0, Math.max(t1 + by, t0 + 1e4));
    },
    options,
  );
  for (const type of ["pointerup", "pointercancel"] as const) {
    canvas.addEventListener(type, () => (grip = null), options);
  }
  return () => abort.abort();
}
