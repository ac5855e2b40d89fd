// Memory and links over time, in the tabs below the timeline, by hand calculation and as a reader would drive them.
import assert from "node:assert/strict";
import { scenario } from "./harness.mjs";

const stages = (bandwidth, { simulation = "", schedule = "1f1b", mb = 1, memory = "" } = {}) => {
  const stage = (id) =>
    `    - {device: ${id}, weights_mb: 1, compute: {mode: explicit, distribution: 1}, backward: {distribution: 2}}`;
  return `simulation: {microbatches: 3, ${simulation}}
pipeline:
  schedule: ${schedule}
  activation_mb: ${mb}
  stages:
${stage("a")}
${stage("b")}
hardware:
  devices:
    - {id: a, gpu: a100, node: n0, socket: 0${memory}}
    - {id: b, gpu: a100, node: n1, socket: 0}
  links: [{default: true, bandwidth_GBps: ${bandwidth}}]
`;
};
// 1F1B, p = 2, m = 3, F = 1, B = 2: F0 F1 . B0 F2 . B1 . B2 on a. A microbatch's 10 MiB are held from the start of its
// F to the end of its B, over 1 MiB of weights. a has 15 MiB: F1 is too much.
const MEMORY = stages(1000000, { simulation: "transfers: latency", mb: 10, memory: ", memory_GiB: 0.0146484375" });
// GPipe, p = 2, m = 3, F = 1, B = 2, messages of 1 MiB that take 2 ms, one after the other. F ends on a at 1, 2 and 3:
// messages from 1 to 3, 3 to 5, 5 to 7, two there from 2 to 5. B ends on b at 10, 12, 14: 10 to 16, one at a time.
// The run takes 18 ms.
const LINKS = stages(0.524288, { simulation: "transfers: shared, options: {link_share: fifo}", schedule: "gpipe" });

async function shown(w, text, tab) {
  await w.ready();
  await w.type(text);
  await w.settled();
  await w.page.click(`#tab-${tab}`);
}
const says = (w, id, pattern) =>
  w.page.waitForFunction(([node, source]) => new RegExp(source).test(document.getElementById(node)?.textContent ?? ""), [
    id,
    pattern.source,
  ]);
const cells = (w, table) =>
  w.page
    .locator(`#${table} tbody tr`)
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));

export const cases = [
  [
    "memory over time: peak, what is in flight, moment by moment, and what is too much",
    async ({ newWindow }) => {
      const w = await newWindow();
      await shown(w, MEMORY, "memory");
      assert.equal(await w.page.inputValue("#memory-device"), "a");
      await says(w, "memory-peak", /^Peak 21\.0 MiB, 140 % of 15\.0 MiB at 1\.000 ms, while F1 runs\. 2 microbatches in flight: 0, 1 of stage 0\./);
      const bad = await w.page.textContent(".too-much");
      assert.match(bad, /^Too much for the first time at 1\.000 ms\. F1 makes it 21\.0 MiB, 6\.0 MiB more than there is\./);
      assert.match(bad, /Fewer microbatches in flight/);
      await w.page.focus("#memory-chart");
      const steps = [
        /^21\.0 MiB, .* at 2\.000 ms, between operations\. 2 microbatches in flight: 0, 1 of/,
        /at 4\.000 ms, while B0 runs\. 2 microbatches in flight: 0, 1 of/,
        /at 6\.000 ms, while F2 runs\. 2 microbatches in flight: 1, 2 of/,
      ];
      for (const step of steps) {
        await w.page.keyboard.press("ArrowRight");
        await says(w, "memory-now", step);
      }
      await w.page.keyboard.press("Enter");
      await w.page.click("#tab-inspector");
      assert.match(await w.page.textContent("#panel-inspector h4"), /^F2 on stage 0/);
      await w.page.click("#tab-memory");
      await w.page.selectOption("#memory-device", "b");
      // On b each microbatch goes as it comes: 11 MiB.
      await says(w, "memory-peak", /^Peak 11\.0 MiB.*while F0 runs\. 1 microbatch in flight: 0 of stage 1\./);
      assert.equal(await w.page.locator(".too-much").count(), 0);
    },
  ],
  [
    "the memory chart has a table twin, follows the visible range, and answers to the pointer",
    async ({ newWindow }) => {
      const w = await newWindow();
      await shown(w, MEMORY, "memory");
      await w.page.click("#panel-memory .twin summary");
      const rows = await cells(w, "memory-moments");
      assert.deepEqual(
        rows.slice(0, 5).map(([start, what, all, , activations]) => [start, what, all, activations]),
        [
          ["0.000 ms", "F0", "11.0 MiB", "10.0 MiB"],
          ["1.000 ms", "F1", "21.0 MiB", "20.0 MiB"],
          ["2.000 ms", "", "21.0 MiB", "20.0 MiB"],
          ["4.000 ms", "B0", "21.0 MiB", "20.0 MiB"],
          ["6.000 ms", "F2", "21.0 MiB", "20.0 MiB"],
        ],
      );
      await w.axe();
      const box = await w.page.locator("#memory-chart").boundingBox();
      // 5 of 12 ms.
      await w.page.mouse.move(box.x + (box.width * 5) / 12, box.y + 60);
      await says(w, "memory-now", /at 4\.000 ms, while B0 runs/);
      await w.page.mouse.click(box.x + (box.width * 5) / 12, box.y + 60);
      await w.page.focus("#tl-canvas");
      await w.page.keyboard.press("f");
      // B0 with half as much again before and after: 1 to 9 ms, and no F0.
      await w.page.waitForFunction(() => {
        const first = document.querySelector("#memory-moments tbody tr");
        return first?.textContent.startsWith("1.000 msF1");
      });
    },
  ],
  [
    "links over time: how busy, what they carry, how many queue, and a press goes there",
    async ({ newWindow }) => {
      const w = await newWindow();
      await shown(w, LINKS, "links");
      await w.page.waitForSelector(".heat-strip");
      await w.page.click("#panel-links .twin summary");
      const rows = await cells(w, "links-table");
      // Tenths of 18 ms: 1.8 ms each; 1 to 7 ms are 0.8 of the first, all of the next two, 1.6 of the fourth.
      assert.deepEqual(
        [rows[0].slice(0, 5), rows[1].slice(0, 5)],
        [
          ["Link 0→1", "33.3 %", "3", "3.0 MiB", "2"],
          ["Link 1→0", "33.3 %", "3", "3.0 MiB", "1"],
        ],
      );
      assert.deepEqual(rows[0].slice(5), ["44 %", "100 %", "100 %", "89 %", "0 %", "0 %", "0 %", "0 %", "0 %", "0 %"]);
      await w.axe();
      const strip = w.page.locator(".heat-strip").first();
      const box = await strip.boundingBox();
      await w.page.mouse.move(box.x + (box.width * 4) / 18, box.y + 10);
      await says(w, "links-now", /^Link 0→1, .* ms: 100 % busy, up to 2 messages at once/);
      await w.page.mouse.move(box.x + (box.width * 12) / 18, box.y + 10);
      await says(w, "links-now", /^Link 0→1, .* ms: 0 % busy, 0 messages at once/);
      await w.page.focus("#links-map");
      await w.page.keyboard.press("ArrowRight");
      await says(w, "links-now", /^Link 0→1, 12\.\d+ to 12\.\d+ ms: 0 % busy/);
      await w.page.keyboard.press("ArrowDown");
      await says(w, "links-now", /^Link 1→0, 12\.\d+ to 12\.\d+ ms: 100 % busy, 1 message at once/);
      await w.page.mouse.click(box.x + (box.width * 4) / 18, box.y + 10);
      await w.page.waitForFunction(() => document.getElementById("tl-range").textContent !== "Whole run");
      await w.page.click("#tab-inspector");
      assert.match(await w.page.textContent("#panel-inspector h4"), /^Activation of microbatch 1 on link 0→1/);
    },
  ],
  [
    "memory and links fit a phone and a narrow one, light and dark",
    async ({ newWindow }) => {
      for (const options of [
        { viewport: { width: 390, height: 844 } },
        { viewport: { width: 320, height: 640 }, colorScheme: "dark" },
      ]) {
        const w = await newWindow(options);
        await w.open();
        await w.page.waitForSelector("#tab-memory");
        for (const [tab, picture] of [
          ["memory", "#memory-chart svg"],
          ["links", ".heat-strip canvas"],
        ]) {
          await w.page.click(`#tab-${tab}`);
          await w.page.waitForSelector(picture);
          await w.axe();
          await w.noSideways();
        }
      }
    },
  ],
  [
    "links appear only where something is carried",
    async ({ newWindow }) => {
      const w = await newWindow();
      await shown(w, scenario({ ranks: 1, microbatches: 2 }), "memory");
      await says(w, "memory-peak", /^Peak /);
      assert.equal(await w.page.locator("#tab-links").count(), 0);
    },
  ],
];
