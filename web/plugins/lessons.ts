// Reads the lessons: a folder each, with the text (lesson.md), the scenario to start from and one that meets the goal.
// The goal is what `expect:` of the scenario says; the text has a line in words for each of its entries.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Block, Inline, Lesson } from "../src/lesson/lesson.ts";

/** `code` and **strong**; everything else is as it stands. */
export function inlines(text: string): Inline[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).flatMap((part): Inline[] => {
    if (part === "") return [];
    if (part.startsWith("`")) return [{ code: part.slice(1, -1) }];
    if (part.startsWith("**")) return [{ strong: part.slice(2, -2) }];
    return [part];
  });
}

/** Paragraphs, and what is indented by four spaces as it stands. */
export function blocks(text: string): Block[] {
  return text
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== "")
    .map((part) =>
      part.startsWith("    ")
        ? { pre: part.replace(/^ {4}/gm, "").trimEnd() }
        : { p: inlines(part.replace(/\s*\n\s*/g, " ").trim()) },
    );
}

/** Items of a list whose lines begin with a dash or a number, and what stands before it. */
function listOf(text: string): { before: string; items: Inline[][] } {
  const items = [...text.matchAll(/^(?:-|\d+\.) (.*)$/gm)].map((match) => inlines(match[1]));
  return { before: text.replace(/^(?:-|\d+\.) .*$/gm, "").trim(), items };
}

/** A lesson as its folder has it; what `expect:` means is added by a run. */
export function readLesson(folder: string, id: string): Omit<Lesson, "wanted"> {
  const read = (file: string) => readFileSync(join(folder, id, file), "utf8");
  const [head, ...rest] = read("lesson.md").split(/^## /m);
  const sections = new Map(rest.map((part) => [part.split("\n", 1)[0].trim(), part.slice(part.indexOf("\n") + 1)]));
  const section = (name: string): string => {
    const text = sections.get(name);
    if (text === undefined) throw new Error(`lesson ${id} has no section "${name}"`);
    return text;
  };
  const heading = (name: string) => head.match(new RegExp(`^${name}: (.*)$`, "m"))?.[1].trim() ?? "";
  const goal = listOf(section("Goal"));
  return {
    id,
    title: head.match(/^# (.*)$/m)?.[1].trim() ?? id,
    minutes: Number(heading("minutes")),
    about: heading("about"),
    text: blocks(head.replace(/^(#|minutes:|about:) ?.*$/gm, "")),
    goal: inlines(goal.before),
    conditions: goal.items,
    hints: listOf(section("Hints")).items,
    solution: blocks(section("Solution")),
    start: read("start.yaml"),
    solved: read("solution.yaml"),
  };
}

export function readLessons(folder: string): Omit<Lesson, "wanted">[] {
  if (!existsSync(folder)) return [];
  const ids = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return ids.map(({ name }) => readLesson(folder, name)).sort((a, b) => (a.id < b.id ? -1 : 1));
}
