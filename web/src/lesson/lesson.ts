// What a lesson is made of, as the build writes it and the page reads it.
export type Inline = string | { code: string } | { strong: string };
export type Block = { p: Inline[] } | { pre: string };

export interface Lesson {
  id: string;
  title: string;
  minutes: number;
  about: string;
  text: Block[];
  /** What to reach, in a sentence, and condition by condition: one for each entry of the scenarios' `expect:`. */
  goal: Inline[];
  conditions: Inline[][];
  /** Those entries, as the summary lists them ("path", "at_most" and so on). */
  wanted: Record<string, unknown>[];
  hints: Inline[][];
  solution: Block[];
  /** Scenarios: where the reader starts, and one that meets the goal. */
  start: string;
  solved: string;
}

/** An entry of the list of lessons. */
export type LessonCard = Pick<Lesson, "id" | "title" | "minutes" | "about">;
