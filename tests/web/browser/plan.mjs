// The Plan page as a reader drives it: an answer without a click, another question by form and by text, plans side by
// side, a plan changed by hand, and what goes to and comes from the simulator.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inTime, root, scenario } from "./harness.mjs";

const command = process.env.SLUICE_COMMAND ?? join(root, "build/native/sluice");
const example = (name) => readFileSync(join(root, `examples/eth/${name}.yaml`), "utf8");
/** The search takes longer than most things. */
const PATIENCE = 60_000;

/** Until the answer is that of the text. */
const answered = (w) =>
  w.page.waitForFunction(() => document.querySelector(".plan-headline") && !document.querySelector(".plan-result.stale") && document.querySelector(".plan-state.done"));
/** Until what is shown has been played: the preview has more colours than its ground. */
const played = (w) =>
  w.page.waitForFunction(() =>
    [...document.querySelectorAll(".plan-preview canvas")].every((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size > 6;
    }),
  );

async function opened(newWindow, where = "plan.html", options = {}) {
  const w = await newWindow(options);
  w.page.setDefaultTimeout(PATIENCE);
  await w.open(where);
  await answered(w);
  return w;
}
const headline = (w) => w.page.textContent(".plan-headline p");
const secondsIn = (text) => Number(/([\d.]+) s/.exec(text)[1]);
const linkTo = (text) => `plan.html#y=${encodeURIComponent(text)}`;

const look =
  (options) =>
  async ({ newWindow }) => {
    const w = await opened(newWindow, "plan.html", options);
    await played(w);
    await w.axe();
    await w.noSideways();
    for (const term of await w.page.locator(".plan-term button").all()) {
      await term.focus();
      await w.noSideways();
    }
    await w.page.click(".plan-stage button");
    await w.page.click(".plan-twin summary");
    await w.page.check("#show-metis_like");
    await played(w);
    await w.page.click(".plan-edit >> nth=0");
    await w.page.waitForSelector("#plan-cost");
    await w.axe();
    await w.noSideways();
  };

export const cases = [
  [
    "plan: an example is planned without a click, drawn, and takes what the command says",
    async ({ newWindow, folder }) => {
      const w = await newWindow();
      w.page.setDefaultTimeout(PATIENCE);
      const before = Date.now();
      await w.open("plan.html");
      await answered(w);
      const took = Date.now() - before;
      await played(w);
      const said = await headline(w);
      assert.match(said, /^A step takes [\d.]+ s in 2 pipelines: 2\.\d\d × faster than a Metis-like plan.* above the ideal/);
      assert.equal(await w.page.locator(".plan-node").count(), 8);
      assert.equal(await w.page.locator(".plan-stage").count(), 12);
      assert.match(await w.page.textContent(".plan-stage"), /910B4.*layers.*ms.*GiB/);
      // The words of the sentence say what they mean.
      await w.page.focus(".plan-term button >> nth=0");
      assert.ok(await w.page.isVisible("#def-metis_like"));
      if (existsSync(command)) {
        writeFileSync(join(folder, "scenario.yaml"), await w.page.inputValue("#plan-text"));
        const { status, stdout, stderr } = spawnSync(command, ["plan", "scenario.yaml", "--json"], { cwd: folder, encoding: "utf8" });
        assert.equal(status, 0, stderr);
        assert.equal(secondsIn(said).toFixed(2), (JSON.parse(stdout).plans[0].iteration_ms / 1000).toFixed(2));
      }
      return `${took} ms`;
    },
  ],
  [
    "plan: stages by key, in words and as a table",
    async ({ newWindow }) => {
      const w = await opened(newWindow);
      await played(w);
      await w.page.focus(".plan-stage button >> nth=2");
      // What it holds is marked on the cluster.
      assert.equal(await w.page.locator(".plan-hold.on").count(), 1);
      await w.page.keyboard.press("Enter");
      assert.match(await w.page.textContent(".plan-detail"), /layer norm.*forward [\d.]+ ms, backward [\d.]+ ms.*GiB a device/);
      await w.page.click(".plan-twin summary");
      const rows = await w.page.locator(".plan-twin tbody tr").allTextContents();
      assert.equal(rows.length, 12);
      for (const row of rows) assert.match(row, /ms.*ms.*\d\.\d/);
    },
  ],
  [
    "plan: the form edits the text, the newest question wins, and the link holds it",
    async ({ newWindow }) => {
      const w = await opened(newWindow);
      const first = await headline(w);
      await w.page.selectOption("#plan-example", "70b_b2b4");
      await w.page.selectOption("#plan-example", "1.3b_b2b4");
      await answered(w);
      assert.notEqual(await headline(w), first);
      await w.page.fill("#plan-sequence", "4096");
      await w.page.fill("[aria-label='Nodes, Nodes 1']", "3");
      await w.page.selectOption("[aria-label='Device, Nodes 2']", "rtx-3090");
      await answered(w);
      const text = await w.page.inputValue("#plan-text");
      assert.match(text, /^# title: 1\.3B at 4,096 tokens on 3 × 2 910B2 and 2 × 2 RTX 3090$/m);
      assert.match(text, /seq_len: 4096/);
      assert.match(text, /gpu: rtx-3090, nodes: 2, devices: 2, tflops: 80, memory_GiB: 22\.35/);
      assert.equal(await w.page.locator(".plan-node").count(), 5);
      await w.page.click("#plan-add");
      await answered(w);
      assert.equal(await w.page.locator(".plan-row").count(), 3);
      await w.page.click("[aria-label='Remove Nodes 3']");
      await answered(w);
      assert.equal(await w.page.inputValue("#plan-text"), text);
      await w.page.waitForFunction(() => location.hash.startsWith("#s1:"));
      const again = await opened(newWindow, w.page.url().slice(w.address.length));
      assert.equal(await again.page.inputValue("#plan-text"), text);
      assert.equal(await headline(again), await headline(w));
    },
  ],
  [
    "plan: what is wrong is said at its line; the last answer stays and is marked as such",
    async ({ newWindow }) => {
      const w = await opened(newWindow);
      const text = await w.page.inputValue("#plan-text");
      await w.page.fill("#plan-text", text.replace("ascend-910b2", "ascend-910b5"));
      await w.page.waitForSelector(".plan-problems li");
      const line = text.split("\n").findIndex((one) => one.includes("ascend-910b2")) + 1;
      assert.match(await w.page.textContent(".plan-problems"), new RegExp(`^${line}:\\d+ .*ascend-910b5`));
      assert.match(await w.page.textContent(".plan-state"), /1 error.*previous/);
      assert.ok(await w.page.isVisible(".plan-result.stale .plan-stage"));
      await w.page.click(".plan-problems button");
      assert.equal(await w.page.evaluate(() => getSelection().toString() || document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)), "ascend-910b5");
      await w.axe();
      await w.page.fill("#plan-text", text);
      await answered(w);
      assert.equal(await w.page.locator(".plan-problems li").count(), 0);
      // A scenario of the simulator has nothing to plan.
      await w.page.fill("#plan-text", scenario());
      await w.page.waitForSelector(".plan-problems >> text=`plan` is missing");
      assert.equal(await w.page.locator("#plan-model").count(), 0);
    },
  ],
  [
    "plan: where nothing fits, what binds is said",
    async ({ newWindow }) => {
      const w = await opened(newWindow, linkTo(example("6.7b_s8192_b2b4").replace("seq_len: 8192", "seq_len: 65536")));
      assert.match(await w.page.textContent(".plan-headline"), /^Nothing fits: no pipeline .*If memory were no limit .* GiB of/);
      assert.match(await w.page.textContent(".plan-compare"), /finds nothing that fits/);
      await w.axe();
    },
  ],
  [
    "plan: cancel ends the search with the best so far",
    async ({ newWindow }) => {
      const w = await newWindow();
      w.page.setDefaultTimeout(PATIENCE);
      await w.open(linkTo(example("70b_b2b4")));
      await w.page.waitForFunction(() => /Best so far [\d.]+ s/.test(document.querySelector(".plan-state")?.textContent));
      const before = Date.now();
      await w.page.click("#plan-cancel");
      await answered(w);
      const took = Date.now() - before;
      // What was found is still played, a second or two on a machine that has time.
      inTime(took < 20_000, `${took} ms after Cancel`);
      assert.match(await headline(w), /^A step takes 1\d\.\d+ s in \d pipelines/);
      assert.match(await w.page.textContent(".plan-state"), /ended early/);
      assert.equal(await w.page.locator(".plan-node").count(), 64);
      return `${took} ms`;
    },
  ],
  [
    "plan: two plans side by side, with what differs in words",
    async ({ newWindow }) => {
      const w = await opened(newWindow);
      await w.page.check("#show-metis_like");
      await played(w);
      assert.equal(await w.page.locator(".plan-shown").count(), 2);
      const said = await w.page.textContent(".plan-differences");
      assert.match(said, /Best plan takes [\d.]+ s, Metis-like [\d.]+ s: .* less, 2\.\d+ × faster.*2 pipelines against 1.*of 12 stages, against 0 of 8/);
      const [left, right] = await w.page.locator(".plan-shown").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
      assert.ok(left < right);
      // A third takes the place of the first; the last cannot be taken away.
      await w.page.check("#show-type_split");
      assert.deepEqual(await w.page.locator(".plan-shown h2").allTextContents().then((all) => all.map((one) => one.replace(/ [\d.]+ s$/, ""))), ["Metis-like", "One type each"]);
      await w.page.uncheck("#show-metis_like");
      await w.page.click("#show-type_split");
      assert.ok(await w.page.isChecked("#show-type_split"));
    },
  ],
  [
    "plan: changed by hand, played by the engine, undone, and opened in the timeline",
    async ({ newWindow }) => {
      const w = await opened(newWindow, linkTo(example("13b_b2b4")));
      await w.page.click(".plan-edit");
      await w.page.waitForSelector("#plan-cost >> text=Nothing is changed yet");
      await played(w);
      await w.page.click("[aria-label='Move a layer from stage 1 to stage 0'] >> nth=0");
      await w.page.waitForSelector("#plan-cost >> text=/slower than the plan you began with. Stage 0 of p0 does not fit/");
      assert.match(await w.page.textContent(".plan-stage >> nth=0"), /13 layers.*GiB too much/);
      assert.match(await w.page.textContent(".plan-compare"), /Your plan/);
      await w.page.click("#plan-undo");
      await w.page.waitForSelector("#plan-cost >> text=Nothing is changed yet");
      await w.page.click("text=Give 4 samples to p1");
      await w.page.waitForSelector("#plan-cost >> text=/A step takes .* Memory fits everywhere/");
      assert.match(await w.page.textContent(".plan-pipeline >> nth=0"), /248 samples in 124 microbatches of 2/);
      await w.page.selectOption("[aria-label='Microbatch, p0']", "4");
      await w.page.waitForSelector(".plan-pipeline >> text=/248 samples in 62 microbatches of 4/");
      await w.page.waitForFunction(() => /A step takes/.test(document.querySelector("#plan-cost").textContent));
      await w.axe();
      const step = secondsIn(await w.page.textContent(".plan-shown h2"));
      await w.page.click(".plan-open");
      await w.settled();
      await w.page.waitForSelector(".editor-host .cm-content");
      assert.ok(Math.abs(Number.parseFloat(await w.page.textContent(".tile-step .tile-value")) / step - 1) < 0.01);
      await w.page.waitForSelector(".tl-headers >> text=p1");
    },
  ],
  [
    "plan: the simulator leads a scenario with a plan here",
    async ({ newWindow }) => {
      const w = await newWindow();
      w.page.setDefaultTimeout(PATIENCE);
      const text = example("350m_b2b4");
      await w.open(`#y=${encodeURIComponent(text)}`);
      await w.page.click("#insight-apply >> text=Find a plan");
      await answered(w);
      assert.equal(await w.page.inputValue("#plan-text"), text);
    },
  ],
  [
    "plan: a search that cannot be fetched is said, and comes when it can be",
    async ({ newWindow }) => {
      const w = await newWindow();
      w.page.setDefaultTimeout(PATIENCE);
      w.expected.push(/Failed to load resource/);
      await w.page.context().route(/sluice_search/, (route) => route.abort());
      await w.open("plan.html");
      await w.page.waitForSelector(".plan-state.bad >> text=could not be fetched");
      await w.axe();
      await w.page.context().unroute(/sluice_search/);
      await w.page.click("text=Try again");
      await answered(w);
    },
  ],
  ["axe: plan", look({})],
  ["axe: plan, dark", look({ colorScheme: "dark" })],
  ["axe: plan, 320 px", look({ viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true })],
  ["axe: plan, forced colours, no motion", look({ forcedColors: "active", reducedMotion: "reduce" })],
];
