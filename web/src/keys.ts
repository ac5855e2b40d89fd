// Keys that work anywhere on the page. None of them is a single letter, but for P in the timeline.
import { downloadYaml } from "./export/files";
import { runNow } from "./state/run";
import { jump } from "./state/source";
import * as s from "./state/store";

/** The editor goes from problem to problem itself. */
const inEditor = (event: Event): boolean =>
  event.composedPath().some((node) => node instanceof Element && node.id === "editor");

const isTimeline = ({ target }: Event): boolean => target instanceof Element && target.id === "tl-canvas";

export function wireGlobalKeys(): void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.code === "F8" && !inEditor(event)) {
      event.preventDefault();
      const first = s.diagnostics.peek().find((d) => d.line > 0);
      if (first) jump.value = { line: first.line, column: first.column };
      return;
    }
    if (event.code === "KeyP" && isTimeline(event) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      void import("./pair/pinned").then((pair) => pair.pinByKey());
      return;
    }
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    if (event.code === "Enter") runNow(true);
    else if (event.code === "KeyS") downloadYaml();
    else return;
    event.preventDefault();
  };
  // Before the editor, which has its own idea of Ctrl+Enter.
  addEventListener("keydown", onKeyDown, { capture: true });
}
