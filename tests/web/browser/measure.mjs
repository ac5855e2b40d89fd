// How fast the page is: the machine's own speed, the main thread task by task, answers to input.
// Tasks and draws are counted in processor time, from the browser's trace: on a shared machine everything lasts longer,
// but no task takes more of the processor for it. What only the clock tells is held against the machine's speed.
import assert from "node:assert/strict";

const CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "blink.user_timing"];
/** What the loop of `spin` takes on the machine the budgets were made for, when nothing else runs there. */
const YARDSTICK_MS = 60;

const spin = () => {
  const before = performance.now();
  let x = 1;
  for (let k = 0; k < 30_000_000; k++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  return performance.now() - before + (x === 1 ? 1 : 0);
};

/** The value that a share of the numbers does not exceed. */
export const quantile = (numbers, share) => [...numbers].sort((a, b) => a - b)[Math.ceil(share * numbers.length) - 1];
export const median = (numbers) => quantile(numbers, 0.5);

/** How many times slower than that this machine is just now; never less than 1. */
export async function slowness(page) {
  const times = [];
  for (let i = 0; i < 5; i++) times.push(await page.evaluate(spin));
  return Math.max(1, median(times) / YARDSTICK_MS);
}

/** The longest parts of a task in words, for a message that helps. */
function partsOf(task, events) {
  const inside = events.filter((e) => e !== task && e.ts >= task.ts && e.ts < task.ts + task.dur && e.tdur > 4000);
  inside.sort((a, b) => b.tdur - a.tdur);
  const words = inside.slice(0, 5).map(({ name, args, tdur }) => {
    const what = args?.data?.functionName || args?.data?.type;
    return `${name}${what ? ` ${what}` : ""} ${(tdur / 1000).toFixed(0)}`;
  });
  return `${(task.tdur / 1000).toFixed(0)} ms (${words.join(", ")})`;
}

/**
 * Does `action` while the browser keeps its trace. Of the page's main thread, in ms of processor time: `longest`, its
 * longest task, with `parts`, what that was made of; `draws`, the callbacks of frames in which something was drawn;
 * and `slow`, how many times more than it should this machine takes for the loop above.
 */
export async function traced({ page }, action) {
  const browser = await page.context().browser().newBrowserCDPSession();
  const events = [];
  browser.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const traceConfig = { includedCategories: CATEGORIES };
  await browser.send("Tracing.start", { transferMode: "ReportEvents", traceConfig });
  for (let i = 0; i < 3; i++) await page.evaluate(spin);
  await page.evaluate(() => void performance.mark("action"));
  await action();
  const complete = new Promise((done) => browser.once("Tracing.tracingComplete", done));
  await browser.send("Tracing.end");
  await complete;
  await browser.detach();
  return read(events);
}

function read(events) {
  const mark = events.find(({ name, cat }) => name === "action" && cat.includes("user_timing"));
  assert.ok(mark, "the trace has no mark");
  const own = events.filter(({ pid, tid, ph, tdur }) => pid === mark.pid && tid === mark.tid && ph === "X" && tdur);
  const tasks = own.filter(({ name }) => name === "RunTask").sort((a, b) => b.tdur - a.tdur);
  const loops = tasks.filter(({ ts, dur }) => ts + dur < mark.ts).slice(0, 3);
  const [longest] = tasks.filter(({ ts }) => ts > mark.ts);
  const frames = own.filter(({ name, ts }) => name === "FireAnimationFrame" && ts > mark.ts);
  return {
    slow: Math.max(1, median(loops.map(({ tdur }) => tdur)) / 1000 / YARDSTICK_MS),
    longest: longest.tdur / 1000,
    parts: partsOf(longest, own),
    draws: frames.map(({ tdur }) => tdur / 1000).filter((ms) => ms > 0.5),
  };
}

/** Notes, from now on, how long the page takes to answer keys and presses. To be called before it is opened. */
export const watchInput = (page) =>
  page.addInitScript(() => {
    window.answers = new Map();
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries()) {
        if (interactionId) window.answers.set(interactionId, Math.max(duration, window.answers.get(interactionId) ?? 0));
      }
    }).observe({ type: "event", durationThreshold: 16, buffered: true });
  });

/** The answers of `done` keys and presses in ms; those the browser does not tell took less than its 16 ms. */
export async function answersOf(page, done) {
  const told = await page.evaluate(() => [...window.answers.values()]);
  return [...told, ...Array(Math.max(0, done - told.length)).fill(16)];
}

/** Notes the time between frames until it is asked for: `await (await frames(page))()`. */
export async function frames(page) {
  await page.evaluate(() => {
    window.frameTimes = [];
    const note = (now) => {
      window.frameTimes.push(now);
      if (!window.framesEnd) requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  });
  return async () => {
    const times = await page.evaluate(() => ((window.framesEnd = true), window.frameTimes));
    return times.slice(1).map((time, i) => time - times[i]);
  };
}

/** Counts the results of what Run asked for, not of runs beside it. To be called before the page is opened. */
export const watchResults = (page) =>
  page.addInitScript(() => {
    window.results = 0;
    window.Worker = class extends Worker {
      constructor(...args) {
        super(...args);
        this.addEventListener("message", ({ data }) => data.type === "result" && data.id === this.asked && window.results++);
      }
      postMessage(message, ...rest) {
        if (message.type === "run") this.asked = message.id;
        super.postMessage(message, ...rest);
      }
    };
  });

/** Bytes that the page keeps after its garbage is collected: objects, and arrays outside the heap. */
export async function heapOf({ page }) {
  const session = await page.context().newCDPSession(page);
  for (let i = 0; i < 3; i++) await session.send("HeapProfiler.collectGarbage");
  const { usedSize, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize + backingStorageSize;
}
