// What leaves the page and comes back: links, embeds, files, scenarios from the gallery.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root, scenario } from "./harness.mjs";

const readQr = createRequire(join(root, "web/package.json"))("jsqr");

async function linkOf(w) {
  await w.page.click(".actions >> text=Share");
  await w.page.waitForFunction(() => document.getElementById("share-link")?.value.includes("#s1:"));
  return w.page.inputValue("#share-link");
}
const part = (w, link) => link.slice(w.address.length);

export const cases = [
  [
    "a shared link gives another reader the same text and the same trace",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.type(scenario({ ranks: 5, microbatches: 9 }));
      await w.settled();
      const [text, hash] = [await w.text(), await w.traceHash()];
      assert.match(hash, /^[0-9a-f]{8,}$/);
      const link = await linkOf(w);
      assert.match(await w.page.textContent(".meter"), /fine everywhere/);
      const other = await newWindow();
      await other.ready(part(w, link));
      assert.equal(await other.text(), text);
      assert.equal(await other.traceHash(), hash);
    },
  ],
  [
    "the link is a QR code, and one that is too long says so",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.type(scenario({ ranks: 2 }));
      await w.settled();
      const link = await linkOf(w);
      await w.page.click("#share-qr-toggle");
      await w.page.waitForSelector("#share-qr");
      const { data, width, height } = await w.page.evaluate(async () => {
        const image = new Image();
        const svg = new XMLSerializer().serializeToString(document.getElementById("share-qr"));
        image.src = `data:image/svg+xml,${encodeURIComponent(svg.replace("<svg", '<svg width="400" height="400"'))}`;
        await image.decode();
        const canvas = new OffscreenCanvas(400, 400);
        const g = canvas.getContext("2d");
        g.drawImage(image, 0, 0, 400, 400);
        return { data: [...g.getImageData(0, 0, 400, 400).data], width: 400, height: 400 };
      });
      assert.equal(readQr(Uint8ClampedArray.from(data), width, height)?.data, link);
      await w.axe();
      await w.page.keyboard.press("Escape");
      const random = Array.from({ length: 900 }, (_, i) => ((i * 2654435761) >>> 7).toString(36)).join("");
      await w.type(`# ${random}\n${scenario()}`);
      await w.settled();
      await linkOf(w);
      await w.page.click("#share-qr-toggle");
      await w.page.waitForFunction(() => /too long for a code/.test(document.getElementById("share").textContent));
    },
  ],
  [
    "the visible range travels with the link",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.page.focus("#tl-canvas");
      for (let i = 0; i < 3; i++) await w.page.keyboard.press("w");
      const range = await w.page.textContent("#tl-range");
      const link = await linkOf(w);
      const other = await newWindow();
      await other.ready(part(w, link));
      assert.equal(await other.page.textContent("#tl-range"), range);
    },
  ],
  [
    "a damaged link and a newer one are said, and the draft is kept",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.open();
      await w.page.evaluate(() => localStorage.setItem("sluice:draft", "# title: mine\n"));
      await w.ready("#s1:7Vhbb9s2F");
      assert.match(await w.page.textContent(".notice"), /damaged/);
      assert.equal(await w.page.evaluate(() => localStorage.getItem("sluice:draft")), "# title: mine\n");
      await w.ready("#s9:AAAA");
      assert.match(await w.page.textContent(".notice"), /newer version/);
      await w.ready(`#y=${encodeURIComponent(scenario({ ranks: 3 }))}`);
      assert.match(await w.page.inputValue("#title"), /3 ranks/);
    },
  ],
  [
    "a link whose last visit did not finish waits to be asked",
    async ({ newWindow }) => {
      const w = await newWindow();
      // Any file of the site, so that no running page tidies up when it is left.
      w.expected = [/404/]; // a bare file makes the browser ask for favicon.ico
      await w.open("favicon.svg");
      const hash = `#y=${encodeURIComponent(scenario({ ranks: 3 }))}`;
      await w.page.evaluate((mark) => localStorage.setItem("sluice:guard", mark), hash);
      await w.open(hash);
      await w.page.waitForFunction(() => /did not finish/.test(document.getElementById("insight")?.textContent ?? ""));
      await w.page.waitForTimeout(500);
      assert.equal(await w.page.locator(".run-state.done").count(), 0);
      await w.page.click("#insight-apply");
      await w.settled();
      assert.equal(await w.page.evaluate(() => localStorage.getItem("sluice:guard")), null);
    },
  ],
  [
    "a link opened over the page is loaded, and can be undone",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      const before = await w.text();
      await w.page.evaluate((hash) => (location.hash = hash), `#y=${encodeURIComponent(scenario({ ranks: 3 }))}`);
      await w.page.waitForFunction(() => /3 ranks/.test(document.getElementById("title").value));
      await w.settled();
      await w.page.click(".toast .button.small:not(.square)");
      await w.settled();
      assert.equal(await w.text(), before);
    },
  ],
  [
    "a scenario from the gallery loads in one undo step",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      const before = await w.text();
      await w.page.click(".actions >> text=Gallery");
      await w.page.waitForSelector(".card");
      const cards = await w.page.locator(".card").count();
      assert.ok(cards >= 2, `${cards} cards`);
      await w.page.waitForFunction(() => /bubble \d+ %/.test(document.querySelector(".cards").textContent));
      const title = await w.page.inputValue("#title");
      const other = w.page.locator(".card-link").filter({ hasNotText: title }).first();
      const name = await other.textContent();
      await other.click();
      await w.page.waitForFunction((wanted) => document.getElementById("title").value === wanted, name);
      await w.settled();
      await w.page.click(".editor-host .cm-content");
      await w.page.keyboard.press("Control+z");
      await w.settled();
      assert.equal(await w.text(), before);
    },
  ],
  [
    "the gallery filters by word and by level",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.page.click(".actions >> text=Gallery");
      await w.page.waitForSelector(".card");
      const all = await w.page.locator(".card").count();
      await w.page.fill("#gallery input[type=search]", "gpipe");
      const some = await w.page.locator(".card").count();
      assert.ok(some > 0 && some < all, `${some} of ${all}`);
      await w.page.fill("#gallery input[type=search]", "no such thing");
      assert.match(await w.page.textContent(".gallery-none"), /Nothing matches/);
    },
  ],
  [
    "every export comes down and can be read",
    async ({ newWindow, folder }) => {
      const w = await newWindow();
      await w.ready();
      await w.type(scenario());
      await w.settled();
      const get = async (label) => {
        await w.page.click(".actions >> text=Export");
        const [file] = await Promise.all([w.page.waitForEvent("download"), w.page.click(`.menu >> text=${label}`)]);
        const path = join(folder, file.suggestedFilename());
        await file.saveAs(path);
        return { name: file.suggestedFilename(), bytes: readFileSync(path) };
      };
      const yaml = await get("Scenario, YAML");
      assert.equal(yaml.name, "4-ranks-8-microbatches.yaml");
      assert.equal(yaml.bytes.toString().trim(), (await w.text()).trim());
      const summary = JSON.parse((await get("Summary, JSON")).bytes);
      assert.ok(summary.time_ms.makespan_ms > 0);
      assert.equal(summary.trace_hash, await w.traceHash());
      const csv = (await get("Trace, CSV")).bytes.toString().trim().split("\n");
      const fields = (line) => line.replace(/"(?:[^"]|"")*"/g, "").split(",").length;
      assert.ok(csv.length > 64 && csv.every((line) => fields(line) === fields(csv[0])));
      const chrome = JSON.parse((await get("Chrome trace")).bytes);
      assert.ok((chrome.traceEvents ?? chrome).length > 64);
      assert.match((await get("Timeline, SVG")).bytes.toString(), /^(<\?xml[^>]*>\s*)?<svg[\s\S]*<\/svg>\s*$/);
      const png = (await get("Timeline, PNG")).bytes;
      assert.deepEqual([...png.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
      assert.ok(png.length > 5000);
    },
  ],
  [
    "an embedded timeline shows the scenario, stores nothing, and leads to the page",
    async ({ newWindow }) => {
      const w = await newWindow({ viewport: { width: 800, height: 300 } });
      const hash = `#y=${encodeURIComponent(scenario({ ranks: 6 }))}`;
      await w.open(`?embed=timeline${hash}`);
      await w.page.waitForSelector(".embed-facts strong");
      await w.page.waitForTimeout(200);
      assert.ok((await w.colours()) > 6);
      assert.equal(await w.page.textContent("#embed-title"), "6 ranks, 8 microbatches");
      assert.equal(await w.page.locator(".topbar, .editor, .tiles").count(), 0);
      assert.equal(await w.page.evaluate(() => localStorage.length + sessionStorage.length), 0);
      assert.equal(await w.page.getAttribute(".embed-bar a", "href"), `${w.address}${hash}`);
      await w.noSideways();
    },
  ],
];
