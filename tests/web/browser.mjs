// Drives the built site in Chromium: every case in a fresh profile, one line each, and at the end the count.
// `node browser.mjs [WORD]` runs the cases whose name contains the word.
import { startBrowser } from "./browser/harness.mjs";
import { cases as book } from "./browser/book.mjs";
import { cases as budgets } from "./browser/budgets.mjs";
import { cases as docs } from "./browser/docs.mjs";
import { cases as editing } from "./browser/editing.mjs";
import { cases as engine } from "./browser/engine.mjs";
import { cases as examples } from "./browser/examples.mjs";
import { cases as figures } from "./browser/figures.mjs";
import { cases as first } from "./browser/first.mjs";
import { cases as forms } from "./browser/forms.mjs";
import { cases as hostile } from "./browser/hostile.mjs";
import { cases as imports } from "./browser/import.mjs";
import { cases as lessons } from "./browser/lessons.mjs";
import { cases as links } from "./browser/links.mjs";
import { cases as offline } from "./browser/offline.mjs";
import { cases as order } from "./browser/order.mjs";
import { cases as pair } from "./browser/pair.mjs";
import { cases as overTime } from "./browser/over_time.mjs";
import { cases as playback } from "./browser/playback.mjs";
import { cases as preferences } from "./browser/preferences.mjs";
import { cases as print } from "./browser/print.mjs";
import { cases as quick } from "./browser/quick.mjs";
import { cases as runs } from "./browser/runs.mjs";
import { cases as schedules } from "./browser/schedules.mjs";
import { cases as sizes } from "./browser/sizes.mjs";
import { cases as sweep } from "./browser/sweep.mjs";
import { cases as timeline } from "./browser/timeline.mjs";
import { cases as whatIf } from "./browser/whatif.mjs";

const wanted = process.argv[2] ?? "";
const all = [
  ...sizes,
  ...first,
  ...figures,
  ...editing,
  ...quick,
  ...runs,
  ...timeline,
  ...overTime,
  ...order,
  ...playback,
  ...whatIf,
  ...schedules,
  ...pair,
  ...sweep,
  ...book,
  ...docs,
  ...lessons,
  ...links,
  ...hostile,
  ...imports,
  ...print,
  ...offline,
  ...engine,
  ...forms,
  ...preferences,
  ...examples,
  ...budgets,
];
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
