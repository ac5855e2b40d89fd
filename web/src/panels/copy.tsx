// A button that puts a text into the clipboard, and says whether it worked.
import { useEffect, useState } from "preact/hooks";
import { later } from "../text/later";
import { Icon } from "./icon";

export function CopyButton({ text, label, small }: { text: string; label: string; small?: boolean }) {
  const [state, setState] = useState<"" | "done" | "failed">("");
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState("done"),
      () => setState("failed"),
    );
  useEffect(() => setState(""), [text]);
  return (
    <div class="copy">
      <button type="button" class={`button${small ? " small" : ""}`} onClick={copy} aria-label={label}>
        <Icon name={state === "done" ? "check" : "copy"} />
        {state === "done" ? later.copied : later.copy}
      </button>
      <span role="status" class={state === "failed" ? "muted" : "visually-hidden"}>
        {state === "done" ? later.copied : state === "failed" ? later.copyFailed : ""}
      </span>
    </div>
  );
}
