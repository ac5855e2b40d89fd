// Long runs: a cap on what runs unasked, progress, Stop, and a page that answers all the while.
import assert from "node:assert/strict";
import { inTime, scenario } from "./harness.mjs";
import { watchResults } from "./measure.mjs";

/** About three million events. */
const huge = scenario({ ranks: 8, microbatches: 100_000 });

async function startHuge(w) {
  await w.ready();
  await w.type(huge);
  await w.page.waitForFunction(() => /About .* events/.test(document.getElementById("insight").textContent));
}

export const cases = [
  [
    "Run, pressed just as the look ahead of the run before it begins, is played to its end",
    async ({ newWindow }) => {
      const w = await newWindow();
      await watchResults(w.page);
      await w.ready();
      // Long enough that the worker listens while it plays, small enough that a look ahead follows.
      await w.type(scenario({ ranks: 8, microbatches: 1500 }));
      await w.settled();
      for (let i = 0; i < 5; i++) {
        await w.page.evaluate(async () => {
          const before = window.results;
          document.getElementById("run").click();
          while (window.results === before) await new Promise((later) => setTimeout(later, 1));
          // The look ahead waits for the same frame, and is sent a moment after it.
          await new Promise(requestAnimationFrame);
          document.getElementById("run").click();
        });
        await w.settled();
      }
    },
  ],
  [
    "a run that comes to no end is a problem of the scenario, with its cycle, and the last picture stays",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.type(scenario({ ranks: 2, microbatches: 4 }));
      await w.settled();
      // Under 1F1B both ranks send, one a gradient and one an activation, and neither receives.
      await w.type(scenario({ ranks: 2, microbatches: 4 }).replace("seed: 1", "seed: 1\n  communication: rendezvous"));
      await w.page.waitForSelector(".run-state.bad");
      await w.page.waitForFunction(() => /does not receive it/.test(document.querySelector(".problems")?.textContent ?? ""));
      assert.match(await w.page.textContent("#insight"), /1 error/);
      assert.ok((await w.colours()) > 6);
      await w.type(scenario({ ranks: 2, microbatches: 4, schedule: "gpipe" }));
      await w.settled();
    },
  ],
  [
    "a huge scenario waits to be asked",
    async ({ newWindow }) => {
      const w = await newWindow();
      await startHuge(w);
      assert.equal(await w.page.textContent("#insight-apply"), "Run anyway");
      assert.ok((await w.colours()) > 6);
      return (await w.page.textContent("#insight strong")).trim();
    },
  ],
  [
    "a running scenario can be stopped, and the page answers meanwhile",
    async ({ newWindow }) => {
      const w = await newWindow();
      await startHuge(w);
      await w.page.click("#insight-apply");
      await w.page.waitForSelector(".run-state progress");
      const worst = await w.page.evaluate(
        () =>
          new Promise((resolve) => {
            let last = performance.now();
            let most = 0;
            const until = last + 400;
            const tick = (now) => {
              most = Math.max(most, now - last);
              last = now;
              if (now < until) requestAnimationFrame(tick);
              else resolve(most);
            };
            requestAnimationFrame(tick);
          }),
      );
      inTime(worst < 250, `a frame took ${worst} ms`);
      const before = Date.now();
      if ((await w.page.locator("#run").textContent()).includes("Stop")) {
        await w.page.click("#run");
        await w.page.waitForFunction(() => /Stopped/.test(document.querySelector(".run-state").textContent));
      }
      const took = Date.now() - before;
      inTime(took < 2000, `stopping took ${took} ms`);
      await w.type(scenario());
      await w.settled();
      return `longest frame ${worst.toFixed(0)} ms, stopped in ${took} ms`;
    },
  ],
  [
    "the newest text wins",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      for (const microbatches of [2000, 1500, 1000, 12]) await w.type(scenario({ microbatches }));
      await w.settled();
      assert.match(await w.page.inputValue("#title"), /12 microbatches/);
      await w.page.click("#tab-log");
      assert.match(await w.page.textContent(".log"), /on 4 devices/);
    },
  ],
  [
    "a module that dies is replaced, and the text is kept",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.page.addInitScript(() => {
        // Stands in for a trap: the worker answers as it does when the module throws.
        const Real = window.Worker;
        window.Worker = class extends Real {
          postMessage(message, transfer) {
            if (message.type === "run" && message.text.includes("# trap")) {
              setTimeout(() => this.onmessage({ data: { type: "failed", id: message.id, message: "unreachable" } }));
            } else super.postMessage(message, transfer);
          }
        };
      });
      await w.ready();
      const text = `${scenario()}# trap`;
      await w.type(text);
      await w.page.waitForFunction(() =>
        /internal error.*unreachable/.test(document.getElementById("insight").textContent),
      );
      assert.equal(await w.text(), text);
      assert.ok((await w.colours()) > 6);
      await w.type(scenario({ ranks: 3 }));
      await w.settled();
      assert.equal(await w.page.locator(".tl-headers .row-lane").count(), 3);
    },
  ],
  [
    "hundreds of lanes draw only what is in sight",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.type(scenario({ ranks: 256, microbatches: 32 }));
      await w.settled();
      const rows = await w.page.locator(".tl-headers .row").count();
      assert.ok(rows > 5 && rows < 60, `${rows} rows`);
      await w.page.evaluate(() => (document.querySelector(".tl-scroll").scrollTop = 4000));
      await w.page.waitForFunction(() => /Stage 1\d\d/.test(document.querySelector(".tl-headers").textContent));
      assert.ok((await w.colours()) > 6);
    },
  ],
];
