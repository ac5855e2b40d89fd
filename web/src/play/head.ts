// What playback draws over the lanes: a line at the moment, a veil over what is to come, and a ring around every
// operation that runs.
import { effect } from "@preact/signals";
import * as s from "../state/store";
import { endOf } from "../timeline/gaps";
import { thingAt } from "../timeline/hit";
import { openCanvas } from "../timeline/paint";
import { sliceBox } from "../timeline/rows";
import { currentPalette, frame, visibleRows } from "../timeline/view";
import { moment } from "./player";

export function wireHead(host: HTMLElement): () => void {
  const make = (tag: "div" | "canvas", name: string) => {
    const node = document.createElement(tag);
    node.className = name;
    node.setAttribute("aria-hidden", "true");
    host.append(node);
    return node;
  };
  const veil = make("div", "play-veil");
  const glow = make("canvas", "play-glow") as HTMLCanvasElement;
  const line = make("div", "play-line");
  const stop = effect(() => {
    const result = s.result.value;
    const { t0, t1 } = s.view.value;
    const t = moment.value;
    const rows = visibleRows.value;
    const { axis, shown } = frame.value;
    if (!result) return;
    const width = host.clientWidth;
    const x = (at: number) => ((at - t0) / (t1 - t0)) * width;
    for (const node of [veil, line]) {
      node.style.setProperty("--x", `${Math.min(Math.max(x(t), 0), width)}px`);
      node.style.setProperty("--axis", `${axis}px`);
    }
    const { g } = openCanvas(glow, width, shown);
    const { plain } = currentPalette();
    for (const row of rows) {
      if (row.type === "more") continue;
      const thing = thingAt(result.trace, row.lane, t);
      if (thing?.type !== "slice") continue;
      const box = sliceBox(row);
      const left = x(result.trace.start[thing.index]);
      const w = Math.max(x(endOf(result.trace, thing.index)) - left, 2);
      g.strokeStyle = plain["ink-halo"];
      g.lineWidth = 4;
      g.strokeRect(left, box.y, w, box.h);
      g.strokeStyle = plain.ink;
      g.lineWidth = 2;
      g.strokeRect(left, box.y, w, box.h);
    }
  });
  return () => {
    stop();
    for (const node of [veil, glow, line]) node.remove();
  };
}
