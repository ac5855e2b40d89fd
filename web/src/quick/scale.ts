// How a slider covers the values of a key: shares evenly, everything else by factors, so that a value of 16 is as far
// from 8 as from 32.
import type { Schema } from "../editor/schema";

export const STEPS = 64;
/** From the value at which the slider was made: this many times less and more. */
const REACH = 16;

export interface Scale {
  /** The value at a place from 0 to STEPS, and the place of a value. */
  at(place: number): number;
  placeOf(value: number): number;
}

const clamp = (x: number, low: number, high: number): number => Math.min(Math.max(x, low), high);
/** Three digits are enough to be pulled to. */
const rounded = (value: number): number => Number(value.toPrecision(3));

/** Null when the value gives no scale: it is 0 or less, or has no size of which one could speak (a seed). */
export function scaleOf(value: number, schema: Schema): Scale | null {
  const low = schema.minimum ?? schema.exclusiveMinimum ?? 0;
  const high = schema.maximum ?? Number.POSITIVE_INFINITY;
  if (low === 0 && high === 1) {
    return { at: (place) => rounded(place / STEPS), placeOf: (now) => clamp(now * STEPS, 0, STEPS) };
  }
  if (!(value > 0)) return null;
  const whole = schema.type === "integer";
  const floor = whole ? Math.max(low, 1) : Math.max(low, 0);
  const from = Math.max(value / REACH, floor);
  const to = Math.min(value * REACH, high);
  const span = Math.log(to / from);
  return {
    at: (place) => {
      const exact = clamp(from * Math.exp((span * place) / STEPS), from, to);
      return whole ? Math.round(exact) : rounded(exact);
    },
    placeOf: (now) => clamp(Math.round((STEPS * Math.log(Math.max(now, from) / from)) / span), 0, STEPS),
  };
}
