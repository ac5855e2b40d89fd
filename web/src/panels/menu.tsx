// A button that opens a list of actions: arrow keys move, Escape and a press elsewhere close.
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./icon";

export interface MenuItem {
  label: string;
  icon?: string;
  run(): void;
}

interface Props {
  label: string;
  icon: string;
  items: MenuItem[];
  className: string;
  /** With the icon alone, the label is a name for assistive technology. */
  iconOnly?: boolean;
}

export function Menu({ label, icon, items, className, iconOnly }: Props) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (!open) return;
    root.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const away = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", away);
    document.addEventListener("focusin", away);
    return () => {
      document.removeEventListener("pointerdown", away);
      document.removeEventListener("focusin", away);
    };
  }, [open]);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return;
    const all = [...(root.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape") close();
    else if (event.key === "Tab") return setOpen(false);
    else if (to === undefined) return;
    else all[(to + all.length) % all.length].focus();
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="menu-root" ref={root} onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        class={className}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={iconOnly ? label : undefined}
        onClick={() => setOpen(!open)}
      >
        <Icon name={icon} />
        {iconOnly ? null : label}
      </button>
      {open && (
        <div class="menu" role="menu" aria-label={label}>
          {items.map((item) => (
            <button
              type="button"
              role="menuitem"
              tabIndex={-1}
              key={item.label}
              onClick={() => {
                close();
                item.run();
              }}
            >
              {item.icon && <Icon name={item.icon} />}
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
