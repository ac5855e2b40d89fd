// The page in its forms: axe has nothing to say in any of them, and nothing scrolls sideways.
import assert from "node:assert/strict";
import { scenario } from "./harness.mjs";

const dark = { colorScheme: "dark" };
const phone = (width) => ({ viewport: { width, height: width === 320 ? 640 : 844 }, hasTouch: true, isMobile: true });

async function broken(w) {
  await w.ready();
  await w.type(scenario().replace("microbatches: 8", "microbatchs: 8"));
  await w.page.waitForSelector(".run-state.bad");
  await w.page.waitForSelector(".cm-lintRange-error");
}
const dialog = (label, id) => async (w) => {
  await w.ready();
  await w.page.click(label);
  await w.page.waitForSelector(`#${id}`);
  await w.page.waitForTimeout(300);
};
const tab = (name) => async (w) => {
  await w.open();
  await w.page.waitForFunction(() => /\d/.test(document.querySelector(".tile-value")?.textContent ?? ""));
  await w.page.waitForSelector(".editor-host .cm-content", { state: "attached" });
  await w.page.click(`.bottom-tabs [data-tab=${name}]`);
};

async function compared(w) {
  await w.ready();
  await w.page.click("#tab-schedules");
  await w.page.waitForSelector(".compare:not(.busy) tbody tr:nth-child(20)");
}
async function opened(w) {
  await w.page.click("#choose-schedule");
  await w.page.waitForSelector("#picker input:checked");
  await w.page.check("#picker input[value=interleaved_1f1b]");
  await w.page.waitForSelector(".pick-numbers .facts");
}
async function picker(w) {
  await w.ready();
  await opened(w);
}
async function pickerOnPhone(w) {
  await tab("edit")(w);
  await opened(w);
}
async function ordering(w) {
  await w.ready();
  await w.page.click("#tool-order");
  await w.page.waitForSelector("#order-bar");
  await w.page.focus("#tl-canvas");
  await w.page.keyboard.press("ArrowRight");
  await w.page.click("#order-bar >> text=Later");
  await w.page.waitForSelector(".order-verdict:not(:has(.muted))");
}
async function orderingOnPhone(w) {
  await tab("timeline")(w);
  await w.page.click("#tool-order");
  await w.page.waitForSelector("#order-bar");
}
async function playing(w) {
  await w.ready();
  await w.page.click("#tool-play");
  await w.page.click("#play-toggle >> text=Pause");
}
async function playingOnPhone(w) {
  await tab("timeline")(w);
  await w.page.click("#tool-play");
  await w.page.click("#play-toggle >> text=Pause");
}
async function stacked(w) {
  await compared(w);
  for (const name of ["zb_h1", "dualpipe"]) await w.page.check(`[aria-label='Draw ${name}']`);
  await w.page.click("#draw-picked");
  await w.page.waitForFunction(() => document.querySelectorAll(".stack-lanes").length === 2);
}

const paired = (width) => async (w) => {
  if (width) await tab("timeline")(w);
  else await w.ready();
  await w.page.click("#tab-pair");
  await w.page.click(".pair .button.primary");
  if (width) await w.page.click(".bottom-tabs [data-tab=edit]");
  await w.type(scenario({ ranks: 8, schedule: "zb_h1" }));
  if (width) await w.page.click(".bottom-tabs [data-tab=timeline]");
  await w.page.waitForSelector(".pair-figure");
};

/** A sweep over one value, over two, or many seeds of a scenario with chance in it. */
const swept = (kind) => async (w) => {
  await w.page.click("#tab-sweep");
  if (kind === "two") {
    await w.page.fill("#sweep-path-1", "pipeline.schedule");
    await w.page.fill("#sweep-values-1", "1f1b,gpipe,dualpipe");
  }
  await w.page.fill("#sweep-seeds", kind === "two" ? "1" : "20");
  if (kind === "chance") for (const id of ["path", "values"]) await w.page.fill(`#sweep-${id}-0`, "");
  await w.page.click("#sweep-start");
  await w.page.waitForSelector(".compare-say >> text=runs.");
};
const sweeping = (kind) => async (w) => {
  await w.ready();
  if (kind !== "two") {
    await w.type(scenario().replaceAll("{type: constant, value: 10}", "{type: normal, mean: 10, std: 2}"));
    await w.settled();
  }
  await swept(kind)(w);
};
const sweepingOnPhone = (kind) => async (w) => {
  await tab("timeline")(w);
  await swept(kind)(w);
};

/** A search that has ended, on the page as it is or on a phone. */
const tuned = (onPhone) => async (w) => {
  if (onPhone) await tab("timeline")(w);
  else await w.ready();
  await w.page.click("#tab-tune");
  await w.page.click("#tune-start");
  await w.page.waitForSelector("#tune-take", { timeout: 60_000 });
};

const STATES = [
  ["default", {}, (w) => w.ready()],
  ["default, dark", dark, (w) => w.ready()],
  ["error", {}, broken],
  ["error, dark", dark, broken],
  ["share", {}, dialog(".actions >> text=Share", "share")],
  ["gallery", {}, dialog(".actions >> text=Gallery", "gallery")],
  ["gallery, dark", dark, dialog(".actions >> text=Gallery", "gallery")],
  ["help", {}, dialog(".actions [aria-label^=Keyboard]", "help")],
  ["table", {}, dialog("text=Table", "table")],
  [
    "log and memory",
    {},
    async (w) => {
      await w.ready();
      await w.page.click("#tab-log");
      await w.page.click(".resolved summary");
    },
  ],
  [
    "export menu",
    {},
    async (w) => {
      await w.ready();
      await w.page.click(".actions >> text=Export");
      await w.page.waitForSelector(".menu");
    },
  ],
  [
    "embed",
    { viewport: { width: 800, height: 300 } },
    async (w) => {
      await w.open("?embed=timeline");
      await w.page.waitForSelector(".embed-facts strong");
    },
  ],
  ["tablet", { viewport: { width: 820, height: 1180 } }, (w) => w.ready()],
  ["all schedules", {}, compared],
  ["all schedules, dark", dark, compared],
  ["sweep over one value", {}, sweeping("one")],
  ["sweep over one value, dark", dark, sweeping("one")],
  ["sweep over two values", {}, sweeping("two")],
  ["sweep over two values, dark", dark, sweeping("two")],
  ["sweep over two values on a phone", phone(320), sweepingOnPhone("two")],
  ["sweep over one value on a phone", phone(320), sweepingOnPhone("one")],
  ["many seeds", {}, sweeping("chance")],
  ["many seeds, dark", dark, sweeping("chance")],
  ["tune", {}, tuned(false)],
  ["tune, dark", dark, tuned(false)],
  ["tune on a phone", phone(320), tuned(true)],
  ["picker", {}, picker],
  ["picker, dark", dark, picker],
  ["under each other", {}, stacked],
  ["under each other, dark", dark, stacked],
  ["compare A/B", {}, paired(0)],
  ["compare A/B, dark", dark, paired(0)],
  ["compare A/B on a phone", phone(320), paired(320)],
  ["order by hand", {}, ordering],
  ["order by hand, dark", dark, ordering],
  ["order by hand on a phone", phone(320), orderingOnPhone],
  ["playback", {}, playing],
  ["playback, dark", dark, playing],
  ["playback on a phone", phone(320), playingOnPhone],
  ["picker on a phone", phone(390), pickerOnPhone],
  [
    "paper style, dark",
    dark,
    async (w) => {
      await w.ready();
      await w.page.selectOption("#colour-mode", "paper");
    },
  ],
  ["small laptop", { viewport: { width: 1040, height: 800 } }, (w) => w.ready()],
  ...[390, 320].flatMap((width) =>
    ["edit", "timeline", "metrics"].map((name) => [`phone ${width}, ${name}`, phone(width), tab(name)]),
  ),
  ["phone 390, dark", { ...phone(390), ...dark }, tab("timeline")],
];

export const cases = [
  ...STATES.map(([name, options, prepare]) => [
    `axe: ${name}`,
    async ({ newWindow }) => {
      const w = await newWindow(options);
      await prepare(w);
      await w.axe();
      await w.noSideways();
    },
  ]),
  [
    "on a phone one view at a time, with targets of 44 pixels",
    async ({ newWindow }) => {
      const w = await newWindow(phone(390));
      await tab("timeline")(w);
      await w.page.waitForSelector("#tl-canvas", { state: "visible" });
      await w.page.waitForSelector(".editor", { state: "hidden" });
      await w.page.waitForSelector(".tiles", { state: "hidden" });
      await w.page.click(".bottom-tabs [data-tab=metrics]");
      await w.page.waitForSelector(".tiles", { state: "visible" });
      await w.page.waitForSelector("#tl-canvas", { state: "hidden" });
      await w.page.click(".bottom-tabs [data-tab=edit]");
      await w.page.waitForSelector(".editor-host .cm-content", { state: "visible" });
      for (const name of ["edit", "timeline", "metrics"]) {
        await w.page.click(`.bottom-tabs [data-tab=${name}]`);
        await w.page.waitForTimeout(100);
        const low = await w.page.evaluate(() =>
          [...document.querySelectorAll("button:not(.tile-label), a, input")]
            .filter((node) => node.checkVisibility() && !node.classList.contains("skip"))
            .filter((node) => node.getBoundingClientRect().height < 43.5)
            .map((node) => node.outerHTML.slice(0, 80)),
        );
        assert.deepEqual(low, [], name);
      }
    },
  ],
  [
    "two fingers zoom, one moves",
    async ({ newWindow }) => {
      const w = await newWindow(phone(390));
      await tab("timeline")(w);
      const box = await w.page.locator("#tl-canvas").boundingBox();
      const session = await w.page.context().newCDPSession(w.page);
      const touch = (type, ...xs) =>
        session.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: xs.map((x, id) => ({ x: box.x + x, y: box.y + 60, id })),
        });
      const range = () => w.page.textContent("#tl-range");
      await touch("touchStart", 100, 140);
      for (const by of [10, 20, 30, 40]) await touch("touchMove", 100 - by, 140 + by);
      await touch("touchEnd");
      await w.page.waitForFunction(() => document.getElementById("tl-range").textContent !== "Whole run");
      const zoomed = await range();
      await touch("touchStart", 150);
      for (const by of [10, 30, 50]) await touch("touchMove", 150 - by);
      await touch("touchEnd");
      assert.notEqual(await range(), zoomed);
    },
  ],
  [
    "on a phone gallery, share and export are behind one button",
    async ({ newWindow }) => {
      const w = await newWindow(phone(390));
      await tab("timeline")(w);
      await w.page.click(".more button");
      await w.page.click(".menu >> text=Gallery");
      await w.page.waitForSelector(".card");
      await w.noSideways();
    },
  ],
  [
    "the theme is chosen, shown and remembered",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      const light = await w.picture();
      await w.page.click("#theme");
      await w.page.click("#theme");
      assert.equal(await w.page.getAttribute("#theme", "aria-label"), "Theme: dark");
      await w.page.waitForTimeout(100);
      assert.notEqual(await w.picture(), light);
      await w.ready();
      assert.equal(await w.page.evaluate(() => document.documentElement.dataset.theme), "dark");
    },
  ],
  [
    "the help lists the keys, and a question mark opens it",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      await w.page.focus("#tl-canvas");
      await w.page.keyboard.press("?");
      await w.page.waitForSelector("#help");
      assert.match(await w.page.textContent("#help"), /zoom in and out/);
      await w.page.keyboard.press("Escape");
      await w.page.waitForSelector("#help", { state: "detached" });
      assert.equal(await w.page.evaluate(() => document.activeElement.id), "tl-canvas");
    },
  ],
];
