// The page without a network, and when there is a newer one.
import assert from "node:assert/strict";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "../../../web/serve.mjs";
import { scenario, site } from "./harness.mjs";

/** The site as it is kept on the reader's machine. */
const kept = (w) =>
  w.page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    return registration.scope;
  });

export const cases = [
  [
    "after the first visit the whole page works without a network, at any address of it",
    async ({ newWindow, folder }) => {
      cpSync(site, join(folder, "below"), { recursive: true });
      const server = await serve(folder, 0);
      const w = await newWindow({}, server.url);
      await w.ready("below/");
      assert.equal(await kept(w), `${server.url}below/`);
      await server.close();
      w.expected = [/Failed to load resource/];
      await w.ready(`below/#y=${encodeURIComponent(scenario({ ranks: 3 }))}`);
      assert.match(await w.text(), /3 ranks/);
      w.expected = [];
      await w.page.click(".actions >> text=Gallery");
      await w.page.waitForSelector(".card");
      await w.page.keyboard.press("Escape");
      await w.page.click("#tab-schedules");
      await w.page.waitForSelector(".compare:not(.busy) tbody tr:nth-child(20)");
      await w.open("below/docs/schedules.html");
      await w.page.waitForFunction(() => document.querySelector("figcaption")?.textContent);
      await w.open("below/?embed=timeline");
      await w.page.waitForSelector(".embed-facts strong");
    },
  ],
  [
    "a newer version is told, and taken when it is asked for",
    async ({ newWindow, folder }) => {
      cpSync(site, folder, { recursive: true });
      const server = await serve(folder, 0);
      try {
        const w = await newWindow({}, server.url);
        await w.ready();
        await kept(w);
        await w.ready();
        const page = join(folder, "index.html");
        writeFileSync(page, readFileSync(page, "utf8").replace("<html", '<html data-build="next"'));
        const worker = join(folder, "sw.js");
        writeFileSync(worker, readFileSync(worker, "utf8").replace(/VERSION = "\w+"/, 'VERSION = "next"'));
        await w.ready();
        assert.equal(await w.page.getAttribute("html", "data-build"), null);
        await w.page.waitForFunction(() => /new version/.test(document.querySelector(".toast")?.textContent ?? ""));
        await w.page.click(".toast >> text=Reload");
        await w.page.waitForFunction(() => document.documentElement.dataset.build === "next");
        await w.settled();
      } finally {
        await server.close();
      }
    },
  ],
  [
    "an embedded page keeps nothing",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.open("?embed=timeline");
      await w.page.waitForSelector(".embed-facts strong");
      await w.page.waitForTimeout(1500);
      const found = await w.page.evaluate(async () => [
        (await navigator.serviceWorker.getRegistrations()).length,
        (await caches.keys()).length,
      ]);
      assert.deepEqual(found, [0, 0]);
    },
  ],
];
