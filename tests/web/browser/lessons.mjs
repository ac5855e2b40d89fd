// Lessons: one is opened, failed, helped with, solved and left for the next; progress stays; drafts are safe.
import assert from "node:assert/strict";
import { scenario } from "./harness.mjs";

const open = async (w, title) => {
  await w.page.click(".actions >> text=Learn");
  await w.page.click(`.lesson-card >> text=${title}`);
  await w.page.waitForSelector("#lesson");
  await w.settled();
};
const met = (w) => w.page.locator(".lesson-goal li[data-passed=true]").count();
const state = (w) => w.page.textContent(".lesson-state");

export const cases = [
  [
    "a lesson: start, hint, edit, goal met, next; a reload keeps the progress",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await open(w, "1F1B and memory");
      assert.equal(await w.page.textContent("#lesson-heading"), "1F1B and memory");
      assert.match(w.page.url(), /#lesson=03_1f1b$/);
      // GPipe with eight microbatches: it fits, but 3 / 11 is more than 9 %, and eight are in flight.
      await w.page.waitForFunction(() => document.querySelectorAll(".lesson-goal li[data-passed=true]").length === 1);
      assert.match(await w.page.textContent(".lesson-goal li"), /now 27\.3 %/);
      await w.page.click("#hint");
      assert.match(await w.page.textContent("#hints"), /the schedule is called 1f1b/);
      assert.equal(await w.page.textContent("#hint"), "Hint 2 of 3");
      const start = await w.text();
      await w.type(start.replace("schedule: gpipe", "schedule: 1f1b"));
      await w.settled();
      await w.page.waitForFunction(() => document.querySelectorAll(".lesson-goal li[data-passed=true]").length === 2);
      assert.doesNotMatch(await state(w), /Goal met/);
      await w.type(start.replace("schedule: gpipe", "schedule: 1f1b").replace("microbatches: 8", "microbatches: 32"));
      await w.page.waitForFunction(() => document.querySelector(".lesson-state").textContent === "Goal met.");
      await w.page.click("#next-lesson");
      await w.page.waitForFunction(() => document.querySelector("#lesson-heading").textContent === "Interleaving");
      await w.settled();
      assert.match(w.page.url(), /#lesson=04_interleaving$/);
      await w.page.reload();
      await w.settled();
      await w.page.waitForFunction(() => document.querySelector("#lesson-heading")?.textContent === "Interleaving");
      await w.page.click(".actions >> text=Learn");
      await w.page.waitForSelector(".lesson-card");
      assert.equal(await w.page.locator(".lesson-done").count(), 1);
      assert.match(await w.page.textContent(".lessons-sum"), /^1 of 13 done/);
    },
  ],
  [
    "a lesson loads in one undo step, and a draft stays",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      const draft = scenario({ microbatches: 5 });
      await w.type(draft);
      await open(w, "GPipe");
      assert.notEqual(await w.text(), draft);
      await w.page.click(".editor-host .cm-content");
      await w.page.keyboard.press("Control+z");
      await w.page.waitForFunction(
        () => /^# title: 4 ranks/.test(document.querySelector(".editor-host").shadowRoot.querySelector(".cm-line").textContent),
      );
      assert.equal((await w.text()).trimEnd(), draft.trimEnd());
      await w.page.keyboard.press("Control+y");
      await w.page.waitForTimeout(700);
      // Whoever comes back is offered what was typed, not what was merely opened.
      await w.open();
      await w.page.click(".toast >> text=Restore");
      await w.page.waitForFunction(() => document.querySelector("#title").value === "4 ranks, 5 microbatches");
    },
  ],
  [
    "the solution is shown when asked for, and meets the goal in the editor",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready("#lesson=05_zero_bubble");
      await w.page.waitForSelector("#lesson");
      await w.settled();
      assert.equal(await w.page.locator("#solution").count(), 0);
      await w.page.click("#show-solution");
      await w.page.click("#take-solution");
      await w.page.waitForFunction(() => document.querySelector(".lesson-state").textContent === "Goal met.");
      assert.equal(await met(w), 3);
      assert.match(await w.text(), /schedule: zb_h1/);
      await w.page.click("#restart");
      await w.settled();
      assert.match(await w.text(), /schedule: 1f1b/);
      await w.page.click("[aria-label='Close the lesson']");
      await w.page.waitForSelector("#lesson", { state: "detached" });
      assert.doesNotMatch(w.page.url(), /lesson/);
    },
  ],
  [
    "a goal taken out of the scenario is not met, and a lesson that is not there is said to be missing",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready("#lesson=01_idle");
      await w.page.waitForSelector("#lesson");
      await w.type((await w.text()).replace(/^expect:[^]*/m, ""));
      await w.settled();
      await w.page.waitForFunction(() => /no longer under expect/.test(document.querySelector(".lesson-goal").textContent));
      assert.equal(await met(w), 0);
      const other = await newWindow();
      other.expected.push(/404/);
      await other.ready("#lesson=99_nothing");
      await other.page.waitForSelector(".notice >> text=This lesson cannot be loaded");
    },
  ],
  [
    "what a scenario expects and does not get is a warning with its place, and figures list all of it",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      // Four ranks, eight microbatches of 30 ms: they compute 960 ms in all.
      const expect = "expect:\n  - {path: time_ms.compute_ms, value: 960}\n  - {path: bubble.span, at_most: 0.01}\n";
      await w.type(scenario() + expect);
      await w.settled();
      await w.page.waitForSelector("#problem-list li.warning");
      assert.match(await w.page.textContent("#problem-list li.warning"), /bubble\.span is .*; expected is at most 0\.01/);
      await w.page.click("#tab-figures");
      const lines = await w.page.locator("#expectations li").allTextContents();
      assert.match(lines[0], /^holds: time_ms\.compute_ms: 960\.0 ms, found 960\.0 ms$/);
      assert.match(lines[1], /^does not hold: bubble\.span: at most 1\.0 %, found \d+\.\d %$/);
    },
  ],
  [
    "on a phone a lesson is a sheet that folds",
    async ({ newWindow }) => {
      const w = await newWindow({ viewport: { width: 320, height: 640 } });
      await w.open("#lesson=02_gpipe");
      await w.page.waitForSelector("#lesson");
      await w.page.waitForFunction(() => document.querySelector(".lesson-state").textContent !== "Editing…");
      await w.noSideways();
      await w.axe();
      await w.page.click(".lesson-fold");
      assert.equal(await w.page.isVisible("#lesson-body"), false);
      await w.page.click(".lesson-fold");
      assert.equal(await w.page.isVisible("#lesson-body"), true);
    },
  ],
  ...["light", "dark"].map((colorScheme) => [
    `a lesson and the list of lessons, ${colorScheme}: no accessibility fault`,
    async ({ newWindow }) => {
      const w = await newWindow({ colorScheme });
      await w.ready("#lesson=06_slow_link");
      await w.page.waitForSelector("#lesson");
      await w.settled();
      await w.page.click("#hint");
      await w.page.click("#show-solution");
      await w.axe();
      await w.page.click(".actions >> text=Learn");
      await w.page.waitForSelector(".lesson-card");
      await w.axe();
    },
  ]),
];
