// How much is done in one go before messages are read.
const SLICE_MS = 10;

/** Units for the next go, so that it takes about ten milliseconds. */
export const nextUnits = (units: number, took: number): number =>
  took < SLICE_MS / 2 ? units * 2 : took > SLICE_MS * 2 ? Math.max(1, Math.floor(units / 2)) : units;
