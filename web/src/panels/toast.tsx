// Short news at the lower edge, with the one action that answers it; and a line for what went wrong with a link.
import { useEffect } from "preact/hooks";
import * as s from "../state/store";
import { en } from "../text/en";
import { Icon } from "./icon";

const STAYS_MS = 12_000;

export function Toast() {
  const toast = s.toast.value;
  useEffect(() => {
    if (!toast) return;
    const timer = setTimeout(() => {
      if (s.toast.peek() === toast) s.toast.value = null;
    }, STAYS_MS);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <div class="toast-place" role="status">
      {toast && (
        <div class="toast">
          <span>{toast.text}</span>
          {toast.action && (
            <button
              type="button"
              class="button small"
              onClick={() => {
                const action = toast.action;
                s.toast.value = null;
                action?.run();
              }}
            >
              {toast.action.label}
            </button>
          )}
          <button
            type="button"
            class="button quiet small square"
            aria-label={en.close}
            onClick={() => (s.toast.value = null)}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
    </div>
  );
}

export function Notice() {
  if (!s.notice.value) return null;
  return (
    <div class="notice" role="alert">
      <Icon name="warning" />
      <p>{s.notice.value}</p>
      <button
        type="button"
        class="button quiet small square"
        aria-label={en.close}
        onClick={() => (s.notice.value = "")}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
