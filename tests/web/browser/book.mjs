// The picture book: every schedule drawn, at one scale, in words that can be read without the figure.
import assert from "node:assert/strict";

const BOOK = "docs/schedules.html";

/** Scrolls through the whole page, so that every figure is drawn. */
async function readAll(w) {
  await w.page.evaluate(async () => {
    for (const figure of document.querySelectorAll("figure")) {
      figure.scrollIntoView();
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)));
    }
  });
  await w.page.waitForFunction(() =>
    [...document.querySelectorAll("figcaption")].every((caption) => caption.textContent !== ""),
  );
}

const look =
  (options) =>
  async ({ newWindow }) => {
    const w = await newWindow(options);
    await w.open(BOOK);
    await w.page.waitForFunction(() => document.querySelector("figcaption")?.textContent);
    await w.axe();
    await w.noSideways();
  };

export const cases = [
  [
    "the picture book draws every schedule at one scale",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.open(BOOK);
      await readAll(w);
      const figures = await w.page.locator("figure").evaluateAll((all) =>
        all.map((figure) => {
          const canvas = figure.querySelector("canvas");
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return {
            name: figure.dataset.schedule,
            caption: figure.textContent.trim(),
            colours: new Set(new Uint32Array(data.buffer)).size,
            width: canvas.clientWidth,
          };
        }),
      );
      assert.ok(figures.length >= 26, `${figures.length} figures`);
      for (const { name, caption, colours } of figures) {
        assert.match(caption, /^[\d.]+ units.*bubble [\d.]+ %.*in flight.*of the weights$/, name);
        assert.ok(colours > 4, `${name} has ${colours} colours`);
      }
      const of = (name) => figures.find((one) => one.name === name);
      // By hand: GPipe and 1F1B take (8 + 4 - 1) * 3 units, idle 3 of 11; ZB-H1 idles (p - 1)(F + I - W) = 3 of 27.
      assert.match(of("gpipe").caption, /^33 units, bubble 27\.3 %, at most 8 in flight/);
      assert.match(of("1f1b").caption, /^33 units, bubble 27\.3 %, at most 4 in flight/);
      assert.match(of("zb_h1").caption, /^27 units, bubble 11\.1 %/);
      assert.equal(of("zb_v").width, of("gpipe").width);
      assert.ok(of("gems").width > 2 * of("gpipe").width);
    },
  ],
  [
    "a figure opens in the editor as it is drawn",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.open(BOOK);
      await w.page.waitForFunction(() => document.querySelector("#dualpipe figcaption") !== null);
      await w.page.locator("#dualpipe").scrollIntoViewIfNeeded();
      await w.page.click("#dualpipe .source a");
      await w.settled();
      await w.page.waitForSelector(".editor-host .cm-content");
      assert.match(await w.text(), /^ {2}schedule: dualpipe$/m);
      assert.equal(await w.page.inputValue("#colour-mode"), "paper");
      assert.equal(await w.page.getAttribute("#unit-time", "aria-pressed"), "true");
      assert.equal(await w.page.textContent(".tile-bubble .tile-value"), "7.7%");
    },
  ],
  [
    "other sizes are drawn at once, and a schedule that refuses them says why",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.open(BOOK);
      await w.page.waitForFunction(() => document.querySelector("#gpipe figcaption")?.textContent);
      await w.page.fill("#microbatches", "6");
      // (6 + 4 - 1) * 3 units.
      await w.page.waitForFunction(() => /^27 units/.test(document.querySelector("#gpipe figcaption").textContent));
      await w.page.locator("#dualpipe").scrollIntoViewIfNeeded();
      await w.page.waitForFunction(() =>
        /at least 2 x ranks/.test(document.querySelector("#dualpipe figcaption").textContent),
      );
      assert.match(w.page.url(), /\?microbatches=6$/);
      await w.open(`${BOOK}?microbatches=6&colours=kind`);
      await w.page.waitForFunction(() => /^27 units/.test(document.querySelector("#gpipe figcaption").textContent));
      assert.equal(await w.page.inputValue("#colours"), "kind");
      const link = await w.page.getAttribute("#gpipe .source a", "href");
      await w.page.goto(new URL(link, w.page.url()).href);
      await w.settled();
      await w.page.waitForSelector(".editor-host .cm-content");
      assert.match(await w.text(), /microbatches: 6/);
    },
  ],
  [
    "the picture book can be read without scripts",
    async ({ newWindow }) => {
      const w = await newWindow({ javaScriptEnabled: false });
      await w.open(BOOK);
      assert.ok((await w.page.locator("article").count()) >= 26);
      assert.match(await w.page.locator("#zb_h1 .source").textContent(), /2401\.10241/);
      assert.match(await w.page.locator("#zb_h1 .source a").getAttribute("href"), /^\.\.\/#s1:[\w-]+&l=paper\.u$/);
    },
  ],
  ["axe: picture book", look({})],
  ["axe: picture book, dark", look({ colorScheme: "dark" })],
  ["axe: picture book, phone", look({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })],
];
