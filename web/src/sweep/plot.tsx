// The frame of a small chart: marks and their lines, and room for what is drawn between them.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Ticks } from "./scale";

const HEIGHT = 220;
const TOP = 20;
const BOTTOM = 36;
const LEFT = 52;
const RIGHT = 16;
/** About so many pixels a letter of a mark. */
const LETTER = 6.5;

export interface Space {
  /** Pixels of a share of the width, and of a value. */
  x(share: number): number;
  y(value: number): number;
  bottom: number;
  top: number;
}

interface Props {
  label: string;
  ticks: Ticks;
  /** What stands over the vertical axis, and under the horizontal one. */
  up: string;
  along: string;
  marks: { at: number; label: string }[];
  children(space: Space): ComponentChildren;
}

export function Plot({ label, ticks, up, along, marks, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(480);
  useEffect(() => {
    const node = box.current as HTMLElement;
    const observer = new ResizeObserver(() => setWidth(node.clientWidth));
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  const bottom = HEIGHT - BOTTOM;
  const space: Space = {
    x: (share) => LEFT + share * (width - LEFT - RIGHT),
    y: (value) => bottom - ((value - ticks.low) / (ticks.high - ticks.low)) * (bottom - TOP),
    bottom,
    top: TOP,
  };
  // A mark that would run into the last one written is left out.
  let free = Number.NEGATIVE_INFINITY;
  const shown = marks.filter(({ at, label: text }) => {
    const half = (text.length * LETTER) / 2;
    if (space.x(at) - half < free) return false;
    free = space.x(at) + half + LETTER;
    return true;
  });
  return (
    <div class="chart" ref={box}>
      <svg width={width} height={HEIGHT} role="img" aria-label={label}>
        <text class="plot-title" x={0} y={11}>
          {up}
        </text>
        {ticks.marks.map((mark) => (
          <g key={mark}>
            <line class="plot-grid" x1={LEFT} x2={width - RIGHT} y1={space.y(mark)} y2={space.y(mark)} />
            <text x={LEFT - 6} y={space.y(mark)} dy="0.35em" text-anchor="end">
              {ticks.label(mark)}
            </text>
          </g>
        ))}
        {shown.map(({ at, label: text }) => (
          <text key={at} x={space.x(at)} y={bottom + 15} text-anchor="middle">
            {text}
          </text>
        ))}
        <text class="plot-title" x={width - RIGHT} y={HEIGHT - 5} text-anchor="end">
          {along}
        </text>
        {children(space)}
      </svg>
    </div>
  );
}
