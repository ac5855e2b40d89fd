// What is written into a slice: one form for all slices of a size, so that a lane never mixes "B8" and "10".
// The text is dropped where it does not fit; it is never shrunk or cut.
import { NONE } from "../worker/protocol";

/**
 * The label of a slice `full` pixels wide of which `visible` can be seen, or "".
 * `widest` is the number of digits of the highest microbatch; `measure` gives the width of a text.
 */
export function labelFor(
  letter: string,
  microbatch: number,
  full: number,
  visible: number,
  widest: number,
  measure: (text: string) => number,
): string {
  if (microbatch === NONE) return "";
  const digits = "0".repeat(widest);
  const forms: [string, string][] = [[`${microbatch}`, digits]];
  if (letter) forms.unshift([`${letter}${microbatch}`, `${letter.length > 1 ? letter : "B"}${digits}`]);
  const form = forms.find(([, model]) => measure(model) + 4 <= full);
  return form && measure(form[0]) + 3 <= visible ? form[0] : "";
}
