// Lessons: what their Markdown becomes, and what is said of their goals.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { blocks, inlines, readLessons } from "../../web/plugins/lessons";
import { conditionsOf } from "../../web/src/lesson/goal";
import { figure } from "../../web/src/state/expectations";

test("text between backticks is code, between stars strong, and nothing else is anything", () => {
  expect(inlines("a `b` **c** <d> *e*")).toEqual(["a ", { code: "b" }, " ", { strong: "c" }, " <d> *e*"]);
  expect(inlines("")).toEqual([]);
});

test("paragraphs are joined, indented lines stand as they are", () => {
  expect(blocks("one\ntwo\n\n    x = 1\n      = 2\n\nthree\n")).toEqual([
    { p: ["one two"] },
    { pre: "x = 1\n  = 2" },
    { p: ["three"] },
  ]);
});

test("a folder with three files is a lesson", () => {
  const dir = mkdtempSync(join(tmpdir(), "lessons-"));
  mkdirSync(join(dir, "01_a"));
  writeFileSync(join(dir, "01_a/start.yaml"), "start\n");
  writeFileSync(join(dir, "01_a/solution.yaml"), "solved\n");
  writeFileSync(
    join(dir, "01_a/lesson.md"),
    "# A title\nminutes: 4\nabout: Why.\n\nText.\n\n## Goal\nDo it.\n- One\n- Two\n\n## Hints\n1. First\n\n## Solution\nSo.\n",
  );
  const lessons = readLessons(dir);
  rmSync(dir, { recursive: true });
  expect(lessons).toEqual([
    {
      id: "01_a",
      title: "A title",
      minutes: 4,
      about: "Why.",
      text: [{ p: ["Text."] }],
      goal: ["Do it."],
      conditions: [["One"], ["Two"]],
      hints: [["First"]],
      solution: [{ p: ["So."] }],
      start: "start\n",
      solved: "solved\n",
    },
  ]);
});

test("the lessons at hand have all that the page shows", () => {
  const lessons = readLessons(resolve(import.meta.dirname, "../../examples/lessons"));
  expect(lessons.length).toBe(13);
  for (const lesson of lessons) {
    expect(lesson.minutes, lesson.id).toBeGreaterThan(0);
    expect(lesson.about, lesson.id).not.toBe("");
    expect(lesson.goal, lesson.id).not.toEqual([]);
    expect(lesson.hints.length, lesson.id).toBeGreaterThan(1);
    expect(lesson.start.startsWith(`# title: ${lesson.title}\n`), lesson.id).toBe(true);
    const formulas = lesson.text.flatMap((block) => ("pre" in block ? block.pre.split("\n") : []));
    expect(formulas.filter((line) => line.length > 40)).toEqual([]);
  }
});

test("a condition is found by its path and bound, however the scenario was changed beside it", () => {
  const wanted = [
    { path: "bubble.span", at_most: 0.2 },
    { path: "time_ms.compute_ms", value: 480 },
  ];
  const summary = {
    expectations: [
      { path: "time_ms.compute_ms", value: 480, found: 480, passed: true },
      { path: "bubble.span", at_most: 0.9, found: 0.3, passed: true },
    ],
  };
  expect(conditionsOf(wanted, summary)).toEqual([
    { passed: null, found: "" },
    { passed: true, found: "480.0 ms" },
  ]);
  expect(conditionsOf(wanted, {})).toEqual([
    { passed: null, found: "" },
    { passed: null, found: "" },
  ]);
});

test("figures have the unit of their name", () => {
  expect(figure("bubble.idle_over_makespan", 0.125)).toBe("12.5 %");
  expect(figure("utilization.per_device.g3", 0.5)).toBe("50.0 %");
  expect(figure("time_ms.makespan_ms", 1500)).toBe("1.500 s");
  expect(figure("memory.peak_per_device_mb.g0", 7168)).toBe("7168 MiB");
  expect(figure("fits", 0)).toBe("no");
  expect(figure("communication.messages", 176)).toBe("176");
});
