// Playing a run: by itself, step by step, by hand, and in words.
import assert from "node:assert/strict";
import { scenario } from "./harness.mjs";

async function playing(w) {
  await w.ready();
  await w.type(scenario({ ranks: 2, microbatches: 2 }));
  await w.settled();
  await w.page.focus("#tl-canvas");
  await w.page.keyboard.press("Space");
  await w.page.waitForSelector("#play-bar");
}
const at = async (w) => Number.parseFloat(await w.page.textContent("#play-bar output"));
const phase = (w) => w.page.textContent("#play-phase");

export const cases = [
  [
    "a run is played, paused and moved by hand, and told in words",
    async ({ newWindow }) => {
      const w = await newWindow();
      await playing(w);
      await w.page.waitForFunction(() => Number.parseFloat(document.querySelector("#play-bar output").textContent) > 1);
      await w.page.focus("#tl-canvas");
      await w.page.keyboard.press("Space");
      const stopped = await at(w);
      await w.page.waitForTimeout(300);
      assert.equal(await at(w), stopped);
      // By hand: forwards take 10 ms, so B0 on rank 1 starts at 20 ms, and the last forward ends at 50 of 90 ms.
      assert.equal(await phase(w), "Warm-up: the pipeline fills.");
      assert.match(await w.page.textContent("#play-detail"), /^1 of 2 devices works.*Stage 1 waits for the activation of microbatch 0 over link 0→1\.$/);
      const go = (share) =>
        w.page.locator("#play-time").evaluate((node, value) => {
          node.value = value;
          node.dispatchEvent(new Event("input", { bubbles: true }));
        }, share * 1000);
      await go(0.5);
      assert.match(await phase(w), /^Steady/);
      await go(0.7);
      assert.match(await phase(w), /^Drain/);
      assert.match(await w.page.textContent("#play-detail"), /^1 of 2 devices works/);
      await go(1);
      assert.equal(await phase(w), "The run is over.");
      await w.page.click("#play-toggle");
      assert.ok((await at(w)) < 20, "it begins again");
      await w.page.click("#tool-play");
      await w.page.waitForSelector("#play-bar", { state: "detached" });
      assert.equal(await w.page.locator(".play-veil, .play-line, .play-glow").count(), 0);
    },
  ],
  [
    "steps go from start to start, and where motion is unwelcome there is nothing else",
    async ({ newWindow }) => {
      const w = await newWindow({ reducedMotion: "reduce" });
      await playing(w);
      assert.equal(await w.page.locator("#play-toggle").count(), 0);
      await w.page.waitForTimeout(300);
      assert.equal(await at(w), 0);
      await w.page.click("#play-bar >> text=Step");
      // Both F1 on rank 0 and, a transfer later, F0 on rank 1.
      assert.ok(Math.abs((await at(w)) - 10) < 0.2);
      await w.page.focus("#tl-canvas");
      await w.page.keyboard.press("Space");
      const second = await at(w);
      assert.ok(second > 10 && second < 10.3, `${second}`);
      await w.page.click("#play-bar >> text=Back");
      await w.page.click("#play-bar >> text=Back");
      assert.equal(await at(w), 0);
    },
  ],
  [
    "a part that is looked at closely follows what is played",
    async ({ newWindow }) => {
      const w = await newWindow();
      await playing(w);
      await w.page.click("#play-toggle >> text=Pause");
      await w.page.focus("#tl-canvas");
      for (let i = 0; i < 5; i++) await w.page.keyboard.press("w");
      const range = await w.page.textContent("#tl-range");
      await w.page.locator("#play-time").evaluate((node) => {
        node.value = 950;
        node.dispatchEvent(new Event("input", { bubbles: true }));
      });
      assert.notEqual(await w.page.textContent("#tl-range"), range);
      const [line, box] = await Promise.all([
        w.page.locator(".play-line").boundingBox(),
        w.page.locator("#tl-canvas").boundingBox(),
      ]);
      assert.ok(line.x >= box.x - 2 && line.x <= box.x + box.width);
    },
  ],
];
