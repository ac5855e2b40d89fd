// Files that a reader brings: dropped on the page or picked in the gallery.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { scenario } from "./harness.mjs";

/** As if the files had been dragged over the page and let go; each is a name and a text or bytes. */
async function dropAll(w, files) {
  await w.page.evaluate(
    (all) => {
      const dataTransfer = new DataTransfer();
      for (const [name, content] of all) {
        const part = typeof content === "string" ? content : Uint8Array.from(content);
        dataTransfer.items.add(new File([part], name));
      }
      for (const type of ["dragover", "drop"]) {
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      }
    },
    files.map(([name, content]) => [name, typeof content === "string" ? content : [...content]]),
  );
}
const drop = (w, name, text) => dropAll(w, [[name, text]]);

/** 1F1B on two ranks: F 10 ms, B 20 ms, messages 1 ms, updates of 5 and 3 ms; a step each 107 ms. */
const STEP = [
  ["F", 0, 0, 0, 10],
  ["F", 0, 1, 10, 20],
  ["F", 1, 0, 11, 21],
  ["B", 1, 0, 21, 41],
  ["F", 1, 1, 41, 51],
  ["B", 0, 0, 42, 62],
  ["B", 1, 1, 51, 71],
  ["B", 0, 1, 72, 92],
  ["U", 0, 0, 96, 101],
  ["U", 1, 0, 96, 99],
];
const STEPS = [0, 107, 214, 321].flatMap((at, iteration) =>
  STEP.map(([kind, stage, microbatch, from, to]) => ({ kind, stage, microbatch, iteration, from: at + from, to: at + to })),
);
const PHASES = { F: "FORWARD", B: "BACKWARD", U: "OPTIMIZER" };
const megatron = (rank) =>
  STEPS.filter(({ stage }) => stage === rank)
    .map(({ kind, stage, microbatch, iteration, from, to }) =>
      JSON.stringify({
        rank,
        stage,
        iteration,
        microbatch,
        event_type: "compute",
        phase: PHASES[kind],
        start_wall_ns: 1e9 + from * 1e6,
        end_wall_ns: 1e9 + to * 1e6,
        device_id: `l4_${rank}`,
        hostname: "here",
      }),
    )
    .join("\n");
/** As the profiler writes it, in microseconds; updates are the optimizer's. */
const profiler = (rank) =>
  JSON.stringify({
    schemaVersion: 1,
    distributedInfo: { backend: "nccl", rank, world_size: 2 },
    traceEvents: STEPS.filter(({ stage }) => stage === rank).map(({ kind, stage, microbatch, from, to }) => ({
      ph: "X",
      cat: kind === "U" ? "user_annotation" : "gpu_user_annotation",
      name: kind === "U" ? "Optimizer.step#AdamW.step" : `PP:${stage}${kind}${microbatch}`,
      pid: rank,
      tid: 7,
      ts: 1e6 + from * 1000,
      dur: (to - from) * 1000,
    })),
  });
const toast = (w, pattern) =>
  w.page.waitForFunction(
    (wanted) => new RegExp(wanted).test(document.querySelector(".toast")?.textContent ?? ""),
    pattern.source,
  );
async function opened(w, text = scenario()) {
  await w.ready();
  await w.type(text);
  await w.settled();
}

export const cases = [
  [
    "a dropped scenario is loaded, and can be undone",
    async ({ newWindow }) => {
      const w = await newWindow();
      await opened(w);
      const before = await w.text();
      await drop(w, "mine.yaml", scenario({ ranks: 3 }));
      await w.page.waitForFunction(() => /3 ranks/.test(document.getElementById("title").value));
      await w.settled();
      await w.page.click(".toast >> text=Undo");
      await w.settled();
      assert.equal(await w.text(), before);
      await w.page.waitForSelector(".drop-place", { state: "detached" });
    },
  ],
  [
    "a picked file is loaded",
    async ({ newWindow, folder }) => {
      const w = await newWindow();
      await w.ready();
      const file = join(folder, "five.yaml");
      writeFileSync(file, scenario({ ranks: 5 }));
      await w.page.click(".actions >> text=Gallery");
      const [chooser] = await Promise.all([
        w.page.waitForEvent("filechooser"),
        w.page.click("#gallery >> text=Open a file"),
      ]);
      await chooser.setFiles(file);
      await w.page.waitForFunction(() => /5 ranks/.test(document.getElementById("title").value));
      await w.settled();
    },
  ],
  [
    "a dropped order becomes the schedule, with its microbatches; a wrong one is refused with its line",
    async ({ newWindow }) => {
      const w = await newWindow();
      await opened(w, scenario({ ranks: 2, microbatches: 8 }));
      const before = await w.text();
      await drop(w, "order.csv", "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n");
      await toast(w, /order of 2 ranks and 2 microbatches/);
      await w.settled();
      const text = await w.text();
      assert.match(text, /^ {2}schedule:\n {4}order:\n {6}- "F0@0 F1@0 B0@0 B1@0"\n {6}- "F0@1 B0@1 F1@1 B1@1"$/m);
      assert.match(text, /microbatches: 2$/m);
      await w.page.click(".toast >> text=Undo");
      await w.settled();
      assert.equal(await w.text(), before);
      // Rank 0 never sends what rank 1 waits for first.
      await drop(w, "bad.csv", "0F0,0B0\n1F0,0B1\n");
      await toast(w, /bad\.csv, line 2: stage 0 stands on rank 1 and on rank 0/);
      assert.equal(await w.text(), before);
    },
  ],
  [
    "a dropped result is what the numbers are compared with, and the same run is recognised",
    async ({ newWindow }) => {
      const w = await newWindow();
      await opened(w);
      await w.page.click(".actions >> text=Export");
      const [file] = await Promise.all([w.page.waitForEvent("download"), w.page.click(".menu >> text=Summary, JSON")]);
      const summary = JSON.parse(readFileSync(await file.path(), "utf8"));
      await drop(w, "same.json", JSON.stringify(summary));
      await toast(w, /same\.json is this very run/);
      summary.time_ms.makespan_ms += 100;
      summary.trace_hash = "0123456789abcdef";
      await drop(w, "other.json", JSON.stringify(summary));
      await toast(w, /Compared with other\.json/);
      assert.match(await w.page.textContent(".tile .tile-note"), /100 ms better/);
    },
  ],
  [
    "what is none of these is said, and nothing changes",
    async ({ newWindow }) => {
      const w = await newWindow();
      await opened(w);
      const before = await w.text();
      await drop(w, "letter.txt", "dear reader");
      await toast(w, /letter\.txt is no scenario/);
      await drop(w, "huge.yaml", `a: ${"x".repeat(1 << 20)}`);
      await toast(w, /huge\.yaml is larger than 1 MiB/);
      assert.equal(await w.text(), before);
    },
  ],
  [
    "dropped Megatron traces stand above their replay, with errors, and become a scenario in one undo step",
    async ({ newWindow }) => {
      const w = await newWindow();
      await opened(w);
      const before = await w.text();
      await dropAll(w, [
        ["rank1.jsonl", megatron(1)],
        ["rank0.jsonl", megatron(0)],
      ]);
      await w.page.waitForSelector("#measured .stack-lanes >> nth=1");
      await w.axe();
      const row = (name) => w.page.textContent(`#measured tbody tr:has(th:text-is("${name}"))`);
      assert.match(await row("Forward, mean"), /10\.00 ms10\.00 ms0\.00 %$/);
      assert.match(await row("Backward, mean"), /20\.00 ms20\.00 ms0\.00 %$/);
      assert.match(await row("Step time, median"), /107\.0 ms/);
      await w.page.click("#measured summary >> text=The operations");
      assert.equal(await w.page.locator("#measured details tbody tr").count(), 10);
      await w.page.click("#measured >> text=Use as scenario");
      await w.settled();
      assert.match(await w.text(), /schedule: 1f1b/);
      await w.page.click(".toast >> text=Undo");
      await w.settled();
      assert.equal(await w.text(), before);
    },
  ],
  [
    "a profiler's traces come gzipped too, on a phone as well; a broken one is refused with its file",
    async ({ newWindow }) => {
      const w = await newWindow({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
      await w.open();
      await w.page.waitForSelector(".run-state.done", { state: "attached" });
      // What the tiles mean comes with what takes dropped files.
      await w.page.waitForFunction(() => document.querySelector(".tip")?.textContent);
      await dropAll(w, [
        ["rank0.json.gz", gzipSync(profiler(0))],
        ["rank1.json.gz", gzipSync(profiler(1))],
      ]);
      await w.page.waitForSelector("#measured .stack-lanes >> nth=1");
      await w.noSideways();
      assert.match(await w.page.textContent("#measured .dialog-head"), /2 traces, 4 iterations, 1f1b/);
      await w.page.keyboard.press("Escape");
      await w.page.waitForSelector("#measured", { state: "detached" });
      await drop(w, "half.jsonl", megatron(0).replace('"stage":0', '"stage":"x"'));
      await toast(w, /half\.jsonl, line 1: /);
    },
  ],
];
