// What a chart of a sweep is given, and the button that makes one of its points the scenario.
import * as s from "../state/store";
import { words } from "../text/sweep";
import { loaded, nameOf } from "./load";
import type { Point } from "./rows";
import type { Unit } from "./scale";

export interface Shown {
  points: Point[];
  metric: number;
  unit: Unit;
  /** Of the first axis. */
  path: string;
  paths: string[];
  press(point: Point): void;
}

export function PointButton({ point, label, paths, press }: Pick<Shown, "paths" | "press"> & { point: Point; label: string }) {
  const name = nameOf(paths, point.at);
  const now = loaded.value?.name === name && loaded.value.text === s.text.value;
  return (
    <>
      <button
        type="button"
        class="text-button"
        aria-label={`${words.use(name)}${label === point.at[0] ? "" : `: ${label}`}`}
        title={point.problem || undefined}
        onClick={() => press(point)}
      >
        {label}
      </button>
      {now && <span class="tag now">{words.now}</span>}
    </>
  );
}
