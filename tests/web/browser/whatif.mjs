// What the step would take if one thing were otherwise, against closed forms: equal stages, 4 ranks, 8 microbatches, a
// forward of 10 ms and a backward of 20 ms.
import assert from "node:assert/strict";
import { scenario } from "./harness.mjs";

const chips = (w) => w.page.locator(".what-if .chip").allTextContents();
const chip = (w, pattern) =>
  w.page.waitForFunction(
    (wanted) => [...document.querySelectorAll(".what-if .chip")].some((node) => new RegExp(wanted).test(node.textContent)),
    pattern.source,
  );
/** A link between ranks 1 and 2 that takes `ms` for each of the 16 MiB that a microbatch sends. */
const slowLink = (ms, options) =>
  scenario(options).replace(
    "interconnect: {same_node: nvlink, cross_node: infiniband}",
    `links: [{from: d1, to: d2, bandwidth_GBps: ${(16 * 2 ** 20) / ms / 1e6}}, {default: true, bandwidth_GBps: 1000000}]`,
  );

export const cases = [
  [
    "a slow link, a slow stage and memory are each taken out of the way, and the gain is what it is by hand",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      // GPipe: each of the two passes takes (8 + 3) slots and waits once for the link; 2 * 3 ms in all.
      await w.type(slowLink(3, { schedule: "gpipe" }));
      await w.settled();
      assert.equal(await w.page.textContent(".tile .tile-value"), "336ms");
      await chip(w, /^Link (1→2|2→1) took no time: ▼ 6\.00 ms shorter$/);
      // GPipe has no memory to be freed: all forwards are in flight already.
      assert.ok((await chips(w)).every((text) => !/Memory/.test(text)));
      // With a free link one stage of four at 27 instead of 30 ms is a slot in each pass: 1 + 2 ms.
      await w.type(scenario({ schedule: "gpipe" }).replace("interconnect: {same_node: nvlink, cross_node: infiniband}", "links: [{default: true, bandwidth_GBps: 1000000}]"));
      await w.settled();
      await chip(w, /were 10 % faster: ▼ 3\.00 ms shorter$/);
      await w.axe();
    },
  ],
  [
    "1F1B on a slow link gains by memory, and chips of another text are gone at once",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.type(slowLink(10));
      await w.settled();
      await chip(w, /^Memory were unbounded: ▼/);
      await w.type(scenario().replace("seed: 1", "sedd: 1"));
      await w.page.waitForSelector(".what-if", { state: "detached" });
    },
  ],
];
