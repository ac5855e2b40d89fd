// Schedules that never drain: colours by version, their figures, and the tab that trains small models with them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inTime, root, scenario } from "./harness.mjs";

/** Training takes longer than most things. */
const PATIENCE = 60_000;
const paci = scenario({ microbatches: 8, schedule: "{name: paci, accumulation: 4}" }).replace("batches: 1", "batches: 4");

async function opened(newWindow, text) {
  const w = await newWindow();
  w.page.setDefaultTimeout(PATIENCE);
  await w.ready(`#y=${encodeURIComponent(text)}`);
  return w;
}
async function train(w, { microbatches = "64", rates = "0.02" } = {}) {
  await w.page.click("#tab-learn");
  await w.page.fill("#learn-microbatches", microbatches);
  await w.page.fill("#learn-rates", rates);
  await w.page.click("#learn-start");
  await w.page.waitForSelector("#learn-csv");
}
const rowsOf = (w) => w.page.locator(".learn-arms tbody tr").allTextContents();

export const cases = [
  [
    "versions: a colour for each, said of an operation, and by stage; nothing of it where a step drains",
    async ({ newWindow }) => {
      const w = await opened(newWindow, paci);
      const before = await w.picture();
      await w.page.selectOption("#colour-mode", "version");
      await w.page.waitForTimeout(200);
      assert.notEqual(await w.picture(), before);
      assert.match(await w.page.textContent(".tl-toolbar .legend"), /the colour is the version of the weights/);
      await w.page.focus("#tl-canvas");
      await w.page.keyboard.press("ArrowRight");
      await w.page.click("#tab-inspector");
      await w.page.waitForSelector("#panel-inspector >> text=/^version \\d+/");
      await w.page.click("#tab-figures");
      // Rank 0 of four has three microbatches under way, and an update after every four: (p - 1 - r) / K.
      assert.match(await w.page.textContent("#staleness"), /newer weights than their forward did, by 1 update/);
      const stages = await w.page.locator(".staleness tbody tr").allTextContents();
      assert.equal(stages.length, 4);
      assert.equal(await w.page.locator(".staleness tbody tr:last-child td").first().textContent(), "0");
      await w.axe();
      await w.type(scenario());
      await w.settled();
      assert.equal(await w.page.inputValue("#colour-mode"), "kind");
      assert.equal(await w.page.locator("#colour-mode option[value=version]").count(), 0);
      await w.page.click("#tab-figures");
      assert.equal(await w.page.locator("#staleness").count(), 0);
    },
  ],
  [
    "convergence: fetched when it is opened; curves, a table, and a sentence on who is first",
    async ({ newWindow }) => {
      const w = await newWindow();
      w.page.setDefaultTimeout(PATIENCE);
      let fetches = 0;
      w.page.context().on("request", (request) => void (/sluice_search.*\.wasm/.test(request.url()) && fetches++));
      await w.ready(`#y=${encodeURIComponent(paci)}`);
      await w.page.click("#tab-learn");
      await w.page.waitForSelector("#learn-start");
      assert.equal(fetches, 0);
      await train(w);
      assert.ok(fetches > 0);
      const rows = await rowsOf(w);
      assert.deepEqual(rows.map((row) => row.match(/^[\w]+?(?=\d\.\d{3} ±)/)?.[0]), ["paci", "1f1b", "pipedream_2bw"]);
      assert.match(await w.page.textContent(".learn-found [role=status]"), /is the first at a test loss of [\d.]+/);
      assert.match(await w.page.textContent(".learn-found [role=status]"), /A toy/);
      const line = () => w.page.getAttribute(".learn-curves .chart .arm-1 .arm-line", "d");
      const byTime = await line();
      await w.page.selectOption("#learn-along", "samples");
      assert.notEqual(await line(), byTime);
      await w.page.click(".learn-found .twin summary");
      assert.equal(await w.page.locator("#learn-points thead th").count(), 4);
      const [download] = await Promise.all([w.page.waitForEvent("download"), w.page.click("#learn-csv")]);
      const csv = readFileSync(await download.path(), "utf8").trim().split("\n");
      assert.equal(csv[0], "schedule,rate,seed,samples,ms,train_loss,test_loss");
      // Three schedules, three seeds, sixteen points.
      assert.equal(csv.length, 1 + 3 * 3 * 16);
      await w.axe();
      await w.noSideways();
      await w.type(scenario());
      await w.settled();
      await w.page.waitForSelector("text=The scenario has changed since.");
    },
  ],
  [
    "convergence: what cannot run is said, what diverges is marked, a wrong form is not sent",
    async ({ newWindow }) => {
      const w = await opened(newWindow, readFileSync(join(root, "examples/paci.yaml"), "utf8"));
      await w.page.click("#tab-learn");
      await w.page.fill("#learn-rates", "fast");
      await w.page.click("#learn-start");
      assert.match(await w.page.textContent(".learn-form [role=alert]"), /A rate is a number/);
      await w.page.fill("#learn-more", "nonsense");
      await w.page.fill("#learn-seeds", "2");
      await train(w, { rates: "5" });
      const rows = await rowsOf(w);
      assert.match(rows.find((row) => row.startsWith("nonsense")), /unknown schedule/);
      assert.match(rows.find((row) => row.startsWith("paci")), /2 of 2 diverged/);
      assert.match(await w.page.textContent(".learn-found [role=status]"), /Every schedule diverged/);
      await w.axe();
    },
  ],
  [
    "convergence: cancel keeps what is there, at once",
    async ({ newWindow }) => {
      const w = await newWindow({ viewport: { width: 375, height: 812 } });
      await w.open(`#y=${encodeURIComponent(paci)}`);
      await w.page.click("#tab-learn");
      await w.page.fill("#learn-microbatches", "100000");
      await w.page.click("#learn-start");
      await w.page.waitForSelector(".learn-form #learn-cancel");
      await w.page.waitForSelector(".learn-arms tbody tr");
      const took = await w.page.evaluate(async () => {
        const before = performance.now();
        document.getElementById("learn-cancel").click();
        while (!document.getElementById("learn-start")) await new Promise(requestAnimationFrame);
        return performance.now() - before;
      });
      inTime(took < 200, `cancelled after ${took.toFixed(0)} ms`);
      assert.match(await w.page.textContent(".learn-found [role=status]"), /^Cancelled/);
      assert.ok((await rowsOf(w)).length > 0);
      await w.noSideways();
    },
  ],
];
