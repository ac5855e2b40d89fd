// The documents as pages: found from the page, read without scripts, every link leads somewhere, every key is there.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root, site } from "./harness.mjs";

const folder = join(site, "docs");
const pages = () => readdirSync(folder).filter((file) => file.endsWith(".html"));

export const cases = [
  [
    "documents: every link and every picture of every page is there",
    async () => {
      let links = 0;
      const idsOf = (file) => [...readFileSync(file, "utf8").matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
      for (const page of pages()) {
        const html = readFileSync(join(folder, page), "utf8");
        for (const [, href] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
          const [path, hash] = href.replaceAll("&amp;", "&").split("#");
          if (/^https:/.test(path) || /^s1:|^y=/.test(hash ?? "")) continue;
          let file = path === "" ? join(folder, page) : join(folder, path);
          if (path.endsWith("/")) file = join(file, "index.html");
          assert.ok(existsSync(file), `${page} leads to ${href}`);
          if (hash) assert.ok(idsOf(file).includes(decodeURIComponent(hash)), `${page} leads to ${href}`);
          links++;
        }
      }
      const written = readdirSync(join(root, "web/docs")).filter((file) => file.endsWith(".md") && file !== "README.md");
      for (const file of written) assert.ok(pages().includes(file.replace(".md", ".html")), `${file} is a page`);
      return `${links} links`;
    },
  ],
  [
    "documents: read without scripts, by keys, in the dark and at 320 px",
    async ({ newWindow }) => {
      const plain = await newWindow({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
      await plain.open("docs/");
      await plain.page.click("nav >> text=Every key");
      assert.match(await plain.page.textContent("h1"), /Every key/);
      assert.match(await plain.page.textContent("[id='simulation.microbatches']"), /integer, at least 1/);
      for (const colorScheme of ["light", "dark"]) {
        const w = await newWindow({ colorScheme, viewport: { width: 320, height: 640 } });
        for (const page of ["index", "scenario", "reference", "accuracy"]) {
          await w.open(`docs/${page}.html`);
          await w.noSideways();
          await w.axe();
        }
        await w.page.keyboard.press("Tab");
        assert.equal(await w.page.evaluate(() => document.activeElement.className), "skip");
      }
    },
  ],
  [
    "documents: the reference says of keys what the handbook says, and the card over a key leads to its row",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.page.locator(".editor-host .cm-line span", { hasText: /^microbatches$/ }).first().hover();
      await w.page.waitForSelector(".cm-doc a");
      const [reference] = await Promise.all([w.page.context().waitForEvent("page"), w.page.click(".cm-doc a")]);
      await reference.waitForSelector("h1");
      assert.equal(decodeURIComponent(new URL(reference.url()).hash), "#simulation.microbatches");
      const row = (path) => reference.textContent(`[id='${path}']`);
      assert.match(await row("simulation.microbatches"), /integer, at least 1.*required.*Microbatches in one batch/);
      assert.match(await row("simulation.physics"), /default "sluice".*hops/);
      assert.match(await row("pipeline.backward_split.activation_grad_fraction"), /0 to 1, default 0\.5/);
      assert.match(await row("pipeline.activation_mb"), /MiB/);
      assert.ok(await row("pipeline.stages[].device"));
    },
  ],
  [
    "documents: the help leads to them",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.page.focus("#tl-canvas");
      await w.page.keyboard.press("?");
      const [opened] = await Promise.all([w.page.context().waitForEvent("page"), w.page.click("#help >> text=Documents")]);
      await opened.waitForSelector("h1");
      assert.equal(await opened.textContent("h1"), "Documents");
    },
  ],
];
