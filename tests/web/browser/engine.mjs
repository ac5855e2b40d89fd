// The engine as a module for others: the example of its document, run by node and by a page that knows nothing of
// ours, and its errors.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { serve } from "../../../web/serve.mjs";
import { root, scenario, site } from "./harness.mjs";

const example = readFileSync(join(root, "web/docs/module.md"), "utf8").match(/```js\n([\s\S]*?)```/)[1];
/** By hand: (16 microbatches + 2 stages - 1) * 30 ms; 2 * 16 operations a stage, and as many transfers as one has. */
const PRINTED = [/^510 ms, 96 operations and transfers$/, /^3: 3:\d+: .*1f2b/];

/** `script` as a page of a folder in which the site stands, too. The lines it logs. */
async function inPlainPage({ newWindow, folder }, script, lines) {
  symlinkSync(site, join(folder, "site"));
  writeFileSync(join(folder, "index.html"), '<!doctype html><link rel="icon" href="data:,"><script type="module" src="page.js"></script>');
  writeFileSync(join(folder, "page.js"), script);
  const server = await serve(folder, 0);
  try {
    const w = await newWindow({}, server.url);
    const said = [];
    w.page.on("console", (message) => said.push(message.text()));
    await w.open();
    for (let waits = 0; said.length < lines && waits < 100; waits++) await w.page.waitForTimeout(100);
    w.check();
    return said;
  } finally {
    await server.close();
  }
}

const inNode = async (folder, script) => {
  const file = join(folder, "script.mjs");
  writeFileSync(file, script);
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  return stdout.trim().split("\n");
};

const matches = (said) => {
  assert.equal(said.length, PRINTED.length, said.join("\n"));
  said.forEach((line, i) => assert.match(line, PRINTED[i]));
};

/** Everything else that the module offers, in words that are the same wherever it runs. */
const REST = `
const text = ${JSON.stringify(scenario({ ranks: 2, microbatches: 4 }))};
const [one, other] = await Promise.all([open(), open()]);
const [a, b] = await Promise.all([one.run(text, { formats: ["trace_csv"] }), other.run(text)]);
console.log(a.summary.trace_hash === b.summary.trace_hash, a.trace.start.buffer !== b.trace.start.buffer);
console.log(a.files.trace_csv.trim().split("\\n").length === a.trace.start.length + 1, Object.keys(b.files).length);
console.log(one.check("a: [").ok, one.check(text).ranks, a.plan.ranks.length);
const held = (await one.run(text, { memory: true })).memory;
console.log(held.length, held[0].length, Object.keys(a.memory).length);
const swept = await one.sweep(text, { over: [{ path: "simulation.microbatches", values: [2, 4, 8] }] });
console.log(JSON.stringify(swept).match(/"makespan_ms"/g).length);
const { schedules } = await one.compare(text);
console.log(schedules.filter((row) => row.current).map((row) => row.name).join());
const calling = new AbortController();
const large = text.replace("microbatches: 4", "microbatches: 200000");
const stopped = one.run(large, { signal: calling.signal, progress: () => calling.abort(new Error("enough")) });
console.log(await stopped.catch((error) => error.message));
const stuck = text.replace("seed: 1", "seed: 1\\n  communication: rendezvous");
console.log(await one.run(stuck).catch(({ name, diagnostics }) => name + " " + diagnostics[0].code));
console.log((await one.run(text)).summary.trace_hash === a.summary.trace_hash);
`;
const RESTS = ["true true", "true 0", "false 2 2", "2 187 0", "3", "1f1b", "enough", "ScenarioError order.deadlock", "true"];

export const cases = [
  [
    "the engine's example runs in node",
    async ({ folder }) => matches(await inNode(folder, example.replace("./sluice.mjs", join(site, "sluice.mjs")))),
  ],
  [
    "the engine's example runs in a plain page, under a strict policy",
    async (tools) => matches(await inPlainPage(tools, example.replace("./sluice.mjs", "./site/sluice.mjs"), 2)),
  ],
  [
    "engines share nothing, call off, sweep and compare, in node and in a plain page",
    async (tools) => {
      const from = (where) => `import { open } from "${where}sluice.mjs";${REST}`;
      assert.deepEqual(await inNode(tools.folder, from(`${site}/`)), RESTS);
      assert.deepEqual(await inPlainPage(tools, from("./site/"), RESTS.length), RESTS);
    },
  ],
  [
    "the engine's files stand beside it, types and all, and name no other",
    async () => {
      const types = readFileSync(join(site, "sluice.d.mts"), "utf8");
      for (const [, file] of types.matchAll(/from "(.*)"/g)) readFileSync(join(site, file));
      assert.doesNotMatch(types, /wasm\/sluice\.d\.ts/);
      assert.doesNotMatch(readFileSync(join(site, "sluice.mjs"), "utf8"), /^import /m);
    },
  ],
];
