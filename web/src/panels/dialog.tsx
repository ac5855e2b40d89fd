// The frame of every dialog: the browser's own, so that the rest is inert, Escape closes and focus returns.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import * as s from "../state/store";
import { en } from "../text/en";
import { Icon } from "./icon";

interface Props {
  id: string;
  heading: string;
  note?: string;
  /** Stands between the heading and the close button. */
  aside?: ComponentChildren;
  wide?: boolean;
  children: ComponentChildren;
}

export const closeDialog = (): void => void (s.dialog.value = null);

export function Dialog({ id, heading, note, aside, wide, children }: Props) {
  const node = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    node.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={node}
      class={`dialog${wide ? " wide" : ""}`}
      id={id}
      aria-labelledby={`${id}-heading`}
      onClose={closeDialog}
      onClick={(event) => event.target === node.current && closeDialog()}
    >
      <div class="dialog-box">
        <header class="dialog-head">
          <div>
            <h2 id={`${id}-heading`}>{heading}</h2>
            {note && <p>{note}</p>}
          </div>
          {aside}
          <button type="button" class="button quiet square" aria-label={en.close} onClick={closeDialog}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
