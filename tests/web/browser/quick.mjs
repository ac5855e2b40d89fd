// Quick controls, formatting and blocks of the editor, against the page.
import assert from "node:assert/strict";
import { scenario } from "./harness.mjs";

const withUi = (paths, options) => `${scenario(options)}ui: [${paths}]\n`;
async function opened(w, text) {
  await w.ready();
  await w.type(text);
  await w.settled();
  await w.page.waitForSelector("#quick label");
}
const pull = (w, label, place) =>
  w.page.getByLabel(label).evaluate((node, value) => {
    node.value = value;
    node.dispatchEvent(new Event("input", { bubbles: true }));
  }, place);
const release = (w, label) =>
  w.page.getByLabel(label).evaluate((node) => node.dispatchEvent(new Event("change", { bubbles: true })));

export const cases = [
  [
    "a slider edits the text while it is pulled, in one undo step",
    async ({ newWindow }) => {
      const w = await newWindow();
      await opened(w, withUi("simulation.microbatches", { microbatches: 16 }));
      const before = await w.text();
      for (const place of [40, 44, 48]) await pull(w, "Microbatches", place);
      await release(w, "Microbatches");
      // From 1 to 256 in 64 places: 8 of them double, and 16 stood at the 32nd.
      await w.page.waitForFunction(() => document.querySelector("#quick strong").textContent === "64");
      await w.settled();
      assert.match(await w.text(), /microbatches: 64$/m);
      await w.page.click(".editor-host .cm-content");
      await w.page.keyboard.press("Control+z");
      await w.settled();
      assert.equal(await w.text(), before);
      await w.page.getByLabel("Microbatches").focus();
      await w.page.keyboard.press("ArrowRight");
      await w.page.waitForFunction(() => document.querySelector("#quick strong").textContent === "17");
    },
  ],
  [
    "names, numbers and sizes have the control that suits them",
    async ({ newWindow }) => {
      const w = await newWindow();
      await opened(w, withUi("pipeline.schedule, simulation.seed, pipeline.activation_mb, pipeline.stages"));
      assert.equal(await w.page.locator("#quick label").count(), 3);
      await w.page.locator("#quick select").selectOption("gpipe");
      await w.settled();
      assert.match(await w.text(), /^ {2}schedule: gpipe$/m);
      await w.page.getByLabel("Seed").fill("42");
      await w.page.keyboard.press("Enter");
      await w.settled();
      assert.match(await w.text(), /^ {2}seed: 42$/m);
      assert.equal(await w.page.textContent("#quick strong"), "16 MiB");
      await w.axe();
      await w.type(scenario());
      await w.page.waitForSelector("#quick", { state: "detached" });
    },
  ],
  [
    "Shift, Alt and F tidies the text, and it runs as before",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.type(`\n\n${scenario().replace("  seed: 1", "  seed: 1   \n\n\n")}\n\n`);
      await w.settled();
      const hash = await w.traceHash();
      await w.page.click(".editor-host .cm-content");
      await w.page.keyboard.press("Shift+Alt+F");
      await w.settled();
      assert.equal((await w.text()).trimEnd(), scenario().replace("  seed: 1", "  seed: 1\n").trimEnd());
      assert.equal(await w.traceHash(), hash);
    },
  ],
  [
    "blocks are offered where they may stand, and the module takes them",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.type(scenario());
      for (const word of ["optim", "fail"]) {
        await w.page.keyboard.press("Control+End");
        await w.page.keyboard.type(word);
        await w.page.waitForSelector(".cm-tooltip-autocomplete >> text=…");
        await w.page.waitForTimeout(200);
        await w.page.keyboard.press("ArrowDown");
        await w.page.keyboard.press("Enter");
        await w.page.keyboard.press("Enter");
        await w.page.keyboard.press("Backspace");
      }
      await w.settled();
      assert.match(await w.text(), /^optimizer:\n {2}enabled: true\n.*\n {2}allreduce: \{algorithm: ring\}$/m);
      assert.match(await w.text(), /^failure:\n {2}enabled: true$/m);
      assert.equal(await w.page.locator(".problems li.error").count(), 0);
    },
  ],
];
