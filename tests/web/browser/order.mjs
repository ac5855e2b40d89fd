// Editing the order by hand: by pointer, by keys and by buttons. Two ranks, two microbatches, a forward of 10 ms and a
// backward of 20 ms, links that take no time; every time is by hand.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { scenario } from "./harness.mjs";

const text = (options) =>
  scenario({ ranks: 2, microbatches: 2, ...options }).replace(
    "interconnect: {same_node: nvlink, cross_node: infiniband}",
    "links: [{default: true, bandwidth_GBps: 1000000}]",
  );
/** 1F1B: (2 + 2 - 1) * 30 ms. Rank 0 runs F0 F1 B0 B1, rank 1 F0 B0 F1 B1. */
const USUAL = 90;
const AXIS = 24;
const LANE = 26;

async function editing(w, options) {
  await w.ready();
  await w.type(text(options));
  await w.settled();
  await w.page.click("#tool-order");
  await w.page.waitForSelector("#order-bar");
}
const verdict = (w, pattern) =>
  w.page.waitForFunction(
    (wanted) => new RegExp(wanted).test(document.getElementById("order-verdict")?.textContent ?? ""),
    pattern.source,
  );
const step = async (w) => Number.parseFloat(await w.page.textContent(".tile .tile-value"));
const lists = async (w) => [...(await w.text()).matchAll(/^ {6}- "(.*)"/gm)].map(([, list]) => list);

/** Where the canvas is once it has come to rest: the legend above it wraps when a run brings other kinds. */
async function resting(w) {
  const canvas = w.page.locator("#tl-canvas");
  for (let before = await canvas.boundingBox(); ; ) {
    await w.page.waitForTimeout(100);
    const box = await canvas.boundingBox();
    if (box.y === before.y && box.width === before.width) return box;
    before = box;
  }
}

/** Presses the operation in the middle of `at` ms on a rank. */
async function pointAt(w, rank, at) {
  const box = await w.page.locator("#tl-canvas").boundingBox();
  return { x: box.x + (box.width * at) / USUAL, y: box.y + AXIS + LANE * (rank + 0.5) };
}
async function select(w, rank, at) {
  const { x, y } = await pointAt(w, rank, at);
  await w.page.mouse.click(x, y);
}

export const cases = [
  [
    "an operation is moved by keys: what it costs is said, what cannot run is refused, undo brings it back",
    async ({ newWindow }) => {
      const w = await newWindow();
      await editing(w);
      const before = await w.text();
      // B0 of rank 0, from 40 to 60 ms.
      await select(w, 0, 50);
      await w.page.focus("#tl-canvas");
      await w.page.keyboard.press("Shift+ArrowLeft");
      // F0 B0 F1 B1 on rank 0: nothing overlaps, 4 * 30 ms.
      await verdict(w, /B0 on stage 0 before F1: 120\.0 ms, 30\.0 ms longer/);
      await w.settled();
      assert.deepEqual(await lists(w), ["F0@0 B0@0 F1@0 B1@0", "F0@1 B0@1 F1@1 B1@1"]);
      assert.equal(await step(w), 120);
      assert.match(await w.page.textContent(".order-what"), /^B0 2 of 4 on stage 0$/);
      const written = await w.text();
      await w.page.focus("#tl-canvas");
      await w.page.keyboard.press("Shift+ArrowRight");
      await verdict(w, /B0 on stage 0 before B1: 90\.00 ms, 30\.0 ms shorter/);
      await w.settled();
      assert.equal(await w.page.textContent(".order-total"), "90.00 ms before, 90.00 ms now");
      await w.page.keyboard.press("Control+z");
      await w.settled();
      assert.equal(await w.text(), written);
      await w.page.focus("#tl-canvas");
      await w.page.keyboard.press("Shift+ArrowLeft");
      await verdict(w, /before F0 cannot run: .*B0@0 waits for/);
      assert.equal(await w.text(), written);
      await w.page.keyboard.press("Control+z");
      await w.settled();
      assert.equal(await w.text(), before);
      assert.equal(await step(w), USUAL);
    },
  ],
  [
    "an operation is dragged, and what that would bring is said before it is dropped",
    async ({ newWindow }) => {
      const w = await newWindow();
      await editing(w);
      // B1 of rank 0, from 70 to 90 ms, to the front of B0.
      const from = await pointAt(w, 0, 80);
      const to = await pointAt(w, 0, 45);
      await w.page.mouse.move(from.x, from.y);
      await w.page.mouse.down();
      await w.page.mouse.move(to.x, to.y, { steps: 6 });
      // Rank 1 ends B1 at 70 ms as before; then 20 ms for B1 and 20 for B0.
      await verdict(w, /B1 on stage 0 before B0: 110\.0 ms, 20\.0 ms longer/);
      assert.doesNotMatch(await w.text(), /order:/);
      await w.page.keyboard.press("Escape");
      await w.page.mouse.up();
      assert.doesNotMatch(await w.text(), /order:/);
      await w.page.mouse.move(from.x, from.y);
      await w.page.mouse.down();
      await w.page.mouse.move(to.x, to.y, { steps: 6 });
      await w.page.mouse.up();
      await w.page.waitForFunction(() => /110/.test(document.querySelector(".tile-value").textContent));
      await w.settled();
      assert.equal((await lists(w))[0], "F0@0 F1@0 B1@0 B0@0");
      await w.page.click("#order-bar >> text=Undo");
      await w.settled();
      assert.equal(await step(w), USUAL);
    },
  ],
  [
    "buttons move it too, a move without effect says so, and presses elsewhere still pan and select",
    async ({ newWindow }) => {
      const w = await newWindow();
      await editing(w);
      // F1 of rank 1, from 40 to 50 ms; before B0 that is GPipe, which takes as long.
      await select(w, 1, 45);
      await w.page.click("#order-bar >> text=Earlier");
      await verdict(w, /F1 on stage 1 before B0: 90\.00 ms, as before/);
      await w.settled();
      assert.equal((await lists(w))[1], "F0@1 F1@1 B0@1 B1@1");
      const gap = await pointAt(w, 1, 4);
      await w.page.mouse.click(gap.x, gap.y);
      assert.match(await w.page.textContent("#panel-inspector"), /Why is stage 1 idle/);
      await w.page.click("#tool-order");
      await w.page.waitForSelector("#order-bar", { state: "detached" });
      await w.page.focus("#tl-canvas");
      await w.page.keyboard.press("Shift+ArrowLeft");
      await w.page.waitForTimeout(300);
      assert.equal((await lists(w))[1], "F0@1 F1@1 B0@1 B1@1");
    },
  ],
  [
    "the order comes down as PyTorch's CSV, and what that cannot say is told",
    async ({ newWindow }) => {
      const w = await newWindow();
      await editing(w);
      const save = (button) => Promise.all([w.page.waitForEvent("download"), button()]).then(([file]) => file.path());
      const bar = await save(() => w.page.click("#order-bar >> text=PyTorch CSV"));
      assert.equal(readFileSync(bar, "utf8"), "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n");
      await w.type(text({ schedule: "gpipe" }));
      await w.settled();
      await w.page.click(".actions >> text=Export");
      const menu = await save(() => w.page.click(".menu >> text=PyTorch CSV"));
      assert.equal(readFileSync(menu, "utf8"), "0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n");
      await w.type(text({ schedule: "chimera" }));
      await w.settled();
      await w.page.click("#order-bar >> text=PyTorch CSV");
      await w.page.waitForFunction(() => /two directions/.test(document.querySelector(".toast")?.textContent ?? ""));
    },
  ],
  [
    "what cannot be edited says why: a run that is too large, batches that run into each other",
    async ({ newWindow }) => {
      const w = await newWindow();
      await editing(w, { microbatches: 60_000 });
      await verdict(w, /too large to be edited/);
      await w.type(text({ schedule: "pipedream", microbatches: 6 }).replace("batches: 1\n", "batches: 3\n"));
      await w.settled();
      await verdict(w, /batches run into each other/);
      await w.type(text());
      await w.settled();
      await verdict(w, /Drag an operation/);
    },
  ],
  [
    "written out, an order is the run that it was read from",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      const schedules = ["gpipe", "zb_h1", "{name: interleaved_1f1b, chunks: 2}", "zb_v", "dualpipe", "{name: seq_1f1b, slices: 2}"];
      for (const schedule of schedules) {
        await w.type(scenario({ schedule }));
        await w.settled();
        const hash = await w.traceHash();
        await w.page.click("#tool-order");
        const box = await resting(w);
        await w.page.mouse.click(box.x + 3, box.y + AXIS + LANE / 2);
        // The second: of slices the first has to come first.
        await w.page.focus("#tl-canvas");
        await w.page.keyboard.press("ArrowRight");
        await w.page.click("#order-bar >> text=Later");
        await w.page.waitForFunction(() => / 3 of /.test(document.querySelector(".order-what").textContent));
        await w.settled();
        await w.page.click("#order-bar >> text=Earlier");
        await w.page.waitForFunction(() => / 2 of /.test(document.querySelector(".order-what").textContent));
        await w.settled();
        assert.match(await w.text(), /^ {4}order:$/m, schedule);
        assert.equal(await w.traceHash(), hash, schedule);
        await w.page.click("#tool-order");
      }
    },
  ],
];
