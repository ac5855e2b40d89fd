// Compare A/B as a reader does it: pin a run, change the text, read why. Numbers are worked out by hand: F 10 ms, B 20 ms,
// one microbatch; messages take what the link's latency says.
import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";

/** Equal stages, but for those whose forward is given; a backward takes twice as long. */
function pipeline({ forwards = [10, 10], latency = 0, microbatches = 1, schedule = "1f1b" } = {}) {
  const each = (line) => forwards.map(line).join("\n");
  return `# title: ${forwards.length} stages
simulation: {microbatches: ${microbatches}, transfers: latency}
pipeline:
  schedule: ${schedule}
  activation_mb: 1
  stages:
${each((ms, i) => `    - {device: d${i}, weights_mb: 1, compute: {mode: explicit, distribution: ${ms}}}`)}
hardware:
  devices:
${each((_, i) => `    - {id: d${i}, gpu: a100, node: n, socket: 0}`)}
  links: [{default: true, bandwidth_GBps: 1, latency_us: ${latency}}]
`;
}

async function change(w, text) {
  await w.type(text);
  await w.page.waitForFunction((title) => document.getElementById("title").value === title, text.match(/title: (.*)/)[1]);
  await w.settled();
}
/** Pins `a`, then plays `b`. */
async function compare(w, a, b) {
  await w.ready();
  await change(w, a);
  await w.page.click("#tab-pair");
  await w.page.click(".pair .button.primary");
  assert.match(await said(w), /^A is this very run/);
  await change(w, b);
  await w.page.waitForSelector(".pair-figure");
}
const said = (w) => w.page.textContent("#pair-say");
/** Cells of the table of causes, row by row. */
const cells = (w) =>
  w.page
    .locator(".pair-why tr")
    .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent).join(" ")));
const cellsOf = (w, id) =>
  w.page.locator(`#pair-${id} > *`).evaluateAll((all) => all.map((cell) => cell.textContent.trim()));
const pixels = (w) =>
  w.page
    .locator(".pair-figure canvas")
    .evaluateAll((all) => all.map((canvas) => canvas.toDataURL()).join(""));

const slow = pipeline({ latency: 1000 });
const fast = pipeline();

export const cases = [
  [
    "a faster link: why B is faster, in a sentence and by rank, figures and texts of both",
    async ({ newWindow }) => {
      const w = await newWindow();
      // F 0-10, 11-21; B 21-41, 42-62. Without latency 60.
      await compare(w, slow, fast);
      assert.equal(
        await said(w),
        "B is 2.00 ms (3.2 %) faster than A: 2.00 ms less waiting for links. On the mean of 2 ranks.",
      );
      assert.deepEqual(await cells(w), [
        "Part of the step Mean Stage 0 Stage 1",
        "Idle time −2.000 −2.000 −2.000",
        "Waiting for link latency −2.000 −2.000 −2.000",
        "Step −2.000 −2.000 −2.000",
      ]);
      assert.deepEqual(await cellsOf(w, "step"), ["Step time", "62.00 ms", "60.00 ms", "▼ −2.000 ms better", "−3.2 %"]);
      // 32 of 62 ms idle, then 30 of 60.
      assert.deepEqual(await cellsOf(w, "bubble"), ["Bubble", "51.61 %", "50.00 %", "▼ −1.61 pt better", "−3.1 %"]);
      assert.deepEqual(await w.page.locator(".pair-diff :is(.gone, .new) code").allTextContents(), [
        "only in A:   links: [{default: true, bandwidth_GBps: 1, latency_us: 1000}]",
        "only in B:   links: [{default: true, bandwidth_GBps: 1, latency_us: 0}]",
      ]);
      await w.axe();
      // The other way round.
      await w.page.click("text=Swap A and B");
      await w.page.waitForFunction(() => /slower/.test(document.getElementById("pair-say").textContent));
      assert.match(await said(w), /^B is 2\.00 ms \(3\.3 %\) slower than A: 2\.00 ms more waiting for links\./);
      await w.page.click("text=Unpin A");
      await w.page.waitForSelector(".pair .button.primary");
      assert.equal(await w.page.evaluate(() => document.activeElement.id), "panel-pair");
    },
  ],
  [
    "a slower stage: work on one rank is idle time on the other, and columns add up",
    async ({ newWindow }) => {
      const w = await newWindow();
      // F@1 10-24, B@1 24-52, B@0 52-72.
      await compare(w, fast, pipeline({ forwards: [10, 14] }));
      assert.equal(
        await said(w),
        "B is 12.0 ms (20.0 %) slower than A: 6.0 ms more work (all on stage 1), " +
          "6.0 ms more waiting for other ranks (all on stage 0). On the mean of 2 ranks.",
      );
      assert.deepEqual((await cells(w)).slice(1), [
        "Work +6.00 0 +12.00",
        "Forward +2.00 0 +4.00",
        "Backward +4.00 0 +8.00",
        "Idle time +6.00 +12.00 0",
        "Waiting for other ranks +6.00 +12.00 0",
        "Step +12.00 +12.00 +12.00",
      ]);
    },
  ],
  [
    "another schedule: the same step, other causes",
    async ({ newWindow }) => {
      const w = await newWindow();
      // F 1, B 2, four microbatches: 15 both. 1F1B idles 2 ms at its limit and 1 ms later, GPipe 3 ms for B0.
      const of = (schedule) => pipeline({ forwards: [1, 1], microbatches: 4, schedule });
      await compare(w, of("1f1b"), of("gpipe").replace("2 stages", "gpipe"));
      assert.equal(
        await said(w),
        "A and B take the same time: 1.00 ms more waiting for other ranks (all on stage 0), " +
          "1.00 ms less waiting at the in-flight limit (all on stage 0). On the mean of 2 ranks.",
      );
      assert.deepEqual((await cells(w)).slice(1), [
        "Idle time 0 0 0",
        "Waiting for other ranks +1.000 +2.000 0",
        "Waiting at the in-flight limit −1.000 −2.000 0",
        "Step 0 0 0",
      ]);
    },
  ],
  [
    "another number of ranks: means over ranks",
    async ({ newWindow }) => {
      const w = await newWindow();
      // 60 and 90 ms; waiting for others 30 0, and 60 30 0; warm-up 0 10, and 0 10 20; drain 0 20, and 0 20 40.
      await compare(w, fast, pipeline({ forwards: [10, 10, 10] }));
      assert.match(await said(w), /^B is 30\.0 ms \(50\.0 %\) slower .* On the mean over ranks: A has 2, B has 3\.$/);
      assert.deepEqual(await cells(w), [
        "Part of the step Mean",
        "Idle time +30.00",
        "Warm-up +5.00",
        "Drain +10.00",
        "Waiting for other ranks +15.00",
        "Step +30.00",
      ]);
      assert.match(await w.page.textContent(".pair-note"), /only means over ranks can be compared/);
    },
  ],
  [
    "timelines on one axis, overlaid and of the same length, zoomed by keys",
    async ({ newWindow }) => {
      const w = await newWindow();
      await compare(w, fast, pipeline({ forwards: [10, 14] }));
      const seen = new Set([await pixels(w)]);
      const lanes = () => w.page.locator(".pair-figure .stack-lanes").count();
      assert.equal(await lanes(), 2);
      assert.equal(await w.page.getAttribute(".pair-modes >> text=One axis", "aria-pressed"), "true");
      for (const [mode, figures] of [
        ["Overlaid", 1],
        ["Same length", 2],
      ]) {
        await w.page.click(`.pair-modes >> text=${mode}`);
        await w.page.waitForTimeout(200);
        assert.equal(await lanes(), figures);
        const now = await pixels(w);
        assert.ok(!seen.has(now), mode);
        seen.add(now);
      }
      const fit = w.page.locator(".pair-head >> text=Fit");
      assert.ok(await fit.isDisabled());
      await w.page.focus(".pair-figure");
      await w.page.keyboard.press("w");
      await w.page.waitForTimeout(200);
      assert.ok(!seen.has(await pixels(w)));
      await w.page.keyboard.press("0");
      await w.page.waitForTimeout(200);
      assert.ok(seen.has(await pixels(w)) && (await fit.isDisabled()));
    },
  ],
  [
    "P in the timeline pins the run; in the editor it is a letter",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.type(fast);
      await w.settled();
      await w.page.focus("#tl-canvas");
      await w.page.keyboard.press("p");
      await w.page.waitForSelector(".toast >> text=Pinned as A");
      await w.page.waitForSelector("#tab-pair[aria-selected=true]");
      assert.match(await said(w), /^A is this very run/);
      await w.page.click(".editor-host .cm-content");
      await w.page.keyboard.press("Control+Home");
      await w.page.keyboard.type("# p");
      assert.match(await w.text(), /^# p/);
    },
  ],
  [
    "the link holds both: another reader sees the same comparison; without A it is the link it was",
    async ({ newWindow }) => {
      const w = await newWindow();
      await compare(w, slow, fast);
      const sentence = await said(w);
      await w.page.click(".actions >> text=Share");
      await w.page.waitForFunction(() => /&a=/.test(document.getElementById("share-link")?.value));
      const link = await w.page.inputValue("#share-link");
      await w.axe();
      await w.page.uncheck("#share-pair");
      await w.page.waitForFunction(() => !/&a=/.test(document.getElementById("share-link").value));
      assert.equal(await w.page.inputValue("#share-link"), link.split("&a=")[0]);
      const other = await newWindow();
      await other.ready(link.slice(w.address.length));
      await other.page.waitForSelector(".pair-figure");
      assert.equal(await said(other), sentence);
      assert.equal(await other.text(), fast.trimEnd() + "\n");
      await other.page.click("text=Swap A and B");
      await other.page.waitForFunction(() => /slower/.test(document.getElementById("pair-say").textContent));
      assert.equal(await other.text(), slow.trimEnd() + "\n");
      // Opened over a page that compares nothing.
      const third = await newWindow();
      await third.ready();
      await third.page.evaluate((hash) => (location.hash = hash), link.slice(link.indexOf("#")));
      await third.page.waitForFunction((wanted) => document.getElementById("pair-say")?.textContent === wanted, sentence);
    },
  ],
  [
    "an A that cannot be played, or is damaged, leaves B as it is",
    async ({ newWindow }) => {
      const pack = (text) => deflateRawSync(Buffer.from(text)).toString("base64url");
      const lines = fast.split("\n").length;
      const w = await newWindow();
      await w.ready(`#s1:${pack(fast)}&a=${pack(`-${lines}\n+nonsense: 1`)}`);
      await w.page.waitForFunction(() => /^A cannot be shown: ./.test(document.getElementById("pair-say")?.textContent ?? ""));
      assert.equal(await w.page.locator(".pair-diff .gone").count(), 1);
      assert.equal(await w.page.locator(".pair-figure").count(), 0);
      const other = await newWindow();
      await other.ready(`#s1:${pack(fast)}&a=${pack("=99")}`);
      await other.page.waitForSelector(".notice >> text=only B is shown");
      assert.equal(await other.text(), fast.trimEnd() + "\n");
    },
  ],
];
