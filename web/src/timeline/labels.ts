// What is written into a slice: one form for all slices of a size, so that a lane never mixes "B8" and "10".
// The text is dropped where it does not fit; it is never shrunk or cut.

/** The number of an operation: "3", with slices "3.1". */
export const numberOf = (microbatch: number, slice: number, slices: number): string =>
  slices > 1 ? `${microbatch}.${slice}` : `${microbatch}`;

/** The widest number of a run, as zeros. */
export const widestNumber = (microbatches: number, slices: number): string =>
  numberOf(Math.max(0, microbatches - 1), Math.max(0, slices - 1), slices).replace(/\d/g, "0");

/**
 * The label of a slice `full` pixels wide of which `visible` can be seen, or "".
 * `number` is that of the operation, "" for none; `widest` is the widest of the run; `measure` gives the width of a
 * text. Without a letter the number stands alone.
 */
export function labelFor(
  letter: string,
  number: string,
  full: number,
  visible: number,
  widest: string,
  measure: (text: string) => number,
): string {
  if (!number) return "";
  const forms: [string, string][] = [[number, widest]];
  if (letter) forms.unshift([`${letter}${number}`, `B${widest}`]);
  const form = forms.find(([, model]) => measure(model) + 4 <= full);
  return form && measure(form[0]) + 3 <= visible ? form[0] : "";
}
