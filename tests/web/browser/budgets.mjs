// The page's budgets of time and memory, measured and printed. Times may be half as much again, and more where the
// machine is slower just now than the one they are for.
import assert from "node:assert/strict";
import { inTime, scenario } from "./harness.mjs";
import {
  answersOf,
  frames,
  heapOf,
  median,
  quantile,
  slowness,
  traced,
  watchInput,
  watchResults,
} from "./measure.mjs";

const SLACK = 1.5;
const BUDGET = { answer: 100, task: 50, draw: 10, frame: 34, growth: 0.05 };
const RUNS = 50;
/** Before the first heap is taken: compiled code and what is made once and kept is no growth. */
const WARM_UP = 25;

/** A forward and a backward on each rank, an activation and a gradient over each of 63 links. */
const million = { ranks: 64, microbatches: 4096 };
const OPERATIONS = 64 * 4096 * 2;
const PATIENCE = 120_000;

const ms = (n) => `${n.toFixed(0)} ms`;

async function openMillion(newWindow) {
  const w = await newWindow();
  w.page.setDefaultTimeout(PATIENCE);
  await watchInput(w.page);
  await w.ready(`#y=${encodeURIComponent(scenario(million))}`);
  await w.page.click("#tab-log");
  // What is fetched and worked out when the first picture stands.
  await w.page.waitForTimeout(2000);
  return w;
}

/** Keys on the timeline, every tenth of a second; gives back how many. */
async function useTimeline({ page }) {
  await page.focus("#tl-canvas");
  const keys = ["w", "w", "w", "d", "d", "a", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "f", "s", "s", "0"];
  for (const key of keys) {
    await page.keyboard.press(key);
    await page.waitForTimeout(100);
  }
  return keys.length;
}

/** The wheel and a long pull: the view moves with every frame. */
async function dragTimeline({ page }) {
  const box = await page.locator("#tl-canvas").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + 90];
  await page.mouse.move(x, y);
  await page.keyboard.down("Control");
  for (let i = 0; i < 40; i++) await page.mouse.wheel(0, i < 25 ? -60 : 60);
  await page.keyboard.up("Control");
  await page.mouse.down();
  await page.mouse.move(x - 200, y, { steps: 40 });
  await page.mouse.move(x + 200, y, { steps: 60 });
  await page.mouse.up();
}

/** A line typed at reading speed; gives back how many keys and presses that were. */
async function typeSome({ page }) {
  await page.click(".editor-host .cm-content");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("End");
  const words = " typed while it is open";
  for (const letter of words) {
    await page.keyboard.type(letter);
    await page.waitForTimeout(40);
  }
  return words.length + 3;
}

function hold(name, value, budget, slow, note) {
  const line = `${name} ${note ?? ms(value)} of ${ms(budget)}`;
  const limit = budget * SLACK * slow;
  inTime(value <= limit, `${line}; allowed ${ms(limit)} on this machine, ${slow.toFixed(1)} times slower than it is for`);
  return line;
}

export const cases = [
  [
    "with a million slices open, input is answered, frames come, and no task holds the page up",
    async ({ newWindow }) => {
      const w = await openMillion(newWindow);
      assert.match(await w.page.textContent(".log"), new RegExp(OPERATIONS.toLocaleString("en")));
      const clock = await slowness(w.page);
      const stop = await frames(w.page);
      // A stall of the machine falls on one of two tries, what the page does itself on both: the better one counts.
      const better = async (act) => {
        const tries = [await traced(w, act), await traced(w, act)];
        return tries[0].longest <= tries[1].longest ? tries[0] : tries[1];
      };
      const moving = await better(() => dragTimeline(w));
      const between = await stop();
      assert.ok(moving.draws.length >= 20, `only ${moving.draws.length} frames were drawn`);
      let done = 0;
      const using = await better(async () => {
        done += (await useTimeline(w)) + (await typeSome(w));
        await w.settled();
        await w.page.waitForTimeout(1500);
      });
      const draw = median(moving.draws);
      const longest = moving.longest > using.longest ? moving : using;
      const answers = await answersOf(w.page, done);
      return [
        hold("drawing, median", draw, BUDGET.draw, moving.slow, `${draw.toFixed(1)} ms`),
        hold("between frames, median", median(between), BUDGET.frame, clock),
        hold("answers p75", quantile(answers, 0.75), BUDGET.answer, Math.max(clock, await slowness(w.page))),
        hold("longest task", longest.longest, BUDGET.task, longest.slow, longest.parts),
      ].join(", ");
    },
  ],
  [
    "fifty runs leave nothing behind",
    async ({ newWindow }) => {
      const w = await newWindow();
      w.page.setDefaultTimeout(PATIENCE);
      await watchResults(w.page);
      await w.ready();
      const run = async (times) => {
        await w.page.evaluate(async (n) => {
          for (const end = window.results + n; window.results < end; ) {
            const before = window.results;
            document.getElementById("run").click();
            while (window.results === before) await new Promise((later) => setTimeout(later, 20));
            await new Promise(requestAnimationFrame);
          }
        }, times);
        await w.settled();
        // What is worked out beside the run when the page is idle.
        await w.page.waitForTimeout(2000);
      };
      await run(WARM_UP);
      const before = await heapOf(w);
      await run(RUNS);
      const after = await heapOf(w);
      const growth = after / before - 1;
      const note = `${(before / 1e6).toFixed(1)} MB, then ${(after / 1e6).toFixed(1)} MB: ${(100 * growth).toFixed(1)} % of ${100 * BUDGET.growth} %`;
      assert.ok(growth <= BUDGET.growth, note);
      return note;
    },
  ],
];
