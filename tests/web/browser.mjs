// Drives the built site in Chromium: every case in a fresh profile, one line each, and at the end the count.
// `node browser.mjs [WORD]` runs the cases whose name contains the word.
import { startBrowser } from "./browser/harness.mjs";
import { cases as editing } from "./browser/editing.mjs";
import { cases as examples } from "./browser/examples.mjs";
import { cases as first } from "./browser/first.mjs";
import { cases as forms } from "./browser/forms.mjs";
import { cases as links } from "./browser/links.mjs";
import { cases as runs } from "./browser/runs.mjs";
import { cases as sizes } from "./browser/sizes.mjs";
import { cases as timeline } from "./browser/timeline.mjs";

const wanted = process.argv[2] ?? "";
const all = [...sizes, ...first, ...editing, ...runs, ...timeline, ...links, ...forms, ...examples];
const browser = await startBrowser();
let passed = 0;
let failed = 0;
for (const [name, run] of all.filter(([name]) => name.includes(wanted))) {
  const before = Date.now();
  try {
    const note = await browser.inFreshProfile(run);
    passed++;
    console.log(`ok    ${name}${note ? ` (${note})` : ""} ${Date.now() - before} ms`);
  } catch (error) {
    failed++;
    console.log(
      `FAIL  ${name}\n      ${String(error?.message ?? error)
        .split("\n")
        .slice(0, 12)
        .join("\n      ")}`,
    );
  }
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
