// The look of a figure in a few letters: "paper", "kind.u", "paper.u"; the usual look is the empty text.
import type { ColourMode } from "../state/store";

export interface Look {
  colours: ColourMode;
  /** Time is counted in forwards. */
  units: boolean;
}

const COLOURS: ColourMode[] = ["kind", "microbatch", "paper"];

export function writeLook({ colours, units }: Look): string {
  if (colours === "kind" && !units) return "";
  return units ? `${colours}.u` : colours;
}

/** null for what is no look: a link may come from anywhere. */
export function readLook(text: string): Look | null {
  const [name, unit, ...rest] = text.split(".");
  const colours = COLOURS.find((one) => one === name);
  if (!colours || rest.length > 0 || (unit !== undefined && unit !== "u")) return null;
  return { colours, units: unit === "u" };
}
