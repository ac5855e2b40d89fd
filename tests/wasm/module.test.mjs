// Holds build/wasm/sluice.mjs, loaded as node loads it, to wasm/sluice.d.ts. Ends with "N passed, N failed".
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const built = resolve(process.env.SLUICE_MODULE_DIR ?? join(root, "build/wasm"));
const declared = readFileSync(join(root, "wasm/sluice.d.ts"), "utf8");
const sluice = await load();

/** The module, or the end of this program: an uncaught error would print the whole glue, which is one line. */
async function load() {
  try {
    const { default: createSluice } = await import(pathToFileURL(join(built, "sluice.mjs")));
    return await createSluice({ wasmBinary: readFileSync(join(built, "sluice.wasm")), printErr: () => {} });
  } catch (error) {
    console.log(`FAILED the module loads\n       ${String(error?.message ?? error).slice(0, 500)}`);
    console.log("0 passed, 1 failed");
    process.exit(1);
  }
}

const tests = [];
const test = (name, body) => tests.push({ name, body });

/** Names of the members of `export interface NAME` in the .d.ts, in their order. */
function members(name) {
  const body = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(declared)?.[1];
  assert.ok(body, `wasm/sluice.d.ts declares no ${name}`);
  const bare = body.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
  return [...bare.matchAll(/^ {2}(\w+)[?]?[(:]/gm)].map((match) => match[1]);
}
/** Embind's own methods come from a shared prototype, so a class's own names are those that were bound. */
const bound = (type) => Object.getOwnPropertyNames(type.prototype).filter((name) => name !== "constructor");
const sorted = (names) => [...names].sort();

const examples = readdirSync(join(root, "examples"), { recursive: true })
  .filter((name) => name.endsWith(".yaml"))
  .sort()
  .map((name) => ({ name, text: readFileSync(join(root, "examples", name), "utf8") }));
const smallest = () =>
  examples
    .map((example) => ({ ...example, loaded: sluice.load(example.text, "{}") }))
    .filter(({ loaded }) => loaded.ok)
    .sort((a, b) => a.loaded.events - b.loaded.events)[0];

/** Plays a simulation in steps of `units` and returns what is comparable. */
function play(text, units) {
  const { ok, job, diagnostics } = sluice.job("simulate", text, "{}");
  assert.ok(ok, JSON.stringify(diagnostics));
  let state = { done: 0, total: 1, finished: false };
  for (let calls = 0; !state.finished; calls += 1) {
    const before = state.done;
    state = job.step(units);
    assert.ok(state.done >= before && state.done <= state.total, "progress only grows, up to its total");
    assert.ok(calls < 2e6, "the job does not finish");
  }
  const run = job.result();
  const columns = Object.fromEntries(Object.entries(run.columns()).map(([name, view]) => [name, view.slice()]));
  const result = { summary: run.summary(), plan: run.plan(), columns };
  run.delete();
  job.delete();
  return result;
}

test("the module exports exactly what its .d.ts declares", () => {
  const runtime = /^(_|dyn|HEAP|asm$|ready$|wasm|INITIAL_MEMORY$|run$|calledRun$|print|onAbort$|locateFile$|then$)/;
  const exported = Object.keys(sluice).filter((name) => typeof sluice[name] === "function" && !runtime.test(name));
  const knownErrors = ["BindingError", "InternalError", "UnboundTypeError", "count_emval_handles", "get_first_emval", "getInheritedInstanceCount", "getLiveInheritedInstances", "flushPendingDeletes", "setDelayFunction"];
  assert.deepEqual(
    sorted(exported.filter((name) => !knownErrors.includes(name))),
    sorted([...members("SluiceModule"), "Run", "Job"]),
  );
});
test("Run and Job have the methods the .d.ts declares", () => {
  for (const name of ["Run", "Job"]) {
    assert.deepEqual(sorted(bound(sluice[name])), sorted(members(name).filter((member) => member !== "delete")));
  }
});
test("version, presets, schema and schedules answer with well-formed data", () => {
  const version = sluice.version();
  assert.equal(typeof version.version, "string");
  assert.equal(typeof version.schema_version, "number");
  for (const name of ["presets", "schema", "schedules"]) assert.ok(JSON.parse(sluice[name]()), name);
  assert.ok(JSON.parse(sluice.schedules()).length > 0);
});
test("order answers with a place for every microbatch", () => {
  const answer = JSON.parse(sluice.order(JSON.stringify({ name: "1f1b", ranks: 2, microbatches: 3 })));
  assert.equal(answer.order.length, 2);
});
test("every example loads without an error", () => {
  assert.ok(examples.length > 0, "examples/ is empty");
  for (const { name, text } of examples) {
    const loaded = sluice.load(text, "{}");
    // What asks for a plan is not a run.
    if (/^plan:/m.test(text)) {
      assert.match(loaded.diagnostics[0].hint, /sluice plan/, name);
      continue;
    }
    assert.ok(loaded.ok, `${name}: ${JSON.stringify(loaded.diagnostics)}`);
    assert.ok(loaded.ranks > 0 && loaded.events > 0, name);
  }
});
test("a wrong scenario is refused with a diagnostic, not with an exception", () => {
  for (const text of ["", "a: [", "pipeline: {", "\0\uFFFD", "nonsense: 1\n", "x: &a [*a]\n"]) {
    const loaded = sluice.load(text, "{}");
    assert.equal(loaded.ok, false, JSON.stringify(text));
    assert.ok(loaded.diagnostics.length > 0, JSON.stringify(text));
    for (const diagnostic of loaded.diagnostics) {
      assert.deepEqual(sorted(Object.keys(diagnostic)), sorted(members("Diagnostic")));
    }
    const refused = sluice.job("simulate", text, "{}");
    assert.equal(refused.ok, false);
    assert.equal(refused.job, null);
  }
});
test("wrong options are refused with a diagnostic, not with an exception", () => {
  const { text } = smallest();
  for (const options of ["", "{", "[]", '{"set":{"no.such.key":1}}']) {
    assert.equal(typeof sluice.load(text, options).ok, "boolean", options);
  }
});
test("columns have equal lengths, the declared types, and start before they end", () => {
  const versions = ["version_forward", "version_backward"];
  const { columns } = play(smallest().text, 1e9);
  assert.deepEqual(sorted(Object.keys(columns)), sorted(members("Columns").filter((name) => !versions.includes(name))));
  const stream = play(readFileSync(join(root, "examples/paci.yaml"), "utf8"), 1e9).columns;
  assert.deepEqual(sorted(Object.keys(stream)), sorted(members("Columns")));
  // PACI's first stage, 8 stages and 16 microbatches an update: forward i has seen i - 7 backwards, backward i has seen i.
  for (let row = 0; row < stream.start.length; row++) {
    if (stream.stage[row] !== 0 || stream.kind[row] > 1) continue;
    const i = stream.batch[row] * 16 + stream.microbatch[row];
    assert.equal(stream.version_forward[row], Math.floor(Math.max(0, i - 7) / 16));
    assert.equal(stream.version_backward[row], Math.floor(i / 16));
  }
  for (const one of [columns, stream]) {
    for (const [name, view] of Object.entries(one)) {
      assert.equal(view.length, one.start.length, name);
      assert.match(declared, new RegExp(`^  ${name}[?]?: ${view.constructor.name};`, "m"));
    }
  }
  assert.ok(columns.start.length > 0);
  columns.start.forEach((start, row) => assert.ok(start <= columns.end[row], `row ${row}`));
});
test("step(1) n times equals step(n), byte for byte", () => {
  const { text } = smallest();
  assert.deepEqual(play(text, 1), play(text, 1e9));
});
test("a second run of one scenario gives the same bytes", () => {
  const { text } = smallest();
  assert.deepEqual(play(text, 1000), play(text, 1000));
});
test("every export format answers with text", () => {
  const { job } = sluice.job("simulate", smallest().text, "{}");
  while (!job.step(1e6).finished);
  const run = job.result();
  for (const format of ["summary_json", "trace_csv", "chrome_trace", "svg"]) {
    assert.ok(sluice.export_run(run, format).length > 0, format);
  }
  JSON.parse(sluice.export_run(run, "summary_json"));
  JSON.parse(sluice.export_run(run, "chrome_trace"));
  run.delete();
  job.delete();
});
test("idle time: gaps with their chains add up to the summary, the path has no slack", () => {
  const { job } = sluice.job("simulate", examples.find(({ name }) => name === "default.yaml").text, "{}");
  while (!job.step(1e6).finished);
  const run = job.result();
  const summary = JSON.parse(run.summary());
  const { ranks } = JSON.parse(run.plan());
  for (const { rank, resource } of ranks) {
    const gaps = JSON.parse(run.gaps(resource, 0, Infinity));
    const sums = {};
    for (const gap of gaps) {
      assert.deepEqual(sorted(Object.keys(gap)), sorted(members("Gap")));
      for (const [cause, ms] of Object.entries(gap.causes_ms)) sums[cause] = (sums[cause] ?? 0) + ms;
      assert.equal(gap.chain.length, gap.chain_steps);
      for (const step of gap.chain) assert.deepEqual(sorted(Object.keys(step)), sorted(members("WaitStep")));
    }
    for (const [cause, ms] of Object.entries(summary.idle_ms.per_rank[rank])) {
      assert.ok(Math.abs(ms - (sums[cause] ?? 0)) < 1e-6, `rank ${rank} ${cause}`);
    }
  }
  // One point in a gap is enough to ask for it.
  const [longest] = summary.top_gaps;
  const inside = (longest.start_ms + longest.idle_ms / 2) * 1e9;
  const [gap, ...others] = JSON.parse(run.gaps(ranks[longest.rank].resource, inside, inside));
  assert.equal(others.length, 0);
  assert.equal(gap.start_ms, longest.start_ms);
  assert.equal(JSON.parse(run.gaps(0, NaN, NaN)).length <= 1, true);
  assert.deepEqual(JSON.parse(run.gaps(4294967295, 0, 1)), []);
  const path = run.path().slice();
  const slack = run.slack().slice();
  assert.equal(slack.length, run.columns().start.length);
  assert.ok(path.length > 0 && path.every((row) => slack[row] === 0));
  run.delete();
  job.delete();
});
test("work by kind and idle time by cause add up to the makespan of every rank, to the picosecond", () => {
  for (const { name, text } of examples) {
    const { job } = sluice.job("simulate", text, "{}");
    if (!job) continue;
    while (!job.step(1e6).finished);
    const run = job.result();
    const { time_ms, idle_ms, busy_ms } = JSON.parse(run.summary());
    const ps = (ms) => Math.round(ms * 1e9);
    busy_ms.per_rank.forEach((busy, rank) => {
      const parts = [...Object.values(busy), ...Object.values(idle_ms.per_rank[rank])];
      const sum = parts.reduce((total, ms) => total + ps(ms), 0);
      assert.equal(sum, ps(time_ms.makespan_ms), `${name}, rank ${rank}`);
    });
    run.delete();
    job.delete();
  }
});

test("memory: what a device holds, moment by moment, by hand", () => {
  // 1F1B, p = 2, m = 3, F = 1, B = 2: F0 F1 . B0 F2 . B1 . B2 on the first rank. A microbatch's 10 MiB are held from the
  // start of its F to the end of its B, over 1 MiB of weights.
  const stage = (id) =>
    `{device: ${id}, weights_mb: 1, compute: {mode: explicit, distribution: 1}, backward: {distribution: 2}}`;
  const device = (id) => `{id: ${id}, gpu: a100, node: ${id}, socket: 0}`;
  const text = `simulation: {microbatches: 3, transfers: latency}
pipeline: {schedule: 1f1b, activation_mb: 10, stages: [${stage("a")}, ${stage("b")}]}
hardware: {devices: [${device("a")}, ${device("b")}], links: [{default: true, bandwidth_GBps: 1000000}]}
`;
  const { job } = sluice.job("simulate", text, "{}");
  while (!job.step(1e6).finished);
  const run = job.result();
  const held = run.memory(0).slice();
  const { kinds } = JSON.parse(run.plan());
  const { kind, microbatch } = run.columns();
  const moments = [];
  for (let i = 0; i < held.length; i += 11) {
    const [ps, row, weights, , , activations] = held.subarray(i, i + 11);
    const what = row === 0xffffffff ? "" : `${kinds[kind[row]]}${microbatch[row]}`;
    assert.equal(held.subarray(i + 2, i + 11).reduce((a, b) => a + b), weights + activations);
    assert.equal(weights, 2 ** 20);
    moments.push([Math.round(ps / 1e9), what, activations / 2 ** 20]);
  }
  assert.deepEqual(moments, [
    [0, "", 0], [0, "F0", 10], [1, "", 10], [1, "F1", 20], [2, "", 20], [4, "B0", 20], [6, "", 10], [6, "F2", 20],
    [7, "", 20], [7, "B1", 20], [9, "", 10], [10, "B2", 10], [12, "", 0],
  ]);
  assert.equal(run.memory(2).length, 0);
  assert.equal(run.memory(4294967295).length, 0);
  run.delete();
  job.delete();
});

test("a sweep's CSV comes row by row and in parts, and is the whole's", () => {
  const { text } = examples.find(({ name }) => name === "two_stages.yaml");
  const rows = (first, last) => {
    const over = [{ path: "simulation.microbatches", values: [2, 0, 4] }];
    const { job } = sluice.job("sweep", text, JSON.stringify({ over, seeds: 2, csv: [first, last] }));
    const steps = [];
    for (let finished = false; !finished; ) {
      const step = job.step(1);
      assert.equal(step.total, 6);
      finished = step.finished;
      steps.push(step.partial);
    }
    assert.equal(job.result(), steps.join(""));
    job.delete();
    return steps;
  };
  const whole = rows(0, 6);
  assert.equal(whole.length, 6);
  assert.match(whole[0], /^# sluice sweep [0-9a-f]{16}\nindex,simulation\.microbatches,seed,makespan_ms,.*\n0,2,\d+,[\d.]+,.*\n$/);
  assert.match(whole[2], /^2,0,.*\[value\.range\]\n$/);
  assert.deepEqual([...rows(0, 2), ...rows(2, 5), ...rows(5, 1000)], whole);
});

let passed = 0;
let failed = 0;
for (const { name, body } of tests) {
  try {
    body();
    passed += 1;
    console.log(`ok     ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}\n       ${String(error?.message ?? error).split("\n").slice(0, 12).join("\n       ")}`);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
