// The twin of a picture, for those who read better than they see: a table, made when it is opened.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { later } from "../text/later";

export function Twin({ children }: { children(): ComponentChildren }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="twin" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{later.twin}</summary>
      {open && (
        <div class="twin-body" tabIndex={0} role="region" aria-label={later.twin}>
          {children()}
        </div>
      )}
    </details>
  );
}
