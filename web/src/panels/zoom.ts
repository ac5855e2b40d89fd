// What part of a figure's time is shown, by keys and wheel, as in the timeline.
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type { View } from "../state/store";

/** `body` holds the canvases. */
export function useZoom(span: number, body: RefObject<HTMLElement>) {
  const zoomed = useSignal<View | null>(null);
  const view = zoomed.value ?? { t0: 0, t1: span };
  const setView = (t0: number, t1: number) => {
    const wide = Math.min(Math.max(t1 - t0, 1e4), span);
    const start = Math.min(Math.max(t0, 0), span - wide);
    zoomed.value = wide >= span * 0.9999 ? null : { t0: start, t1: start + wide };
  };
  const zoom = (factor: number, at = (view.t0 + view.t1) / 2) =>
    setView(at - (at - view.t0) * factor, at + (view.t1 - at) * factor);
  const pan = (share: number) => setView(view.t0 + share * (view.t1 - view.t0), view.t1 + share * (view.t1 - view.t0));
  const fit = () => void (zoomed.value = null);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions: Record<string, () => void> = {
      KeyW: () => zoom(1 / 1.3),
      KeyS: () => zoom(1.3),
      KeyA: () => pan(event.shiftKey ? -0.5 : -0.1),
      KeyD: () => pan(event.shiftKey ? 0.5 : 0.1),
      ArrowLeft: () => pan(-0.1),
      ArrowRight: () => pan(0.1),
      Digit0: fit,
    };
    const action = actions[event.code];
    if (!action) return;
    event.preventDefault();
    action();
  };
  useEffect(() => {
    const node = body.current;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const lanes = node?.querySelector("canvas")?.getBoundingClientRect();
      if (!lanes) return;
      const at = view.t0 + ((event.clientX - lanes.left) / lanes.width) * (view.t1 - view.t0);
      zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 60) * 0.004), at);
    };
    node?.addEventListener("wheel", onWheel, { passive: false });
    return () => node?.removeEventListener("wheel", onWheel);
  });
  return { view, zoomed: zoomed.value !== null, zoom, fit, onKeyDown };
}
