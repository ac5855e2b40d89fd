// The core of the page in Firefox: first picture, writing and running, a problem, keys, export, a shared link.
// `node firefox.mjs [WORD]` runs the cases whose name contains the word. Firefox is driven by WebDriver BiDi.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { serve } from "../../web/serve.mjs";
import { root, scenario, site } from "./browser/harness.mjs";

const require = createRequire(join(root, "web/package.json"));
const { default: puppeteer } = await import(pathToFileURL(require.resolve("puppeteer-core")).href);
const executablePath = process.env.SLUICE_FIREFOX ?? "/usr/bin/firefox-esr";
const PATIENCE = 60_000;

/** What Firefox itself says and a page cannot help. */
const ITS_OWN = [/unreachable code after return/];

class Window {
  constructor(page, address) {
    this.page = page;
    this.address = address;
    this.faults = [];
    page.setDefaultTimeout(PATIENCE);
    page.on("console", (m) => m.type() === "error" && this.faults.push(`console: ${m.text()}`));
    page.on("pageerror", (error) => this.faults.push(`error: ${error.message}`));
  }

  check() {
    const left = this.faults.filter((fault) => !ITS_OWN.some((pattern) => pattern.test(fault)));
    assert.deepEqual(left, [], "the page reported faults");
  }

  async ready(where = "") {
    await this.page.goto(this.address + where);
    await this.settled();
    await this.page.waitForSelector(".editor-host >>> .cm-content");
  }

  async settled() {
    await this.page.waitForSelector(".run-state.done");
    await this.page.waitForFunction(() => !document.body.classList.contains("stale"));
  }

  async chord(...keys) {
    for (const key of keys.slice(0, -1)) await this.page.keyboard.down(key);
    await this.page.keyboard.press(keys.at(-1));
    for (const key of keys.slice(0, -1).reverse()) await this.page.keyboard.up(key);
  }

  /** Into the editor, at its start. */
  async enterEditor() {
    await this.page.click(".editor-host >>> .cm-content");
    await this.chord("Control", "Home");
  }

  say(selector) {
    return this.page.$eval(selector, (node) => node.value ?? node.textContent);
  }

  waitForText(selector, pattern) {
    return this.page.waitForFunction(
      (at, source) => new RegExp(source).test(document.querySelector(at)?.textContent ?? ""),
      {},
      selector,
      pattern.source,
    );
  }

  text() {
    return this.page.evaluate(() => {
      const lines = document.querySelector(".editor-host").shadowRoot.querySelectorAll(".cm-line");
      return [...lines].map((line) => line.textContent).join("\n");
    });
  }

  async traceHash() {
    await this.page.click("#tab-log");
    await this.page.waitForSelector(".log");
    return this.page.$eval(".log", (node) => node.dataset.traceHash);
  }
}

const plain = (text) => `#y=${encodeURIComponent(text)}`;
const small = scenario({ ranks: 3, microbatches: 4 });

const cases = [
  [
    "the default scenario is drawn, with the trace that every other target has",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      const colours = await w.page.evaluate(() => {
        const canvas = document.getElementById("lanes");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size;
      });
      assert.ok(colours > 12, `${colours} colours`);
      assert.match(await w.say("#insight"), /idles \d+ %/);
      const table = readFileSync(join(root, "tests/data/hashes.csv"), "utf8");
      const golden = table.match(/^examples\/default\.yaml,.*$/m)[0];
      assert.ok(golden.includes(await w.traceHash()), golden);
    },
  ],
  [
    "typing runs, a wrong key is a problem at its place, and undo brings the run back",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready(plain(small));
      await w.enterEditor();
      await w.chord("Control", "End");
      await w.page.keyboard.press("Enter");
      await w.page.keyboard.type("oops: 1");
      await w.page.waitForSelector(".run-state.bad");
      await w.page.waitForSelector(".editor-host >>> .cm-lintRange-error");
      assert.match(await w.say(".error .problem-text"), /oops/);
      for (let i = 0; i < 12 && (await w.text()) !== small; i++) await w.chord("Control", "z");
      assert.equal(await w.text(), small);
      await w.settled();
      await w.enterEditor();
      await w.page.keyboard.type("# once more, by key\n");
      await w.chord("Control", "Enter");
      await w.settled();
    },
  ],
  [
    "the timeline is walked, zoomed and fitted by keys, and Enter leads to the details",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready(plain(small));
      await w.page.focus("#tl-canvas");
      for (let i = 0; i < 40; i++) await w.page.keyboard.press("ArrowLeft");
      for (let i = 0; i < 3; i++) await w.page.keyboard.press("ArrowUp");
      for (let i = 0; i < 40; i++) await w.page.keyboard.press("ArrowLeft");
      await w.waitForText("#tl-live", /^F0 on Stage 0, /);
      await w.page.keyboard.press("ArrowRight");
      await w.waitForText("#tl-live", /^F1 on Stage 0, /);
      await w.page.keyboard.press("w");
      await w.waitForText("#tl-range", /^(?!Whole run)/);
      await w.page.keyboard.press("0");
      await w.waitForText("#tl-range", /^Whole run$/);
      await w.page.keyboard.press("Enter");
      await w.page.waitForFunction(() => document.activeElement.id === "panel-inspector");
    },
  ],
  [
    "a shared link opens with the same text and the same trace",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready(plain(small));
      const [text, hash] = [await w.text(), await w.traceHash()];
      await w.page.click(".actions ::-p-text(Share)");
      await w.page.waitForFunction(() => document.getElementById("share-link")?.value.includes("#s1:"));
      const link = await w.say("#share-link");
      const other = await newWindow();
      await other.ready(link.slice(w.address.length));
      assert.equal(await other.text(), text);
      assert.equal(await other.traceHash(), hash);
      await w.page.goto("about:blank");
      await w.page.goto(`${w.address}#s1:7Vhbb9s2F`);
      await w.settled();
      assert.match(await w.say(".notice"), /damaged/);
    },
  ],
  [
    "the summary is exported as a file",
    async ({ newWindow, downloads }) => {
      const w = await newWindow();
      await w.ready(plain(small));
      await w.page.click(".actions ::-p-text(Export)");
      await w.page.click("[role=menuitem] ::-p-text(Summary, JSON)");
      const file = join(downloads, "3-ranks-4-microbatches.summary.json");
      let text = "";
      // The file is there, empty, before it is written.
      for (const end = Date.now() + PATIENCE; text === "" && Date.now() < end; ) {
        await new Promise((done) => setTimeout(done, 200));
        text = existsSync(file) ? readFileSync(file, "utf8") : "";
      }
      const summary = JSON.parse(text);
      assert.equal(summary.trace_hash, await w.traceHash());
    },
  ],
];

if (!existsSync(executablePath)) {
  console.log(`SKIPPED: no Firefox at ${executablePath}`);
  console.log(`0 passed, 0 failed, ${cases.length} skipped`);
  process.exit(0);
}
const server = await serve(site, 0);
const home = mkdtempSync(join(tmpdir(), "sluice-firefox-"));
const downloads = mkdtempSync(join(tmpdir(), "sluice-downloads-"));
const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath,
  headless: true,
  userDataDir: home,
  timeout: 2 * PATIENCE,
  protocolTimeout: 2 * PATIENCE,
  extraPrefsFirefox: { "browser.download.dir": downloads, "browser.download.folderList": 2 },
});
const wanted = process.argv[2] ?? "";
let passed = 0;
let failed = 0;
for (const [name, run] of cases.filter(([name]) => name.includes(wanted))) {
  const before = Date.now();
  const windows = [];
  const contexts = [];
  /** A window of a reader who has never been here. */
  const newWindow = async () => {
    const context = await browser.createBrowserContext();
    contexts.push(context);
    const page = await context.newPage();
    await page.setViewport({ width: 1440, height: 900 });
    windows.push(new Window(page, server.url));
    return windows.at(-1);
  };
  try {
    await run({ newWindow, downloads });
    for (const window of windows) window.check();
    passed++;
    console.log(`ok    ${name} ${Date.now() - before} ms`);
  } catch (error) {
    failed++;
    const lines = String(error?.stack ?? error).split("\n");
    console.log(`FAIL  ${name}\n      ${lines.slice(0, 12).join("\n      ")}`);
  }
  for (const context of contexts) await context.close();
}
await browser.close();
await server.close();
for (const folder of [home, downloads]) rmSync(folder, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
