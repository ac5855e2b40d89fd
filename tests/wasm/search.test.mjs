// Holds build/wasm/sluice_search.wasm, which runs with the glue of the other module, to wasm/sluice.d.ts, and the search in
// it to what is promised of it. Ends with "N passed, N failed".
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const built = resolve(process.env.SLUICE_MODULE_DIR ?? join(root, "build/wasm"));
const bytes = (name) => readFileSync(join(built, name));

const { default: createSluice } = await import(pathToFileURL(join(built, "sluice.mjs")));
const open = (name) => createSluice({ wasmBinary: bytes(name), printErr: () => {} });
const plain = await open("sluice.wasm");
const search = await open("sluice_search.wasm");

/** What the page asks for first. */
const EFFORT = { evaluations: 4000 };

const tests = [];
const test = (name, body) => tests.push({ name, body });
const instance = (name) => readFileSync(join(root, "tests/data/octopipe", `${name}.yaml`), "utf8");
const example = (name) => readFileSync(join(root, "examples", `${name}.yaml`), "utf8");

/** What a device would work if all work of an instance were spread evenly, in ms: the sum over its layers. */
function evenWorkMs(text) {
  const layers = [...text.matchAll(/^ {4}- \{(?:count: (\d+), )?forward: ([\d.]+), input_grad: ([\d.]+), weight_grad: ([\d.]+)/gm)];
  const work = layers.reduce((sum, [, count = 1, ...parts]) => sum + count * parts.reduce((a, b) => a + Number(b), 0), 0);
  const [, microbatches] = /microbatches: (\d+)/.exec(text);
  return (work * microbatches) / text.match(/- \{id: d/g).length;
}

function tune(text, options = {}) {
  const { ok, job, diagnostics } = search.tune(text, JSON.stringify(options));
  assert.ok(ok, JSON.stringify(diagnostics));
  return job;
}
function simulate(module, text) {
  const { ok, job, diagnostics } = module.job("simulate", text, "{}");
  if (!ok) return { ok, diagnostics };
  while (!job.step(1e6).finished);
  const run = job.result();
  const summary = JSON.parse(run.summary());
  run.delete();
  job.delete();
  return { ok, summary };
}

test("one glue serves both modules", () => {
  const other = readFileSync(join(built, "sluice_search.mjs"), "utf8");
  assert.equal(other.replaceAll("sluice_search.wasm", "sluice.wasm"), readFileSync(join(built, "sluice.mjs"), "utf8"));
});

test("the modules have the same functions, and one has the search", () => {
  const own = (module) => Object.keys(module).filter((name) => typeof module[name] === "function" && !/^(_|dyn|asm)/.test(name));
  assert.deepEqual(own(search).filter((name) => !own(plain).includes(name)).sort(), ["Learning", "Planning", "Tuning", "learn", "plan", "tune"]);
  const methods = Object.getOwnPropertyNames(search.Tuning.prototype).filter((name) => name !== "constructor");
  assert.deepEqual(methods.sort(), ["best", "result", "step"]);
});
test("a cluster's pipelines are found as the command finds them, 13B on 4 + 4 nodes of 8 within 5 s", () => {
  const text = example("eth/13b_b2b4");
  const began = performance.now();
  const { ok, job, diagnostics } = search.plan(text, "{}");
  assert.ok(ok, JSON.stringify(diagnostics));
  while (!job.step(16).finished);
  const ms = performance.now() - began;
  console.log(`  planned after ${ms.toFixed(0)} ms, other planners included`);
  assert.ok(ms < 5000, `${ms} ms`);
  const found = JSON.parse(job.result());
  assert.ok(found.plans[0].iteration_ms < 1.03 * 18490);
  assert.equal(found.search.configurations, 109);
  // The plan is a scenario of several pipelines: one module plays it, the other says what it needs.
  const played = simulate(search, job.plan("0"));
  assert.equal(played.summary.time_ms.makespan_ms, found.plans[0].iteration_ms);
  const refused = simulate(plain, job.plan("0"));
  assert.equal(refused.diagnostics[0].code, "schedule.needs_search");
  assert.equal(simulate(search, job.plan("1")).summary.time_ms.makespan_ms, found.plans[1].iteration_ms);
  assert.equal(job.plan("9") + job.plan("ideal"), "");
  const wrong = search.plan(text.replace("ascend-910b2", "ascend-910b5"), "{}");
  assert.equal(wrong.ok, false);
  assert.equal(wrong.diagnostics[0].line > 0, true);
  job.delete();
});

test("a planning ends when it is told to, with the best so far; what other planners would do is a scenario, too", () => {
  const text = example("eth/6.7b_s8192_b2b4");
  const planned = (until) => {
    const { job } = search.plan(text, "{}");
    for (let ended = false; ; ) {
      const step = job.step(1);
      if (step.finished) return job;
      if (!ended && until(step)) job.enough();
      ended ||= until(step);
    }
  };
  const whole = planned(() => false);
  const report = JSON.parse(whole.result());
  const early = planned(({ best_ms }) => best_ms !== undefined);
  const cut = JSON.parse(early.result());
  assert.ok(cut.plans[0].iteration_ms >= report.plans[0].iteration_ms);
  assert.deepEqual(Object.keys(cut.baselines), ["ideal"]);
  const nothing = planned(() => true);
  assert.match(JSON.parse(nothing.result()).why, /ended before/);
  for (const [name, plan] of Object.entries(report.baselines)) {
    if (!plan?.pipelines) continue;
    const { summary } = simulate(search, whole.plan(name));
    const ratio = summary.time_ms.makespan_ms / plan.iteration_ms;
    assert.ok(Math.abs(ratio - 1) < 0.02, `${name}: the closed form says ${ratio.toFixed(4)} times less`);
    assert.equal(summary.fits, plan.memory_fits, name);
  }
  for (const job of [whole, early, nothing]) job.delete();
});

const learn = (options) => {
  const { ok, job, diagnostics } = search.learn(example("paci"), JSON.stringify(options));
  assert.ok(ok, JSON.stringify(diagnostics));
  return job;
};
test("learning gives the same bytes as natively, in one step or many", () => {
  const options = { schedules: ["1f1b"], seeds: 1, microbatches: 64 };
  const results = [1e9, 5].map((units) => {
    const job = learn(options);
    while (!job.step(units).finished);
    const result = job.result();
    job.delete();
    return result;
  });
  assert.equal(results[0], results[1]);
  const { arms, cases } = JSON.parse(results[0]);
  assert.deepEqual(arms.map((arm) => arm.drift_max), [1, 0]);
  // As `sluice learn` has them natively.
  assert.deepEqual(cases.map((one) => one.seeds[0].weights_hash), ["2126cc6302932b00", "2728c297634be991"]);
});
test("4,096 microbatches of the residual network, 8 stages, within 6 s; what it cannot run is said", () => {
  const job = learn({ schedules: ["{name: amdp, rounds: 3}"], seeds: 1, microbatches: 4096 });
  const before = performance.now();
  let last;
  do last = job.step(64);
  while (!last.finished);
  const seconds = (performance.now() - before) / 1000;
  assert.equal(last.done, 4096);
  assert.match(JSON.parse(job.result()).arms[1].refused, /ranks x rounds/);
  job.delete();
  assert.ok(seconds < 1.5 * 6, `${seconds} s`);
  const { ok, diagnostics } = search.learn(example("paci"), JSON.stringify({ seeds: 0 }));
  assert.equal(ok, false);
  assert.equal(diagnostics[0].code, "value.range");
  return `${seconds.toFixed(1)} s`;
});
test("`adaptive` runs with the search; without it, what is missing is said", () => {
  const text = example("default").replace(/schedule: .*/, "schedule: adaptive");
  const { ok, diagnostics } = simulate(plain, text);
  assert.equal(ok, false);
  assert.equal(diagnostics[0].code, "schedule.needs_search");
  assert.ok(diagnostics[0].line > 0);
  const found = simulate(search, text);
  assert.ok(found.ok, JSON.stringify(found.diagnostics));
  const known = simulate(search, text.replace("adaptive", "1f1b"));
  assert.ok(found.summary.time_ms.makespan_ms <= known.summary.time_ms.makespan_ms);
});
test("both modules play an example alike", () => {
  const hash = (module) => simulate(module, example("heterogeneous_l4_a10g")).summary.trace_hash;
  assert.match(hash(plain), /^[0-9a-f]{16}$/);
  assert.equal(hash(search), hash(plain));
});
test("a scenario that cannot be read is refused with its place", () => {
  const refused = search.tune("pipeline: {stages: 3", "{}");
  assert.equal(refused.ok, false);
  assert.equal(refused.job, null);
  assert.ok(refused.diagnostics[0].line >= 1);
});
test("a plan comes within 200 ms, and is a scenario that takes as long as it says", () => {
  const before = performance.now();
  const job = tune(instance("gemma2_9b_d8_m32"), { evaluations: 2000 });
  assert.equal(job.best(), null);
  while (job.best() === null) job.step(1);
  const took = performance.now() - before;
  const { name, makespan_ms, plan } = job.best();
  job.delete();
  assert.ok(took <= 200, `${took.toFixed(0)} ms`);
  assert.equal(simulate(plain, plan).summary.time_ms.makespan_ms, makespan_ms);
  return `${name} after ${took.toFixed(0)} ms`;
});
test("Gemma-2 9B on 8 devices comes below 1.10 times its even work within 5 s", () => {
  const text = instance("gemma2_9b_d8_m32");
  const even = evenWorkMs(text);
  const before = performance.now();
  const job = tune(text, EFFORT);
  let ratio = Number.POSITIVE_INFINITY;
  let took = 0;
  let version = 0;
  for (let finished = false; !finished && ratio > 1.1; ) {
    const step = job.step(32);
    finished = step.finished;
    if (step.version !== version) ratio = Math.min(ratio, (job.best()?.makespan_ms ?? Number.POSITIVE_INFINITY) / even);
    version = step.version;
    took = performance.now() - before;
  }
  job.delete();
  assert.ok(ratio <= 1.1, `${ratio.toFixed(4)} after ${took.toFixed(0)} ms`);
  assert.ok(took <= 5000, `${ratio.toFixed(4)} after ${took.toFixed(0)} ms`);
  return `${ratio.toFixed(4)} after ${took.toFixed(0)} ms`;
});
test("the search says of a plan what the command says, and the same in one step or many", () => {
  const text = instance("gemma2_9b_d4_m16");
  const report = (units) => {
    const job = tune(text, { evaluations: 300 });
    while (!job.step(units).finished);
    const out = job.result();
    job.delete();
    return out;
  };
  const whole = report(1e9);
  assert.equal(report(7), whole);
  const { best, candidates, lower_bound_ms } = JSON.parse(whole);
  assert.ok(best.makespan_ms >= lower_bound_ms);
  for (const { makespan_ms, fits } of candidates) if (fits) assert.ok(makespan_ms >= best.makespan_ms);
});

let passed = 0;
let failed = 0;
for (const { name, body } of tests) {
  try {
    const note = body();
    passed += 1;
    console.log(`ok     ${name}${note ? ` (${note})` : ""}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}\n       ${String(error?.message ?? error).split("\n").slice(0, 12).join("\n       ")}`);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
