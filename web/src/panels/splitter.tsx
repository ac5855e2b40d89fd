// The line between two panes: dragged, moved by arrow keys, sent to its ends by Home and End, reset by a double
// click. Its place is a share of the room and is remembered.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { read, write } from "../state/storage";

interface Props {
  name: "left" | "bottom";
  label: string;
  controls: string;
  min: number;
  max: number;
  initial: number;
}

const STEP = 2;

export function Splitter({ name, label, controls, min, max, initial }: Props) {
  const vertical = name === "left";
  const node = useRef<HTMLDivElement>(null);
  const clamp = (value: number) => Math.min(max, Math.max(min, value));
  const stored = Number(read(name) ?? Number.NaN);
  const [value, setValue] = useState(Number.isFinite(stored) ? clamp(stored) : initial);

  // Before the next paint: a remembered place must not show the usual one first, nor a press answer a frame late.
  useLayoutEffect(() => {
    document.getElementById("workspace")?.style.setProperty(`--${name}`, `${value}%`);
  }, [value]);

  const set = (next: number) => {
    const v = clamp(next);
    setValue(v);
    write(name, v === initial ? null : v.toFixed(1));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = vertical
      ? { ArrowRight: value + STEP, ArrowLeft: value - STEP }
      : { ArrowUp: value + STEP, ArrowDown: value - STEP };
    const to = { Home: min, End: max, ...moves }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    set(to);
  };

  const onPointerMove = (event: PointerEvent) => {
    const bar = node.current;
    if (!bar?.hasPointerCapture(event.pointerId)) return;
    const box = bar.parentElement?.getBoundingClientRect();
    if (!box) return;
    set(vertical ? (100 * (event.clientX - box.left)) / box.width : (100 * (box.bottom - event.clientY)) / box.height);
  };

  return (
    <div
      ref={node}
      class={`splitter ${vertical ? "vertical" : "horizontal"}`}
      role="separator"
      tabIndex={0}
      aria-orientation={vertical ? "vertical" : "horizontal"}
      aria-label={label}
      aria-controls={controls}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={Math.round(value)}
      onKeyDown={onKeyDown}
      onDblClick={() => set(initial)}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
    />
  );
}
