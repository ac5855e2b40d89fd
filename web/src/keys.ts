// Keys that work anywhere on the page. None of them is a single letter.
import { downloadYaml } from "./export/files";
import { runNow } from "./state/run";

export function wireGlobalKeys(): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    if (event.code === "Enter") runNow(true);
    else if (event.code === "KeyS") downloadYaml();
    else return;
    event.preventDefault();
  };
  // Before the editor, which has its own idea of Ctrl+Enter.
  addEventListener("keydown", onKeyDown, { capture: true });
  return () => removeEventListener("keydown", onKeyDown, { capture: true });
}
