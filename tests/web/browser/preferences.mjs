// What the reader's system asks for: colours of its own, and no motion.
import assert from "node:assert/strict";

const forced = (colorScheme) => ({ forcedColors: "active", colorScheme });
/** The colours of some tokens and of the canvas, as the browser has them. */
const look = (w) =>
  w.page.evaluate(() => {
    const canvas = document.getElementById("lanes");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const count = new Map();
    for (let i = 0; i < data.length; i += 4) {
      const key = `${data[i]},${data[i + 1]},${data[i + 2]}`;
      count.set(key, (count.get(key) ?? 0) + 1);
    }
    const system = (name) => {
      const probe = document.createElement("span");
      probe.style.forcedColorAdjust = "none";
      probe.style.color = name;
      document.body.append(probe);
      const found = getComputedStyle(probe).color.match(/\d+/g).slice(0, 3).join();
      probe.remove();
      return found;
    };
    const share = (key) => (count.get(key) ?? 0) / (data.length / 4);
    return {
      forward: share("68,119,170"),
      backward: share("204,187,68"),
      canvas: share(system("Canvas")),
      edges: share(system("CanvasText")),
      pressed: getComputedStyle(document.getElementById("tool-play")).backgroundColor.match(/\d+/g).slice(0, 3).join(),
      highlight: system("Highlight"),
    };
  });

const inForcedColours = (scheme) => async ({ newWindow }) => {
  const w = await newWindow(forced(scheme));
  await w.ready();
  await w.page.click("#tool-play");
  await w.page.click("#play-toggle >> text=Pause");
  await w.page.waitForTimeout(200);
  const seen = await look(w);
  assert.ok(seen.forward > 0.03 && seen.backward > 0.1, JSON.stringify(seen));
  assert.ok(seen.canvas > 0.2 && seen.edges > 0.005, JSON.stringify(seen));
  assert.equal(seen.pressed, seen.highlight);
  await w.axe();
  await w.noSideways();
};

export const cases = [
  ["forced colours: kinds keep theirs, all else takes the reader's", inForcedColours("light")],
  ["forced colours on dark", inForcedColours("dark")],
  [
    "forced colours come and go while the page is open, and the picture book has them too",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      const usual = await w.picture();
      await w.page.emulateMedia({ forcedColors: "active" });
      await w.page.waitForTimeout(500);
      assert.notEqual(await w.picture(), usual);
      await w.page.emulateMedia({ forcedColors: "none" });
      await w.page.waitForTimeout(300);
      assert.equal(await w.picture(), usual);
      await w.page.emulateMedia({ forcedColors: "active" });
      await w.open("docs/schedules.html");
      await w.page.waitForFunction(() => document.querySelector("figcaption")?.textContent);
      await w.axe();
    },
  ],
  [
    "where motion is unwelcome nothing takes time to change",
    async ({ newWindow }) => {
      const w = await newWindow({ reducedMotion: "reduce" });
      await w.ready();
      await w.page.click(".actions >> text=Share");
      await w.page.waitForSelector("#share");
      const moving = await w.page.evaluate(() =>
        [...document.querySelectorAll("*")]
          .filter((node) => {
            const { transitionDuration, animationDuration, scrollBehavior } = getComputedStyle(node);
            const lasts = (text) => text.split(",").some((part) => Number.parseFloat(part) > 0);
            return lasts(transitionDuration) || lasts(animationDuration) || scrollBehavior === "smooth";
          })
          .map((node) => node.outerHTML.slice(0, 80)),
      );
      assert.deepEqual(moving, []);
    },
  ],
];
