// Sweeps and Monte Carlo as a reader drives them, against the command's own CSV and against closed forms.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inTime, root, scenario } from "./harness.mjs";

const command = process.env.SLUICE_COMMAND ?? join(root, "build/native/sluice");
const twoStages = readFileSync(join(root, "examples/two_stages.yaml"), "utf8");
const links = "links: [{default: true, bandwidth_GBps: 1000000}]";
/** Equal stages on links that take next to no time: (m + ranks - 1) slots of 30 ms, and nothing left to chance. */
const plain = (options) => scenario(options).replace(/interconnect: .*/, links);
/** Equal stages whose times are drawn. */
const noisy = plain().replaceAll("{type: constant, value: 10}", "{type: normal, mean: 10, std: 2}");

async function opened(newWindow, text) {
  const w = await newWindow();
  // Four workers, whatever this machine has.
  await w.page.addInitScript(() => Object.defineProperty(Navigator.prototype, "hardwareConcurrency", { get: () => 8 }));
  await w.ready();
  await w.type(text);
  await w.settled();
  await w.page.click("#tab-sweep");
  return w;
}

async function ask(w, axes, seeds = 1) {
  for (const n of [0, 1]) {
    const [path, values] = axes[n] ?? ["", ""];
    await w.page.fill(`#sweep-path-${n}`, path);
    await w.page.fill(`#sweep-values-${n}`, values);
  }
  await w.page.fill("#sweep-seeds", String(seeds));
  await w.page.click("#sweep-start");
}
const ended = (w) => w.page.waitForSelector(".compare-say [role=status] p");

async function csv(w) {
  const [download] = await Promise.all([w.page.waitForEvent("download"), w.page.click("#sweep-csv")]);
  return readFileSync(await download.path(), "utf8");
}

/** What the command writes for the same text, axes and seeds. */
function commandCsv(folder, text, axes, seeds) {
  writeFileSync(join(folder, "scenario.yaml"), text);
  const words = ["sweep", "scenario.yaml", ...axes.flatMap(([path, values]) => ["--over", `${path}=${values}`])];
  const { status, stdout, stderr } = spawnSync(command, [...words, "--seeds", String(seeds)], { cwd: folder, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout;
}
/** Fields of the rows, by the names of the columns; of rows without quotes. */
function rowsOf(text) {
  const [, names, ...lines] = text.trim().split("\n");
  return lines.map((line) => Object.fromEntries(line.split(",").map((field, i) => [names.split(",")[i], field])));
}

export const cases = [
  [
    "a sweep over two values and seeds: four workers, and the CSV is byte for byte the command's",
    async ({ newWindow, folder }) => {
      const axes = [
        ["simulation.microbatches", "4:16:4"],
        ["pipeline.schedule", "1f1b,gpipe,{name: interleaved_1f1b, chunks: 2},no_such"],
      ];
      const w = await opened(newWindow, twoStages);
      await ask(w, axes, 3);
      await ended(w);
      assert.match(await w.page.textContent(".compare-say"), /^48 runs\.\s?\d+ runs could not be made\.Best at microbatches 4, schedule/);
      const text = await csv(w);
      // The manual's example has these numbers.
      assert.ok(text.split("\n").some((line) => /^3,4,gpipe,\d+,150\.000033554,/.test(line)), text);
      assert.equal(await w.page.locator(".sweep-heat tbody td").count(), 16);
      assert.match(await w.page.textContent(".sweep-heat tbody tr:first-child"), /^4150\.0150\.0.*cannot run$/);
      if (!existsSync(command)) return "no command here: compared with the manual alone";
      assert.equal(text, commandCsv(folder, twoStages, axes, 3));
      return `${w.page.workers().length} workers`;
    },
  ],
  [
    "a point is one press away, by mouse and by keyboard, and that can be undone in one step",
    async ({ newWindow }) => {
      const w = await opened(newWindow, plain());
      const before = await w.text();
      await ask(w, [["simulation.microbatches", "2,4,8,16"]]);
      await ended(w);
      // (m + 3) slots of 30 ms, and transfers of 17 ns.
      const shown = await w.page.locator(".sweep-table tbody td").allTextContents();
      assert.deepEqual(shown.map((text) => Math.round(Number(text))), [150, 210, 330, 570]);
      const hashes = rowsOf(await csv(w)).map((row) => row.trace_hash);
      await w.page.locator(".plot-point").nth(3).click();
      await w.page.waitForSelector(".toast >> text=Loaded microbatches 16.");
      await w.settled();
      assert.match(await w.text(), /^ {2}microbatches: 16$/m);
      assert.equal(await w.page.textContent(".sweep-table .tag.now"), "loaded");
      assert.equal(await w.page.locator("text=The scenario has changed since.").count(), 0);
      assert.equal(await w.traceHash(), hashes[3]);
      await w.page.click("#tab-sweep");
      await w.page.click(".toast >> text=Undo");
      await w.settled();
      assert.equal(await w.text(), before);
      await w.page.focus("[aria-label='Load microbatches 2']");
      await w.page.keyboard.press("Enter");
      await w.settled();
      assert.equal(await w.traceHash(), hashes[0]);
      await w.page.click(".editor-host .cm-content");
      await w.page.keyboard.press("Control+z");
      await w.settled();
      assert.equal(await w.text(), before);
    },
  ],
  [
    "what is offered comes from the text, and the syntax and its errors are the command's",
    async ({ newWindow }) => {
      const w = await opened(newWindow, plain());
      assert.equal(await w.page.inputValue("#sweep-path-0"), "simulation.microbatches");
      assert.equal(await w.page.inputValue("#sweep-values-0"), "2,4,8,16,32");
      const offers = await w.page.locator("#sweep-offers option").evaluateAll((all) => all.map((one) => one.value));
      for (const path of ["pipeline.schedule", "pipeline.stages[3].weights_mb", "simulation.seed"]) assert.ok(offers.includes(path), path);
      await w.page.fill("#sweep-path-0", "pipeline.stages[3].weights_mb");
      assert.equal(await w.page.inputValue("#sweep-values-0"), "25,50,100,200,400");
      await ask(w, [["simulation.microbatches", "3:1:1"]]);
      assert.equal(
        await w.page.textContent(".sweep-problem"),
        'Takes path=a,b,c or path=lo:hi:step, not "simulation.microbatches=3:1:1"',
      );
      await ask(w, []);
      assert.match(await w.page.textContent(".sweep-problem"), /^Choose a value, or more than one seed\.$/);
      await ask(w, [["simulation.microbatches", "4"]], "1.5");
      assert.match(await w.page.textContent(".sweep-problem"), /whole number/);
      await ask(w, [["no.such", "1,2"]]);
      await ended(w);
      assert.equal(await w.page.textContent(".sweep-problem"), "");
      assert.match(await w.page.textContent(".compare-say"), /^2 runs\. 2 runs could not be made\.$/);
      assert.match(await w.page.textContent(".sweep-table tbody"), /no/);
      await ask(w, [["simulation.microbatches", "1:2000:1"]], 1000);
      await ended(w);
      assert.match(await w.page.textContent(".compare-say"), /more than 1000000 points/);
    },
  ],
  [
    "rows stream in, Cancel keeps them within 200 ms, and the next sweep runs",
    async ({ newWindow }) => {
      const w = await opened(newWindow, plain({ ranks: 8, microbatches: 64 }));
      let took = Number.POSITIVE_INFINITY;
      // A machine that is busy with other things may take its time once.
      for (let tries = 0; took >= 200 && tries < 5; tries++) {
        await ask(w, [["simulation.microbatches", "201:600:1"]]);
        await w.page.waitForFunction(() => document.querySelectorAll(".plot-point").length >= 3);
        assert.match(await w.page.textContent(".compare-say .busy"), /^\d+ of 400 runsabout \d+ s left$/);
        took = await w.page.evaluate(
          () =>
            new Promise((resolve) => {
              const since = performance.now();
              document.getElementById("sweep-cancel").click();
              const look = () =>
                /Cancelled after \d+ of 400 runs/.test(document.querySelector(".compare-say").textContent)
                  ? resolve(performance.now() - since)
                  : setTimeout(look, 5);
              look();
            }),
        );
      }
      inTime(took < 200, `${took} ms`);
      const done = Number((await w.page.textContent(".compare-say")).match(/after (\d+) of/)[1]);
      const partial = rowsOf(await csv(w));
      assert.equal(partial.length, done);
      const indices = partial.map((row) => Number(row.index));
      assert.deepEqual(indices, [...indices].sort((a, b) => a - b));
      // (m + 7) slots of 30 ms.
      for (const row of partial) {
        const slots = 30 * (Number(row["simulation.microbatches"]) + 7);
        assert.ok(Math.abs(Number(row.makespan_ms) / slots - 1) < 0.01, JSON.stringify(row));
      }
      await w.page.waitForTimeout(400);
      assert.equal(rowsOf(await csv(w)).length, done);
      await ask(w, [["simulation.microbatches", "1,2"]]);
      await w.page.waitForSelector(".compare-say >> text=2 runs.");
      return `${took.toFixed(0)} ms`;
    },
  ],
  [
    "rows that come before the first point's have the names of their columns above them",
    async ({ newWindow }) => {
      const w = await opened(newWindow, plain({ ranks: 8 }));
      // The first worker is busy with its first point for long after the others have ended theirs.
      const values = [150_000, ...Array.from({ length: 30 }, (_, i) => i + 2)];
      await ask(w, [["simulation.microbatches", values.join()]]);
      await w.page.evaluate(
        () =>
          new Promise((resolve) => {
            const look = () => {
              if (!/\b[1-9]\d* of 31 runs/.test(document.querySelector(".compare-say")?.textContent)) return setTimeout(look, 5);
              document.getElementById("sweep-cancel").click();
              resolve();
            };
            look();
          }),
      );
      await w.page.waitForSelector(".compare-say >> text=Cancelled after");
      const rows = rowsOf(await csv(w));
      const done = Number((await w.page.textContent(".compare-say")).match(/after (\d+) of/)[1]);
      assert.equal(rows.length, done);
      assert.ok(!rows.some(({ index }) => index === "0"), "the first point was to be the last");
      for (const row of rows) assert.equal(Number(row["simulation.microbatches"]), values[Number(row.index)]);
    },
  ],
  [
    "the same question is answered at once, also when only a comment has changed",
    async ({ newWindow }) => {
      const w = await opened(newWindow, plain());
      const axes = [["simulation.microbatches", "2:20:1"]];
      await ask(w, axes);
      await ended(w);
      const first = await csv(w);
      await ask(w, [["pipeline.schedule", "1f1b,gpipe"]]);
      await w.page.waitForSelector(".compare-say >> text=2 runs.");
      await w.type(`# a word\n${plain()}`);
      await w.settled();
      assert.match(await w.page.textContent(".compare-say"), /The scenario has changed since\./);
      await ask(w, axes);
      // Not a turn later.
      assert.match(await w.page.textContent(".compare-say"), /^19 runs\./);
      assert.equal(await csv(w), first);
    },
  ],
  [
    "Monte Carlo: the numbers are those of the command's runs, and the worst seed is one press away",
    async ({ newWindow, folder }) => {
      const w = await opened(newWindow, noisy);
      await ask(w, [], 101);
      await ended(w);
      const text = await csv(w);
      if (existsSync(command)) assert.equal(text, commandCsv(folder, noisy, [], 101));
      const rows = rowsOf(text);
      const times = rows.map((row) => Number(row.makespan_ms)).sort((a, b) => a - b);
      // Of 101 sorted runs the 5th, 50th and 95th percentile are runs themselves: numbers 5, 50 and 95 from 0.
      const facts = await w.page.locator(".sweep-found .facts dd").allTextContents();
      const four = (x) => x.toPrecision(4);
      assert.deepEqual(facts.slice(0, 2), [`${four(times[50])} ms`, `${four(times[5])} – ${four(times[95])} ms`]);
      assert.equal(facts[3], `${four(times[0])} – ${four(times[100])} ms`);
      const mean = times.reduce((a, b) => a + b) / 101;
      const deviation = Math.sqrt(times.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 100);
      const needed = Math.ceil(((1.959964 * deviation) / (0.001 * mean)) ** 2);
      await w.page.selectOption("#precision", "0.1");
      assert.match(await w.page.textContent(".precision"), new RegExp(`${needed.toLocaleString("en")} runs are needed`));
      await w.page.click(".sweep-found summary");
      const bins = await w.page.locator(".sweep-found details tbody td:nth-child(2)").allTextContents();
      assert.equal(bins.map(Number).reduce((a, b) => a + b), 101);
      assert.equal(await w.page.locator(".plot-bar").count(), bins.length);
      const worst = rows.find((row) => Number(row.makespan_ms) === times[100]);
      await w.page.click(`text=Load the worst seed, ${worst.seed}`);
      await w.settled();
      assert.match(await w.text(), new RegExp(`^ {2}seed: ${worst.seed}$`, "m"));
      assert.equal(await w.traceHash(), worst.trace_hash);
      await w.page.click("#tab-sweep");
      assert.match(await w.page.textContent(".compare-say"), /^101 runs\.$/);
    },
  ],
  [
    "where nothing is left to chance, many seeds say so; and a place behind an alias is not written over",
    async ({ newWindow }) => {
      const w = await opened(newWindow, plain());
      await ask(w, [], 5);
      await ended(w);
      assert.match(await w.page.textContent(".sweep-found"), /nothing in this scenario is left to chance/);
      const shared = plain()
        .replace("compute: {mode", "compute: &all {mode")
        .replace(/(d1, weights_mb: 100, compute: )\{mode.*\}\}\}$/m, "$1*all}");
      await w.type(shared);
      await w.settled();
      await ask(w, [["pipeline.stages[0].compute.distribution.value", "10,20"]]);
      await w.page.waitForSelector(".sweep-table >> text=20");
      await w.page.click("[aria-label='Load value 20']");
      await w.page.waitForSelector(".toast >> text=shared by an alias");
      assert.equal((await w.text()).trim(), shared.trim());
    },
  ],
];
