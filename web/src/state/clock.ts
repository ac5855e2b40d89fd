// Times as the page writes them: in seconds, or in forwards where the reader chose the papers' unit.
import { computed } from "@preact/signals";
import { moment, time } from "../text/format";
import * as s from "./store";

/** Picoseconds of one forward, or null: times are times. */
export const unit = computed(() => (s.unitTime.value && s.result.value?.forward) || null);

const inUnits = (ps: number, own: number, digits: number): string => `${(ps / own).toFixed(digits)} F`;

/** How long something takes: "33.6 ms", or "1.05 F". */
export const lasts = (ps: number, significant?: number): string =>
  unit.value ? inUnits(ps, unit.value, 2) : time(ps, significant);

/** When something is: "1.131 s", or "35.40 F". */
export const when = (ps: number, span: number): string => (unit.value ? inUnits(ps, unit.value, 2) : moment(ps, span));
