// The timeline by keyboard and pointer, and its twins in words.
import assert from "node:assert/strict";
import { scenario } from "./harness.mjs";

async function small(w) {
  await w.ready();
  await w.type(scenario());
  await w.settled();
}
const live = (w) => w.page.textContent("#tl-live");
const range = (w) => w.page.textContent("#tl-range");

export const cases = [
  [
    "arrow keys walk operations and gaps, and say what they are",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w);
      await w.page.focus("#tl-canvas");
      for (let i = 0; i < 80; i++) await w.page.keyboard.press("ArrowLeft");
      for (let i = 0; i < 4; i++) await w.page.keyboard.press("ArrowUp");
      for (let i = 0; i < 80; i++) await w.page.keyboard.press("ArrowLeft");
      assert.match(await live(w), /^F0 on Stage 0, /);
      await w.page.keyboard.press("ArrowRight");
      assert.match(await live(w), /^F1 on Stage 0, /);
      await w.page.keyboard.press("ArrowDown");
      assert.match(await live(w), /Stage 1/);
      const seen = [];
      for (let i = 0; i < 12; i++) {
        await w.page.keyboard.press("ArrowRight");
        seen.push(await live(w));
      }
      assert.ok(
        seen.some((text) => /^Stage 1, idle .* before /.test(text)),
        seen.join(" | "),
      );
      await w.page.keyboard.press("Enter");
      assert.equal(await w.page.evaluate(() => document.activeElement.id), "panel-inspector");
    },
  ],
  [
    "keys zoom, move and fit, and only while the timeline has the focus",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w);
      await w.page.focus("#tl-canvas");
      assert.equal(await range(w), "Whole run");
      const whole = await w.picture();
      await w.page.keyboard.press("w");
      await w.page.waitForFunction(() => document.getElementById("tl-range").textContent !== "Whole run");
      await w.page.keyboard.press("w");
      const zoomed = await range(w);
      await w.page.keyboard.press("d");
      assert.notEqual(await range(w), zoomed);
      await w.page.keyboard.press("0");
      await w.page.waitForFunction(() => document.getElementById("tl-range").textContent === "Whole run");
      await w.page.waitForTimeout(100);
      assert.equal(await w.picture(), whole);
      await w.page.keyboard.press("ArrowRight");
      await w.page.keyboard.press("f");
      assert.notEqual(await range(w), "Whole run");
      await w.page.click("#fit");
      assert.equal(await range(w), "Whole run");
      await w.page.focus("#theme");
      await w.page.keyboard.press("w");
      assert.equal(await range(w), "Whole run");
    },
  ],
  [
    "ctrl and wheel zoom about the pointer, a plain wheel does not",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w);
      const box = await w.page.locator("#tl-canvas").boundingBox();
      await w.page.mouse.move(box.x + box.width / 2, box.y + 60);
      await w.page.mouse.wheel(0, 120);
      assert.equal(await range(w), "Whole run");
      await w.page.keyboard.down("Control");
      await w.page.mouse.wheel(0, -300);
      await w.page.keyboard.up("Control");
      await w.page.waitForFunction(() => document.getElementById("tl-range").textContent !== "Whole run");
      const before = await range(w);
      await w.page.mouse.down();
      await w.page.mouse.move(box.x + box.width / 2 + 80, box.y + 60, { steps: 4 });
      await w.page.mouse.up();
      assert.notEqual(await range(w), before);
    },
  ],
  [
    "a press selects, and the inspector says what decided it",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w);
      const box = await w.page.locator("#tl-canvas").boundingBox();
      await w.page.mouse.move(box.x + 8, box.y + 24 + 26 * 3 + 13);
      await w.page.waitForSelector(".tl-tip");
      assert.match(await w.page.textContent(".tl-tip"), /Idle, warm-up/);
      await w.page.mouse.click(box.x + 8, box.y + 24 + 26 * 3 + 13);
      await w.page.waitForFunction(() =>
        /Why is stage 3 idle/.test(document.getElementById("panel-inspector").textContent),
      );
      assert.match(await w.page.textContent(".chain-what"), /carries the activation of microbatch 0/);
      await w.page.click(".chain-row");
      await w.page.waitForFunction(() =>
        /Activation of microbatch 0/.test(document.querySelector(".inspect-head").textContent),
      );
      await w.page.click(".chain-row");
      await w.page.waitForFunction(() => /F0 on stage 2/.test(document.querySelector(".inspect-head").textContent));
    },
  ],
  [
    "the chain of a gap leads to its root, by keyboard too, and an operation says its slack",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w);
      const box = await w.page.locator("#tl-canvas").boundingBox();
      await w.page.mouse.click(box.x + 8, box.y + 24 + 26 * 3 + 13);
      await w.page.waitForSelector(".chain li.root");
      // Stage 3 waits for three forwards of 10 ms and for what the links add.
      assert.match(await w.page.textContent(".inspect-main .cause-list"), /Warm-up30\.0 ms99 %/);
      const rows = await w.page.locator(".chain .chain-what").allTextContents();
      assert.equal(rows.length, 6, rows.join(" | "));
      assert.equal(rows.at(-1), "F0 runs on Stage 0");
      assert.match(await w.page.textContent(".chain li.root"), /The root: filling the pipeline10\.0 ms$/);
      await w.page.focus(".chain li.root .chain-row");
      await w.page.keyboard.press("Enter");
      const head = (pattern) =>
        w.page.waitForFunction(
          (wanted) => new RegExp(wanted).test(document.querySelector(".inspect-head").textContent),
          pattern,
        );
      await head("^F0 on stage 0");
      await w.page.waitForFunction(() => /none: on the critical path/.test(document.querySelector(".facts").textContent));
      assert.match(await w.page.textContent(".inspect-main"), /it was free to start at once/);
      // The forward after it does not decide anything at once.
      await w.page.focus("#tl-canvas");
      await w.page.keyboard.press("ArrowRight");
      await head("^F1 on stage 0");
      assert.match(await w.page.textContent(".predecessors"), /F0 runs on Stage 0 decided its start/);
    },
  ],
  [
    "the critical path adds up, leads to its operations, and can stand alone",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w);
      await w.page.waitForSelector(".path-parts .text-button");
      // 11 slots of 30 ms are computation, and all but that is links: nothing queues.
      assert.match(await w.page.textContent(".critical .cause-list"), /Compute330 ms\d+ %Links.*Queues00 %/);
      const whole = await w.picture();
      await w.page.click("text=Dim the rest");
      await w.page.waitForSelector(".critical [aria-pressed=true]");
      await w.page.waitForTimeout(300);
      assert.notEqual(await w.picture(), whole);
      await w.page.focus("#tl-canvas");
      await w.page.keyboard.press("c");
      await w.page.waitForSelector(".critical [aria-pressed=false]");
      await w.page.waitForTimeout(300);
      assert.equal(await w.picture(), whole);
      await w.page.click(".path-parts .text-button >> nth=0");
      await w.page.waitForFunction(() => /on stage/.test(document.querySelector(".inspect-head").textContent));
    },
  ],
  [
    "gaps take the colour of their cause, and the legend says which",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w);
      const plain = await w.picture();
      await w.page.selectOption("#colour-mode", "cause");
      await w.page.waitForFunction(() => /warm-up.*drain/.test(document.querySelector(".legend").textContent));
      await w.page.waitForTimeout(200);
      assert.notEqual(await w.picture(), plain);
      await w.page.selectOption("#colour-mode", "kind");
      await w.page.waitForFunction(() => !/warm-up/.test(document.querySelector(".legend").textContent));
      await w.page.waitForTimeout(200);
      assert.equal(await w.picture(), plain);
    },
  ],
  [
    "the table has what the picture has, and sorts",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w);
      await w.page.click("text=Table");
      await w.page.waitForSelector("#table tbody tr");
      const rows = await w.page.locator("#table tbody tr").count();
      assert.ok(rows >= 64, `${rows} rows`);
      const first = () => w.page.locator("#table tbody tr").first().textContent();
      assert.match(await first(), /^Stage 0F0/);
      await w.page.click("#table thead button:has-text('Duration')");
      await w.page.click("#table thead button:has-text('Duration')");
      assert.match(await first(), /B\d/);
      assert.equal(await w.page.locator("#table th[aria-sort=descending]").count(), 1);
      await w.page.keyboard.press("Escape");
      await w.page.waitForSelector("#table", { state: "detached" });
    },
  ],
  [
    "colour modes change the picture, not the result",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w);
      const pictures = new Set();
      for (const mode of ["kind", "microbatch", "paper"]) {
        await w.page.selectOption("#colour-mode", mode);
        await w.page.waitForTimeout(80);
        pictures.add(await w.picture());
      }
      assert.equal(pictures.size, 3);
    },
  ],
  [
    "splitters move by keys and are remembered",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      const width = () => w.page.locator("#pane-edit").evaluate((node) => node.clientWidth);
      const before = await width();
      await w.page.focus(".splitter.vertical");
      for (let i = 0; i < 4; i++) await w.page.keyboard.press("ArrowRight");
      const after = await width();
      assert.ok(after > before + 60);
      await w.ready();
      assert.equal(await width(), after);
      await w.page.dblclick(".splitter.vertical");
      assert.equal(await width(), before);
    },
  ],
];
