// The browser, the server, and what every case needs of the page: opening, waiting, typing, reading.
// A case fails by itself when the page logs an error, breaks its policy, or asks another origin for anything.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "../../../web/serve.mjs";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
export const site = resolve(process.env.SLUICE_SITE ?? join(root, "build/site"));
const require = createRequire(join(root, "web/package.json"));
const { chromium } = require("playwright-core");
const AXE = require.resolve("axe-core/axe.min.js");

const ARGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const PATIENCE = 15_000;

/** What only the clock decided, as Playwright's own TimeoutError. */
export class TooSlow extends Error {
  name = "TooSlow";
}
export function inTime(kept, note) {
  if (!kept) throw new TooSlow(note);
}
/** Whether a case failed for want of time alone: a machine that stalls can do that, a wrong page does it again. */
export const wantedTime = ({ name }) => name === "TooSlow" || name === "TimeoutError";

/** One window: a page with what a case does to it. */
export class Window {
  constructor(page, address) {
    this.page = page;
    this.address = address;
    this.faults = [];
    /** Messages a case expects; they are no faults. */
    this.expected = [];
    page.setDefaultTimeout(PATIENCE);
    page.on("console", (m) => m.type() === "error" && this.faults.push(`console: ${m.text()}`));
    page.on("pageerror", (error) => this.faults.push(`error: ${error.message}`));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(address) && !/^(data|blob):/.test(url)) this.faults.push(`foreign request: ${url}`);
    });
  }

  check() {
    const left = this.faults.filter((fault) => !this.expected.some((pattern) => pattern.test(fault)));
    assert.deepEqual(left, [], "the page reported faults");
  }

  async open(where = "") {
    await this.page.goto("about:blank");
    await this.page.goto(this.address + where);
  }

  /** Waits until the shown result is that of the text. */
  async settled() {
    await this.page.waitForSelector(".run-state.done");
    await this.page.waitForFunction(() => !document.body.classList.contains("stale"));
  }

  /** Opens the page and waits for its first result and for the editor. */
  async ready(where = "") {
    await this.open(where);
    await this.settled();
    await this.page.waitForSelector(".editor-host .cm-content");
  }

  async text() {
    return this.page.evaluate(() => {
      const lines = document.querySelector(".editor-host").shadowRoot.querySelectorAll(".cm-line");
      return [...lines].map((line) => line.textContent).join("\n");
    });
  }

  /** Replaces the whole text as a reader would: select all, insert. */
  async type(text) {
    await this.page.click(".editor-host .cm-content");
    await this.page.keyboard.press("Control+a");
    await this.page.keyboard.insertText(text);
  }

  async traceHash() {
    await this.page.click("#tab-log");
    return this.page.getAttribute(".log", "data-trace-hash");
  }

  /** Number of distinct colours in the lanes. */
  async colours() {
    return this.page.evaluate(() => {
      const canvas = document.getElementById("lanes");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    });
  }

  /** The pixels of the lanes as one number, to see whether they changed. */
  async picture() {
    return this.page.evaluate(() => {
      const canvas = document.getElementById("lanes");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let hash = 0;
      for (const word of new Uint32Array(data.buffer)) hash = (Math.imul(hash, 31) + word) | 0;
      return hash;
    });
  }

  /** Runs axe over the page as it stands. The script comes by the debugger, past the page's policy. */
  async axe() {
    const { readFileSync } = await import("node:fs");
    await this.page.evaluate(readFileSync(AXE, "utf8"));
    const found = await this.page.evaluate(() =>
      axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
    );
    const list = found.violations.map(
      (v) => `${v.id}: ${v.nodes.map((n) => `${n.target} ${n.failureSummary}`).join("; ")}`,
    );
    assert.deepEqual(list, []);
  }

  async noSideways() {
    const [wide, room] = await this.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide <= room, `the page is ${wide} wide in ${room}`);
  }
}

/** A scenario of `ranks` equal stages with nothing left to chance. */
export function scenario({ ranks = 4, microbatches = 8, schedule = "1f1b", forward = 10 } = {}) {
  const each = (line) => Array.from({ length: ranks }, (_, i) => line(i)).join("\n");
  return `# title: ${ranks} ranks, ${microbatches} microbatches
simulation:
  microbatches: ${microbatches}
  batches: 1
  seed: 1
pipeline:
  schedule: ${schedule}
  activation_mb: 16
  stages:
${each((i) => `    - {device: d${i}, weights_mb: 100, compute: {mode: explicit, distribution: {type: constant, value: ${forward}}}}`)}
hardware:
  devices:
${each((i) => `    - {id: d${i}, gpu: h100, node: n0, socket: "0"}`)}
  interconnect: {same_node: nvlink, cross_node: infiniband}
`;
}

export async function startBrowser() {
  const server = await serve(site, 0);
  const executablePath = process.env.SLUICE_CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ARGS });

  const profile = async (options = {}) => {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme: "light",
      acceptDownloads: true,
      ...options,
    });
    await context.addInitScript(() => {
      addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective}`));
    });
    return context;
  };

  return {
    async close() {
      await browser.close();
      await server.close();
    },
    async inFreshProfile(run) {
      const contexts = [];
      const windows = [];
      const folder = mkdtempSync(join(tmpdir(), "sluice-"));
      /** A window of a reader who has never been here. */
      const newWindow = async (options, address = server.url) => {
        const context = await profile(options);
        contexts.push(context);
        const window = new Window(await context.newPage(), address);
        windows.push(window);
        return window;
      };
      try {
        const note = await run({ newWindow, folder, url: server.url });
        for (const window of windows) window.check();
        return note;
      } finally {
        for (const context of contexts) await context.close();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}
