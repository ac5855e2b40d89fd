// Drives the built site in Chromium: every case in a fresh profile, one line each, and at the end the count.
// `node browser.mjs [WORD]` runs the cases whose name contains the word.
import { startBrowser, wantedTime } from "./browser/harness.mjs";
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
import { cases as learn } from "./browser/learn.mjs";
import { cases as lessons } from "./browser/lessons.mjs";
import { cases as links } from "./browser/links.mjs";
import { cases as offline } from "./browser/offline.mjs";
import { cases as order } from "./browser/order.mjs";
import { cases as pair } from "./browser/pair.mjs";
import { cases as overTime } from "./browser/over_time.mjs";
import { cases as plan } from "./browser/plan.mjs";
import { cases as playback } from "./browser/playback.mjs";
import { cases as preferences } from "./browser/preferences.mjs";
import { cases as print } from "./browser/print.mjs";
import { cases as quick } from "./browser/quick.mjs";
import { cases as runs } from "./browser/runs.mjs";
import { cases as schedules } from "./browser/schedules.mjs";
import { cases as sizes } from "./browser/sizes.mjs";
import { cases as sweep } from "./browser/sweep.mjs";
import { cases as timeline } from "./browser/timeline.mjs";
import { cases as tune } from "./browser/tune.mjs";
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
  ...tune,
  ...plan,
  ...book,
  ...docs,
  ...learn,
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
/** Cases that may have a second try in a run of all: more than that is no stall of the machine. */
const MOST_AGAIN = 4;

const browser = await startBrowser();
const report = (error) =>
  String(error?.message ?? error)
    .split("\n")
    .slice(0, 12)
    .join("\n      ");

/** Runs a case; for want of time alone it is tried once more, and that is said. */
async function trial(run, again) {
  try {
    return { note: await browser.inFreshProfile(run) };
  } catch (error) {
    if (!again || !wantedTime(error)) return { error };
    const second = await trial(run, false);
    const first = `second try; at first: ${report(error).split("\n")[0]}`;
    return second.error ? second : { note: second.note ? `${second.note}; ${first}` : first, second: true };
  }
}

let passed = 0;
let failed = 0;
let again = 0;
for (const [name, run] of all.filter(([name]) => name.includes(wanted))) {
  const before = Date.now();
  const { note, error, second } = await trial(run, again < MOST_AGAIN);
  if (second) again++;
  if (error) {
    failed++;
    console.log(`FAIL  ${name}\n      ${report(error)}`);
  } else {
    passed++;
    console.log(`ok    ${name}${note ? ` (${note})` : ""} ${Date.now() - before} ms`);
  }
}
await browser.close();
if (again > 0) console.log(`${again} of them in a second try, since time was short in the first`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
