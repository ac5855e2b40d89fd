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
  const { columns } = play(smallest().text, 1e9);
  assert.deepEqual(sorted(Object.keys(columns)), sorted(members("Columns")));
  for (const [name, view] of Object.entries(columns)) {
    assert.equal(view.length, columns.start.length, name);
    assert.match(declared, new RegExp(`^  ${name}: ${view.constructor.name};`, "m"));
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
