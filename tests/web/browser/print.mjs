// The page on paper.
import assert from "node:assert/strict";
import { scenario } from "./harness.mjs";

export const cases = [
  [
    "printed are title, numbers, a light timeline, the text and its link, on one page, and the page comes back",
    async ({ newWindow }) => {
      const w = await newWindow({ colorScheme: "dark" });
      await w.ready();
      await w.type(scenario());
      await w.settled();
      await w.page.waitForTimeout(800);
      await w.page.emulateMedia({ media: "print" });
      await w.page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      const sheet = w.page.locator(".print-sheet");
      assert.ok(await sheet.isVisible());
      assert.ok(!(await w.page.locator(".topbar").isVisible()));
      assert.equal(await sheet.locator("h1").textContent(), "4 ranks, 8 microbatches");
      // By hand: (8 + 4 - 1) * 30 ms, and a little for the links.
      assert.match(await sheet.locator("dl").textContent(), /Step time33\d(\.\d+)? ms/);
      assert.equal((await sheet.locator("pre").textContent()).trim(), (await w.text()).trim());
      const corner = await w.page.evaluate(() => {
        const canvas = document.querySelector(".sheet-timeline canvas");
        return [...canvas.getContext("2d").getImageData(2, 2, 1, 1).data];
      });
      assert.deepEqual(corner, [255, 255, 255, 255]);
      const link = await sheet.locator("footer a").getAttribute("href");
      const pdf = (await w.page.pdf({ format: "A4" })).toString("latin1");
      assert.equal(pdf.match(/\/Type \/Page\b/g).length, 1);
      await w.page.evaluate(() => dispatchEvent(new Event("afterprint")));
      assert.equal(await sheet.count(), 0);
      await w.page.emulateMedia({ media: "screen" });
      assert.ok(await w.page.locator(".topbar").isVisible());
      const other = await newWindow();
      await other.ready(link.slice(w.address.length));
      assert.equal(await other.text(), await w.text());
    },
  ],
];
