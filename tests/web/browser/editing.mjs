// Writing a scenario: problems at their place, the last good picture, mending, undo, leaving the editor.
import assert from "node:assert/strict";
import { scenario } from "./harness.mjs";

const good = scenario();
const bad = good.replace("  seed: 1", "  sedd: 1");
const badLine = bad.split("\n").findIndex((line) => line.includes("sedd")) + 1;

async function breakIt(w) {
  await w.ready();
  await w.type(good);
  await w.settled();
  await w.type(bad);
  await w.page.waitForSelector(".run-state.bad");
  await w.page.waitForSelector(".cm-lintRange-error");
}

export const cases = [
  [
    "an unknown key is marked at its exact place, and the last picture stays",
    async ({ newWindow }) => {
      const w = await newWindow();
      await breakIt(w);
      const marked = await w.page.locator(".cm-lintRange-error").allTextContents();
      assert.equal(marked.join(""), "sedd");
      const places = await w.page.locator(".error .problem-place").allTextContents();
      assert.ok(places.includes(`${badLine}:3`), places.join());
      assert.match(await w.page.textContent(".error .problem-text"), /seed/);
      assert.ok(await w.page.locator(".cm-mark.error").count());
      assert.ok(await w.page.evaluate(() => document.body.classList.contains("stale")));
      assert.ok((await w.colours()) > 6);
      assert.match(await w.page.textContent("#insight"), /1 error/);
      assert.match(await w.page.textContent("#announcer"), /1 error/);
    },
  ],
  [
    "the offered mend is one press, and it runs again",
    async ({ newWindow }) => {
      const w = await newWindow();
      await breakIt(w);
      await w.page.click(".problems li.error .button.small");
      await w.settled();
      assert.match(await w.text(), /^ {2}seed: 1$/m);
      assert.equal(await w.page.locator(".cm-lintRange-error").count(), 0);
    },
  ],
  [
    "F8 and the list bring the cursor to a problem",
    async ({ newWindow }) => {
      const w = await newWindow();
      await breakIt(w);
      await w.page.keyboard.press("F8");
      await w.page.keyboard.insertText("X");
      await w.page.waitForFunction(() =>
        document.querySelector(".editor-host").shadowRoot.textContent.includes("Xsedd"),
      );
      await w.page.keyboard.press("Control+z");
      await w.page.click(".problems li.error .problem");
      await w.page.keyboard.insertText("Y");
      await w.page.waitForFunction(() =>
        document.querySelector(".editor-host").shadowRoot.textContent.includes("Ysedd"),
      );
    },
  ],
  [
    "the suggested edit above the numbers changes the text and the result",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.type(good);
      await w.settled();
      await w.page.waitForFunction(() => /With 16 microbatches/.test(document.getElementById("insight").textContent));
      await w.page.click("#insight-apply");
      await w.page.waitForFunction(() =>
        /better|worse/.test(document.querySelector(".tile-bubble .tile-note").textContent),
      );
      await w.settled();
      assert.match(await w.text(), /microbatches: 16/);
      await w.page.waitForFunction(() => /^Done: /.test(document.getElementById("announcer").textContent));
    },
  ],
  [
    "completion offers keys and values of the schema",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.type("simulation:\n  ");
      await w.page.keyboard.type("microb");
      await w.page.waitForSelector(".cm-tooltip-autocomplete");
      const offered = await w.page.locator(".cm-completionLabel").allTextContents();
      assert.ok(offered.includes("microbatches"), offered.join());
      // A list that has only just opened does not take Enter, lest it surprise a fast typist.
      await w.page.waitForTimeout(200);
      await w.page.keyboard.press("Enter");
      assert.match(await w.text(), /microbatches: /);
    },
  ],
  [
    "a line below a key is indented, a comment comes and goes, and the text has its colours",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.type("simulation:");
      await w.page.keyboard.press("Enter");
      await w.page.keyboard.type("seed: 7 ");
      await w.page.keyboard.press("Enter");
      await w.page.keyboard.type("# why ");
      assert.equal(await w.text(), "simulation:\n  seed: 7 \n  # why ");
      const coloured = (type) => w.page.locator(`.cm-content .cm-${type}`).allTextContents();
      assert.deepEqual(await coloured("key"), ["simulation", "seed"]);
      assert.deepEqual(await coloured("number"), ["7"]);
      assert.deepEqual(await coloured("comment"), ["# why "]);
      await w.page.keyboard.press("ArrowUp");
      await w.page.keyboard.press("Control+/");
      assert.match(await w.text(), /^ {2}# seed: 7 $/m);
      assert.deepEqual(await coloured("key"), ["simulation"]);
      await w.page.keyboard.press("Control+/");
      assert.match(await w.text(), /^ {2}seed: 7 $/m);
    },
  ],
  [
    "Escape, then Tab leaves the editor",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.page.click(".editor-host .cm-content");
      const inside = () => w.page.evaluate(() => document.activeElement?.classList.contains("editor-host"));
      assert.ok(await inside());
      await w.page.keyboard.press("Tab");
      assert.ok(await inside(), "Tab alone stays");
      await w.page.keyboard.press("Control+z");
      await w.page.keyboard.press("Escape");
      await w.page.keyboard.press("Tab");
      assert.ok(!(await inside()));
    },
  ],
  [
    "the title is part of the text",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.page.fill("#title", "Four in a row");
      await w.page.keyboard.press("Enter");
      await w.settled();
      assert.match(await w.text(), /^# title: Four in a row$/m);
    },
  ],
  [
    "a draft is kept, and offered on the next visit",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.type(good);
      await w.settled();
      await w.page.waitForFunction(() => localStorage.getItem("sluice:draft"));
      await w.ready();
      assert.notEqual(await w.text(), good);
      await w.page.click(".toast .button.small:not(.square)");
      await w.page.waitForFunction(() => /4 ranks/.test(document.getElementById("title").value));
      assert.equal((await w.text()).trim(), good.trim());
    },
  ],
];
