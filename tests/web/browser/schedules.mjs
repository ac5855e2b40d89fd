// Schedules on the page: compared, chosen with parameters, drawn under each other, and drawn well.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { scenario } from "./harness.mjs";

async function small(w, schedule = "1f1b") {
  await w.ready();
  await w.type(scenario({ schedule }));
  await w.settled();
}
async function compared(w) {
  await w.page.click("#tab-schedules");
  await w.page.waitForSelector(".compare:not(.busy) tbody tr:nth-child(20)");
}
const names = (w) => w.page.locator(".compare tbody th").allTextContents();
const pressed = (w, id) => w.page.getAttribute(id, "aria-pressed");

/** Middle of the first operation whose name is `name`, found by walking the keys. */
async function walkTo(w, name, most = 80) {
  for (let i = 0; i < most; i++) {
    const said = await w.page.textContent("#tl-live");
    if (new RegExp(`^${name} (on|of)\\b`).test(said)) return said;
    await w.page.keyboard.press("ArrowRight");
  }
  throw new Error(`${name} was not met`);
}

export const cases = [
  [
    "all schedules are compared, sorted by any column, and one press takes one",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w);
      await compared(w);
      const rows = await names(w);
      assert.ok(rows.length >= 25, `${rows.length} schedules`);
      assert.match(
        await w.page.textContent(".compare-say"),
        /^\w+ is fastest here: [\d.]+ ms, [\d.]+ % shorter than 1f1b\./,
      );
      assert.equal(await w.page.locator(".compare tr.now").count(), 1);
      assert.match(await w.page.textContent(".compare tr.now"), /^1f1bnow/);
      await w.page.click(".compare thead button:has-text('Bubble')");
      assert.equal(await w.page.locator(".compare th[aria-sort=ascending]").textContent(), "Bubble ▲");
      await w.page.click(".compare thead button:has-text('Bubble')");
      const bubbles = await w.page.locator(".compare tbody tr:not(.cannot) td:nth-child(4)").allTextContents();
      const sorted = bubbles.map(Number.parseFloat).sort((a, b) => b - a);
      assert.deepEqual(bubbles.map(Number.parseFloat), sorted);
      await w.page.click("[aria-label='Use zb_h1']");
      await w.page.waitForSelector(".toast");
      await w.settled();
      assert.match(await w.text(), /^ {2}schedule: zb_h1$/m);
      await w.page.waitForFunction(() =>
        /^zb_h1now/.test(document.querySelector(".compare tr.now")?.textContent ?? ""),
      );
      await w.page.click(".toast >> text=Undo");
      await w.settled();
      assert.match(await w.text(), /^ {2}schedule: 1f1b$/m);
    },
  ],
  [
    "what cannot run says why, and stays out of the ranking",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.type(scenario({ ranks: 4, microbatches: 6 }));
      await w.settled();
      await compared(w);
      const refused = await w.page.locator(".compare tr.cannot").allTextContents();
      assert.ok(
        refused.some((text) => /dualpipe.*at least 2 x ranks/.test(text)),
        refused.join(" | "),
      );
      const all = await w.page.locator(".compare tbody tr").evaluateAll((rows) => rows.map((row) => row.className));
      assert.equal(all.indexOf("cannot"), all.length - refused.length);
    },
  ],
  [
    "a comparison can be cancelled, and the newest scenario wins",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.type(scenario({ ranks: 16, microbatches: 4000 }));
      await w.settled();
      await w.page.click("#tab-schedules");
      await w.page.click(".compare-say >> text=Cancel");
      await w.page.waitForSelector(".compare-say >> text=Cancelled");
      await w.type(scenario({ ranks: 3, microbatches: 6 }));
      await w.settled();
      await w.page.waitForSelector(".compare:not(.busy) tbody tr:nth-child(20)");
      assert.match(await w.page.textContent(".compare tr.now td.num"), / ms$/);
      assert.equal(await w.page.locator(".compare-say >> text=Cancelled").count(), 0);
    },
  ],
  [
    "the picker tries a schedule with its parameters, says what is refused, and changes one line",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w);
      const before = (await w.text()).split("\n");
      await w.page.click("#choose-schedule");
      await w.page.waitForSelector(".option:nth-of-type(1)");
      assert.equal(await w.page.locator("#picker input[name=schedule]:checked").getAttribute("value"), "1f1b");
      await w.page.check("#picker input[value=interleaved_1f1b]");
      await w.page.waitForSelector(".pick-numbers .facts");
      await w.page.fill("#parameter-group", "3");
      await w.page.waitForSelector(".pick-numbers .refused");
      assert.match(await w.page.textContent(".pick-numbers"), /group must be from ranks to microbatches/);
      assert.ok((await w.page.locator(".conditions .broken").count()) >= 1);
      await w.page.fill("#parameter-group", "");
      await w.page.fill("#parameter-chunks", "4");
      await w.page.waitForSelector(".pick-numbers .facts");
      await w.page.click("text=Use it");
      await w.page.waitForSelector(".toast");
      await w.settled();
      const after = (await w.text()).split("\n");
      const changed = after.filter((line, i) => line !== before[i]);
      assert.deepEqual(changed, ["  schedule: {name: interleaved_1f1b, chunks: 4}"]);
      await compared(w);
      await w.page.waitForFunction(() =>
        /^interleaved_1f1b, chunks 4now/.test(document.querySelector(".compare tr.now")?.textContent ?? ""),
      );
      await w.page.click("#choose-schedule");
      await w.page.waitForSelector("#parameter-chunks");
      assert.equal(await w.page.inputValue("#parameter-chunks"), "4");
    },
  ],
  [
    "the picker works by keyboard alone",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w);
      await w.page.focus("#choose-schedule");
      await w.page.keyboard.press("Enter");
      await w.page.waitForFunction(() => document.activeElement?.matches("#picker input:checked"));
      await w.page.keyboard.press("ArrowDown");
      await w.page.waitForFunction(() => document.getElementById("pick-name")?.textContent === "eager_1f1b");
      await w.page.keyboard.press("Tab");
      for (let i = 0; i < 12; i++) {
        if (await w.page.evaluate(() => document.activeElement?.textContent === "Use it")) break;
        await w.page.keyboard.press("Tab");
      }
      await w.page.keyboard.press("Enter");
      await w.page.waitForSelector(".toast");
      await w.settled();
      assert.match(await w.text(), /^ {2}schedule: eager_1f1b$/m);
    },
  ],
  [
    "ticked schedules are drawn under each other on one axis, and zoom together",
    async ({ newWindow, folder }) => {
      const w = await newWindow();
      await small(w);
      await compared(w);
      assert.equal(await w.page.isDisabled("#draw-picked"), true);
      for (const name of ["gpipe", "zb_v", "dualpipe"]) await w.page.check(`[aria-label='Draw ${name}']`);
      await w.page.click("#draw-picked");
      await w.page.waitForFunction(() => document.querySelectorAll(".stack-lanes").length === 3);
      await w.page.waitForFunction(() => !document.querySelector(".stack-wait"));
      await w.page.waitForTimeout(200);
      const boxes = await w.page
        .locator(".stack-lanes")
        .evaluateAll((all) => all.map((one) => [one.getBoundingClientRect().left, one.clientWidth]));
      assert.equal(new Set(boxes.map(String)).size, 1, boxes.join(" "));
      // Right of the end of the faster ones there is nothing: the axis is that of the slowest.
      const ends = await w.page.locator(".stack-lanes").evaluateAll((all) =>
        all.map((canvas) => {
          const { width, height } = canvas;
          const { data } = canvas.getContext("2d").getImageData(0, Math.round(height / 8), width, 1);
          const ink = (x) => data[4 * x] + data[4 * x + 1] + data[4 * x + 2] < 120;
          let last = width - 1;
          while (last > 0 && !ink(last)) last--;
          return last / width;
        }),
      );
      assert.ok(ends[0] > 0.99 && ends[1] < 0.9 && ends[2] < 0.9, ends.join(" "));
      const picture = () =>
        w.page.locator(".stack-lanes").evaluateAll((all) => all.map((canvas) => canvas.toDataURL().length).join());
      const whole = await picture();
      await w.page.focus(".stack");
      await w.page.keyboard.press("w");
      await w.page.waitForTimeout(100);
      const zoomed = await picture();
      for (const [i, size] of zoomed.split(",").entries()) assert.notEqual(size, whole.split(",")[i]);
      await w.page.keyboard.press("0");
      await w.page.waitForTimeout(100);
      assert.equal(await picture(), whole);
      const [download] = await Promise.all([
        w.page.waitForEvent("download"),
        w.page.click(".stack-tools >> text=Picture"),
      ]);
      assert.match(download.suggestedFilename(), /\.schedules\.png$/);
      await download.saveAs(join(folder, "stack.png"));
      const png = readFileSync(join(folder, "stack.png"));
      assert.equal(png.subarray(1, 4).toString(), "PNG");
      // Twice the width of the dialog's body, in the picture's own header.
      assert.ok(png.readUInt32BE(16) > 2 * boxes[0][1]);
      await w.page.click("[aria-label='Take zb_v away']");
      await w.page.waitForFunction(() => document.querySelectorAll(".stack-lanes").length === 2);
    },
  ],
  [
    "what cannot be drawn says so in its place",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w);
      await compared(w);
      for (const name of ["gpipe", "dualpipe"]) await w.page.check(`[aria-label='Draw ${name}']`);
      await w.type(scenario({ ranks: 4, microbatches: 6 }));
      await w.settled();
      await w.page.waitForFunction(() => /at least 2 x/.test(document.querySelector(".compare")?.textContent ?? ""));
      await w.page.click("#draw-picked");
      await w.page.waitForFunction(() =>
        /cannot run on this scenario/.test(document.querySelector(".stack")?.textContent),
      );
      assert.equal(await w.page.locator(".stack-lanes").count(), 1);
      await w.axe();
    },
  ],
  [
    "an overlapped cell is two operations: each half is hit, named and explained",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w, "dualpipe");
      const box = await w.page.locator("#tl-canvas").boundingBox();
      await w.page.focus("#tl-canvas");
      for (let i = 0; i < 80; i++) await w.page.keyboard.press("ArrowLeft");
      for (let i = 0; i < 4; i++) await w.page.keyboard.press("ArrowUp");
      for (let i = 0; i < 80; i++) await w.page.keyboard.press("ArrowLeft");
      const said = await walkTo(w, "F3");
      const [, duration, from] = said.match(/, ([\d.]+) ms, from ([\d.]+) ms/).map(Number);
      const end = 260;
      const half = async (y) => {
        await w.page.mouse.click(box.x + (box.width * (from + duration / 2)) / end, box.y + 24 + y);
        await w.page.waitForTimeout(60);
        return w.page.textContent("#panel-inspector");
      };
      await w.page.click("#tab-inspector");
      const upper = await half(10);
      const lower = await half(28);
      assert.match(upper, /^F3 on rank 0.*forward, overlapped.*down the ranks/);
      assert.match(lower, /^B\d on rank 0.*backward.*up the ranks/);
    },
  ],
  [
    "stages of a rank, slices and directions are named where they are",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w, "{name: interleaved_1f1b, chunks: 2}");
      assert.match(await w.page.textContent(".legend"), /later stage of the rank/);
      await w.type(scenario({ schedule: "{name: seq_1f1b, slices: 2}" }));
      await w.settled();
      await w.page.focus("#tl-canvas");
      for (let i = 0; i < 90; i++) await w.page.keyboard.press("ArrowLeft");
      for (let i = 0; i < 4; i++) await w.page.keyboard.press("ArrowUp");
      for (let i = 0; i < 90; i++) await w.page.keyboard.press("ArrowLeft");
      assert.match(await walkTo(w, "F0.1"), /^F0\.1 on Stage 0/);
      assert.match(await w.page.textContent("#panel-inspector"), /Slice1 \(of 2/);
      await w.type(scenario({ schedule: "chimera" }));
      await w.settled();
      assert.match(await w.page.textContent(".legend"), /runs up the ranks/);
    },
  ],
  [
    "memory is shown in bytes and in whole stages",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w, "{name: interleaved_1f1b, chunks: 2}");
      await w.page.click("#tab-memory");
      const rows = await w.page.locator("#panel-memory tbody tr").allTextContents();
      assert.equal(rows.length, 4);
      // By hand: 2 (p - r - 1) + (v - 1) p + 1 chunks of half a stage.
      for (const [r, stages] of ["5.5", "4.5", "3.5", "2.5"].entries()) {
        assert.match(rows[r], new RegExp(`^d${r} rank ${r}.*[MG]iB.*[^.\\d]${stages} stages$`));
      }
    },
  ],
  [
    "the editor completes schedules and their parameters",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.page.click(".editor-host .cm-content");
      await w.page.keyboard.press("Control+a");
      await w.page.keyboard.insertText("pipeline:\n  schedule: {name: interleaved_1f1b, ");
      await w.page.keyboard.press("Control+Space");
      const listed = () => w.page.locator(".cm-tooltip-autocomplete li").allTextContents();
      await w.page.waitForSelector(".cm-tooltip-autocomplete li");
      assert.match((await listed())[0], /^chunks.*default 2/);
      await w.page.keyboard.press("Escape");
      await w.page.keyboard.press("Control+a");
      await w.page.keyboard.insertText("pipeline:\n  schedule: zb_");
      await w.page.keyboard.press("Control+Space");
      await w.page.waitForFunction(() =>
        /zb_v/.test(
          document.querySelector(".editor-host").shadowRoot.querySelector(".cm-tooltip-autocomplete")?.textContent ??
            "",
        ),
      );
      assert.ok((await listed()).every((text) => /zb/.test(text)));
    },
  ],
  [
    "paper style and unit time are remembered, and go with the link",
    async ({ newWindow }) => {
      const w = await newWindow();
      await small(w);
      const usual = await w.picture();
      await w.page.selectOption("#colour-mode", "paper");
      await w.page.click("#unit-time");
      await w.page.waitForTimeout(100);
      const paper = await w.picture();
      assert.notEqual(paper, usual);
      await w.page.focus("#tl-canvas");
      await w.page.keyboard.press("ArrowRight");
      assert.match(await w.page.textContent("#tl-live"), /[\d.]+ F, from [\d.]+ F$|idle [\d.]+ F/);
      await w.page.click(".actions >> text=Share");
      await w.page.waitForFunction(() => /&l=paper\.u/.test(document.getElementById("share-link")?.value ?? ""));
      const link = await w.page.inputValue("#share-link");
      await w.page.keyboard.press("Escape");
      await w.page.click(".actions >> text=Export");
      const [download] = await Promise.all([w.page.waitForEvent("download"), w.page.click("text=Timeline, SVG")]);
      const svg = readFileSync(await download.path(), "utf8");
      assert.match(svg, /^<svg [^>]*class="paper"/);
      assert.match(svg, />30<\/text>/); // of 33 units
      assert.doesNotMatch(svg, />[FB]\d<\/text>/);
      const other = await newWindow();
      await other.ready(link.slice(other.address.length));
      assert.equal(await other.page.inputValue("#colour-mode"), "paper");
      assert.equal(await pressed(other, "#unit-time"), "true");
      await w.ready();
      assert.equal(await w.page.inputValue("#colour-mode"), "paper");
      assert.equal(await pressed(w, "#unit-time"), "true");
    },
  ],
];
