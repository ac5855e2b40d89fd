// Tune as a reader drives it: the search as it goes, its plan taken and compared, what the command says of the same text;
// and `schedule: adaptive`, which needs the same module.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, scenario } from "./harness.mjs";

const command = process.env.SLUICE_COMMAND ?? join(root, "build/native/sluice");
const gemma = readFileSync(join(root, "tests/data/octopipe/gemma2_9b_d4_m16.yaml"), "utf8");
/** The search takes longer than most things. */
const PATIENCE = 60_000;

async function opened(newWindow, text) {
  const w = await newWindow();
  w.page.setDefaultTimeout(PATIENCE);
  await w.ready();
  await w.type(text);
  await w.settled();
  await w.page.click("#tab-tune");
  return w;
}
/** How often the search was fetched, by whatever part of the page. */
const countFetches = (w) => {
  let fetches = 0;
  w.page.context().on("request", (request) => {
    if (/sluice_search/.test(request.url())) fetches++;
  });
  return () => fetches;
};

export const cases = [
  [
    "tune: plans come as they are found, the best is drawn, taken in one undo step, and compared",
    async ({ newWindow, folder }) => {
      const w = await opened(newWindow, gemma);
      const before = await w.text();
      await w.page.click("#tune-start");
      await w.page.waitForSelector(".tune-figure canvas");
      await w.page.waitForSelector("#tune-take");
      assert.equal(await w.page.locator(".tune-figure .stack-entry").count(), 2);
      const said = await w.page.textContent(".tune-found .compare-say");
      assert.match(said, /^A step takes [\d.]+ m?s, [\d.]+ % less/);
      // The command's own figures for the same text and effort.
      const first = await w.page.textContent(".tune-plans tbody tr:first-child td:nth-child(2)");
      if (existsSync(command)) {
        writeFileSync(join(folder, "scenario.yaml"), gemma);
        const words = ["tune", "scenario.yaml", "--evaluations", await w.page.inputValue("#tune-effort"), "--json"];
        const { status, stdout, stderr } = spawnSync(command, words, { cwd: folder, encoding: "utf8" });
        assert.equal(status, 0, stderr);
        const { best } = JSON.parse(stdout);
        const shown = /s$/.test(first) && !/ms$/.test(first) ? Number.parseFloat(first) * 1000 : Number.parseFloat(first);
        assert.ok(Math.abs(shown / best.makespan_ms - 1) < 1e-3, `${first}, the command ${best.makespan_ms} ms`);
      }
      await w.page.click("#tune-take");
      await w.settled();
      assert.match(await w.text(), /^# title: Gemma-2 9B on 4 devices, 16 microbatches, tuned/);
      await w.page.waitForSelector("#pair-say strong");
      assert.match(await w.page.textContent("#pair-say"), /^B is .* faster than A/);
      await w.page.click(".toast >> text=Undo");
      await w.settled();
      assert.equal(await w.text(), before);
      return said.trim();
    },
  ],
  [
    "tune: only what is ticked may change; cancel keeps the best so far",
    async ({ newWindow }) => {
      const w = await opened(newWindow, gemma);
      for (const axis of ["partition", "placement", "schedule"]) await w.page.uncheck(`#tune-${axis}`);
      await w.page.click("#tune-start");
      assert.match(await w.page.textContent(".tune-form .sweep-problem"), /what may change/);
      await w.page.check("#tune-schedule");
      await w.page.selectOption("#tune-effort", { index: 2 });
      await w.page.click("#tune-start");
      await w.page.waitForSelector(".tune-figure canvas");
      await w.page.click("#tune-cancel");
      await w.page.waitForSelector("#tune-take");
      assert.match(await w.page.textContent(".tune-found [role=status]"), /^Cancelled after [\d,]+ plans?\./);
      await w.page.click("#tune-take");
      await w.settled();
      // Layers stay where they were.
      assert.match(await w.text(), /partition: \[|layers: /);
      assert.match(await w.text(), /order:/);
    },
  ],
  [
    "adaptive runs on the page; its search is fetched then, and not before",
    async ({ newWindow, folder }) => {
      const w = await newWindow();
      const fetches = countFetches(w);
      await w.ready();
      await w.page.click("#tab-tune");
      assert.equal(fetches(), 0);
      const text = scenario().replace(/schedule: \w+/, "schedule: adaptive");
      await w.type(text);
      await w.settled();
      assert.equal(fetches(), 1);
      if (existsSync(command)) {
        writeFileSync(join(folder, "scenario.yaml"), text);
        const { status, stdout, stderr } = spawnSync(command, ["run", "scenario.yaml", "--json"], { cwd: folder, encoding: "utf8" });
        assert.equal(status, 0, stderr);
        assert.equal(await w.traceHash(), JSON.parse(stdout).trace_hash);
      }
    },
  ],
  [
    "a search that cannot be fetched is said, and comes when it can be",
    async ({ newWindow }) => {
      const w = await newWindow();
      w.page.setDefaultTimeout(PATIENCE);
      w.expected.push(/Failed to load resource/);
      await w.page.context().route(/sluice_search/, (route) => route.abort());
      await w.ready();
      await w.page.click("#tab-tune");
      await w.page.click("#tune-start");
      await w.page.waitForSelector(".tune-found [role=status] >> text=could not be fetched");
      await w.type(scenario().replace(/schedule: \w+/, "schedule: adaptive"));
      await w.page.waitForSelector("text=is found by a search, which this page does not have");
      await w.page.context().unroute(/sluice_search/);
      await w.type(scenario({ ranks: 2 }).replace(/schedule: \w+/, "schedule: adaptive"));
      await w.settled();
      await w.page.click("#tab-tune");
      await w.page.click("#tune-start");
      await w.page.waitForSelector("#tune-take");
    },
  ],
];
