// Links from strangers: scripts in names, too much of everything, bytes that are no text. The page shows names as text,
// says what it does not take, and stays usable; the harness fails a case on any error or breach of the policy.
import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root, scenario } from "./harness.mjs";

/** What is that large takes a busy machine a while. */
const PATIENCE = 60_000;

const packed = (bytes) => `#s1:${deflateRawSync(bytes, { level: 9 }).toString("base64url")}`;
const plain = (text) => `#y=${encodeURIComponent(text)}`;

const HARM = ["<img src=x onerror=window.harmed=1>", "\\\"><script>window.harmed=1</script>", "</title><svg onload=window.harmed=1>"];
/** Devices, nodes and title bear names that would run if any part of the page took them for markup. */
const harmful = HARM.reduce(
  (text, name, i) => text.replaceAll(new RegExp(`\\bd${i}\\b`, "g"), () => `"${name}"`),
  scenario({ ranks: 3 }),
)
  .replaceAll("node: n0", `node: "${HARM[0]}"`)
  .replace(/^# title:.*$/m, () => `# title: ${HARM[0]} ${HARM[2]}`);

async function unharmed({ page }) {
  assert.equal(await page.evaluate(() => window.harmed), undefined);
  const made = await page.evaluate(() => {
    const roots = [document, document.querySelector(".editor-host")?.shadowRoot].filter(Boolean);
    return roots.flatMap((at) => [...at.querySelectorAll("img, script:not([src]), [onload], [onerror]")]).map((n) => n.outerHTML);
  });
  assert.deepEqual(made, []);
}

/** What the page says of the link; and it can still be used. */
async function refused(w, pattern) {
  await w.page.waitForSelector(".notice");
  assert.match(await w.page.textContent(".notice"), pattern);
  await w.page.click(".notice button");
  await w.page.waitForSelector(".editor-host .cm-content");
  await w.type(scenario({ ranks: 3 }));
  await w.page.waitForFunction(() => /3 ranks/.test(document.getElementById("title").value));
  await w.settled();
}

export const cases = [
  [
    "a hostile link: markup in names is text in every part of the page, and in what leaves it",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready(plain(harmful));
      assert.equal(await w.text(), harmful);
      await w.page.focus("#tl-canvas");
      for (const key of ["ArrowRight", "ArrowDown", "Enter"]) await w.page.keyboard.press(key);
      for (const tab of ["schedules", "memory", "figures", "log", "inspector"]) await w.page.click(`#tab-${tab}`);
      const box = await w.page.locator("#tl-canvas").boundingBox();
      await w.page.mouse.move(box.x + 40, box.y + 40);
      await w.page.click("text=Table");
      await w.page.waitForSelector("#table tbody tr");
      await w.page.keyboard.press("Escape");
      await w.page.click(".actions >> text=Share");
      await w.page.waitForFunction(() => document.getElementById("share-link")?.value.includes("#s1:"));
      await unharmed(w);
      // The snippet, put into a page as its reader would: one frame, and nothing else.
      const made = await w.page.evaluate(() => {
        const { value } = [...document.querySelectorAll("#share textarea, #share input")].find((n) => n.value.includes("<iframe"));
        const nodes = new DOMParser().parseFromString(value, "text/html").body.querySelectorAll("*");
        return [...nodes].map((node) => node.tagName);
      });
      assert.deepEqual(made, ["IFRAME"]);
      await w.page.keyboard.press("Escape");
      await w.page.click(".actions >> text=Export");
      const download = w.page.waitForEvent("download");
      await w.page.click("[role=menuitem]:has-text('Timeline, SVG')");
      const svg = readFileSync(await (await download).path(), "utf8");
      // A page of its own, since this one's policy would refuse the styles of the parsed picture.
      const blank = await w.page.context().newPage();
      const found = await blank.evaluate((text) => {
        const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
        const bad = "parsererror, script, img, foreignObject, [onload], [onerror]";
        return [...parsed.querySelectorAll(bad)].map((node) => node.tagName);
      }, svg);
      assert.deepEqual(found, []);
      await unharmed(w);
    },
  ],
  [
    "a hostile link: an embedded timeline shows names as text, too",
    async ({ newWindow }) => {
      const w = await newWindow({ viewport: { width: 800, height: 300 } });
      await w.open(`?embed=timeline${plain(harmful)}`);
      await w.page.waitForSelector(".embed-facts strong");
      await unharmed(w);
    },
  ],
  [
    "a hostile link: a megabyte, a bomb and bytes that are no text are refused in words, and the page works on",
    async ({ newWindow }) => {
      const w = await newWindow();
      w.page.setDefaultTimeout(PATIENCE);
      const noise = Buffer.alloc(700_000);
      for (let i = 0, x = 1; i < noise.length; i++) noise[i] = (x = (Math.imul(x, 1664525) + 1013904223) >>> 0) >>> 24;
      for (const [hash, pattern] of [
        [packed(Buffer.alloc(64 << 20, "- ")), /more than 1 MiB/],
        [packed(Buffer.from([0x61, 0x3a, 0x20, 0xc3, 0x28, 0xff, 0xfe])), /damaged/],
        ["#y=%ED%A0%80", /damaged/],
      ]) {
        await w.open(hash);
        await w.settled();
        await refused(w, pattern);
      }
      // Put in the place of the hash of an open page: the browser's driver chokes on such an address, not the page.
      for (const [hash, pattern] of [
        [`#s1:${noise.toString("base64url")}`, /damaged/],
        [`#y=${"a".repeat(1_100_000)}`, /more than 1 MiB/],
      ]) {
        await w.page.evaluate((one) => (location.hash = one), hash);
        await refused(w, pattern);
        await w.open();
        await w.settled();
      }
    },
  ],
  [
    "a hostile link: YAML that is deep, that multiplies, or that asks for too much is a problem in the list",
    async ({ newWindow }) => {
      const w = await newWindow();
      const doubled = Array.from({ length: 40 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`).join("\n");
      for (const text of ["[".repeat(50_000), `a0: &a0 [x, x]\n${doubled}\n`, "? ".repeat(20_000), "a: \u0000\u0007\u202e\u2028b\n"]) {
        await w.open(plain(text));
        await w.page.waitForSelector(".run-state.bad");
        await w.page.waitForSelector(".editor-host .cm-content");
        assert.ok((await w.page.locator(".problems li.error").count()) > 0);
      }
      await w.open(plain(scenario({ ranks: 64, microbatches: 1_000_000 })));
      await w.page.waitForSelector(".run-state:not(.done):not(.busy)");
      await w.type(scenario({ ranks: 2 }));
      await w.settled();
    },
  ],
  [
    "links shared with an earlier version open with their text, and it runs",
    async ({ newWindow }) => {
      const links = JSON.parse(readFileSync(join(root, "tests/web/links.json"), "utf8"));
      const w = await newWindow();
      for (const { hash, text, look, view } of links) {
        await w.ready(hash);
        assert.equal((await w.text()).trim(), text.replaceAll("\r\n", "\n").trim());
        assert.equal(await w.page.locator(".notice, .problems li.error").count(), 0);
        assert.equal(await w.page.inputValue("#colour-mode"), look.split(".")[0] || "kind");
        assert.equal((await w.page.textContent("#tl-range")) === "Whole run", view === null);
      }
      return `${links.length} links`;
    },
  ],
];
