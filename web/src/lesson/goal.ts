// The goal of a lesson, held against the last result: the lesson's `expect:` entries and what the engine says of them.
import { expectationsIn, figure } from "../state/expectations";
import { type Json, number } from "../state/facts";

export interface Condition {
  /** null when the scenario has this expectation no more. */
  passed: boolean | null;
  found: string;
}

const BOUNDS = ["path", "value", "at_most", "at_least", "tolerance"];
const same = (a: Json, b: Json): boolean => BOUNDS.every((key) => a[key] === b[key]);

/** `wanted`: the entries of the lesson; `summary`: of the last run of whatever stands in the editor. */
export function conditionsOf(wanted: Json[], summary: Json): Condition[] {
  const now = expectationsIn(summary);
  return wanted.map((one) => {
    const entry = now.find((other) => same(one, other));
    if (!entry) return { passed: null, found: "" };
    const found = number(entry.found);
    return { passed: entry.passed === true, found: found === null ? "" : figure(String(one.path), found) };
  });
}
