// `sluice import` of recorded runs: the command's forms and refusals, and 56 real runs against the table of their
// figures ($SLUICE_FIXTURES/hops). Runs the program of $SLUICE_COMMAND, or build/native/sluice. Ends with
// "N passed, N failed[, N skipped]".
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const program = process.env.SLUICE_COMMAND ?? join(root, "build/native/sluice");
const folder = mkdtempSync(join(tmpdir(), "sluice-import-"));
const fixtures = process.env.SLUICE_FIXTURES && join(process.env.SLUICE_FIXTURES, "hops");

const sluice = (...words) => {
  const options = typeof words.at(-1) === "object" ? words.pop() : {};
  const done = spawnSync(program, words, { cwd: folder, encoding: "utf8", timeout: 60_000, maxBuffer: 1 << 26, ...options });
  assert.equal(done.error, undefined);
  return { code: done.status, out: done.stdout, err: done.stderr };
};
const file = (name, text) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
  return name;
};

/** Two ranks, two microbatches, 1F1B; F 10, B 20, messages 1, steps of 107 ms. */
const STEP = [
  [0, "FORWARD", 0, 0, 10], [0, "FORWARD", 1, 10, 20], [1, "FORWARD", 0, 11, 21], [1, "BACKWARD", 0, 21, 41],
  [1, "FORWARD", 1, 41, 51], [0, "BACKWARD", 0, 42, 62], [1, "BACKWARD", 1, 51, 71], [0, "BACKWARD", 1, 72, 92],
  [0, "OPTIMIZER", 1, 96, 101], [1, "OPTIMIZER", 1, 96, 99],
];
const rows = (rank) =>
  [0, 107, 214].flatMap((start, iteration) =>
    STEP.filter((row) => row[0] === rank).map(([, phase, microbatch, from, to]) => ({
      rank, stage: rank, iteration, microbatch, event_type: "compute", phase,
      start_wall_ns: (start + from) * 1e6, end_wall_ns: (start + to) * 1e6, device_id: `d${rank}`,
    })),
  );
const lines = (list) => list.map((row) => `${JSON.stringify(row)}\n`).join("");
const torch = (rank, name = (row) => `PP:${rank}${row.phase[0]}${row.microbatch}`) =>
  JSON.stringify({
    distributedInfo: { rank },
    traceEvents: rows(rank).filter((row) => row.phase !== "OPTIMIZER")
      .map((row) => ({ ph: "X", name: name(row), ts: row.start_wall_ns / 1e3, dur: (row.end_wall_ns - row.start_wall_ns) / 1e3 })),
  });
file("good/rank0.jsonl", lines(rows(0)));
file("good/rank1.jsonl", lines(rows(1)));
const refused = (...words) => {
  const { code, out, err } = sluice("import", ...words);
  assert.equal(code, 1, err);
  assert.equal(out, "");
  return err.trimEnd().split("\n")[0];
};

const tests = {
  "a folder: the scenario on stdout runs, the report is on stderr": () => {
    const { code, out, err } = sluice("import", "good");
    assert.equal(code, 0);
    assert.match(err, /period, median +107\.000 .*\n[^]*a replay, not a prediction/);
    assert.equal(sluice("run", "-", { input: out }).code, 0);
  },
  "--scenario writes it, and the report takes stdout; --json is one document": () => {
    const { code, out, err } = sluice("import", "good/rank1.jsonl", "good/rank0.jsonl", "--scenario", "out/replay.yaml");
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, /2 stages on 2 ranks, 2 microbatches, order 1f1b/);
    assert.equal(sluice("check", "out/replay.yaml").code, 0);
    const json = JSON.parse(sluice("import", "good", "--json").out);
    assert.deepEqual(Object.keys(json).filter((key) => /measured|simulated|^error/.test(key)), ["measured", "simulated", "error_pct"]);
    assert.equal(json.scenario, readFileSync(join(folder, "out/replay.yaml"), "utf8"));
  },
  "PyTorch's traces, one file a rank": () => {
    file("torch/r0.json", torch(0));
    file("torch/r1.json", torch(1));
    const json = JSON.parse(sluice("import", "torch", "--json").out);
    assert.deepEqual([json.format, json.order, json.measured.period_median_ms, json.simulated.period_median_ms], ["torch", "1f1b", 107, 107]);
  },
  "an order is still an order": () => {
    file("order.csv", "0F0,0B0\n1F0,1B0\n");
    assert.match(sluice("import", "order.csv").out, /^# 2 ranks, 1 microbatches/);
    const { code, err } = sluice("import", "order.csv", "--json");
    assert.equal(code, 2);
    assert.match(err, /--json goes with a recorded run, and order\.csv is none/);
  },
  "what is wrong has its file and line": () => {
    const bad = (change, name = "bad/rank1.jsonl") => {
      rmSync(join(folder, "bad"), { recursive: true, force: true });
      file("bad/rank0.jsonl", lines(rows(0)));
      file(name, change(lines(rows(1))));
      return refused("bad");
    };
    assert.match(bad((text) => text.slice(0, -30)), /^bad\/rank1\.jsonl:15:1: error: the line is no JSON: .* \[trace\.syntax\]$/);
    assert.equal(bad((text) => text.replace('"iteration":0,', "")), "bad/rank1.jsonl:1:1: error: `iteration` is missing [trace.field]");
    assert.equal(
      bad((text) => text.replace('"end_wall_ns":41000000', '"end_wall_ns":20000000')),
      "bad/rank1.jsonl:2:1: error: it ends at 20000000 ns, before it starts at 21000000 [trace.field]",
    );
    assert.equal(bad(() => lines(rows(0)), "bad/again.jsonl"), "bad/rank0.jsonl:1:1: error: rank 0 is also in bad/again.jsonl [trace.ranks]");
    assert.equal(
      bad((text) => text.replaceAll('"rank":1,"stage":1', '"rank":2,"stage":2')),
      "bad/rank1.jsonl:1:1: error: stage 2 is here, stage 1 in no file [trace.ranks]",
    );
    file("bench.jsonl", 'NCCL\n{"label":"pair_0_1","mode":"p2p","rank":1,"size_mb":1,"p50_ms":2}\n');
    assert.equal(refused("good", "--links", "bench.jsonl"), "bench.jsonl:2:1: error: pair_0_1 has no row of rank 0, which is the sender [trace.ranks]");
    file("names.json", torch(0, () => "aten::mm"));
    assert.match(refused("names.json"), /^names\.json:1:1: error: none of 12 events has a name of torch\.distributed\.pipelining .* \[trace\.empty\]$/);
    const { code, out } = sluice("import", "names.json", "--json");
    assert.deepEqual([code, JSON.parse(out).diagnostics[0].code], [1, "trace.empty"]);
  },
  "what cannot be read: exit 2 with the reason": () => {
    mkdirSync(join(folder, "empty"));
    assert.match(sluice("import", "empty").err, /no \.jsonl or \.json file in empty/);
    for (const words of [["empty"], ["good", "--links", "nowhere"], ["good", "--message-MiB", "x"], ["--layout", "Et", "good"], ["--layout", "Et*2|tL", "--json"]])
      assert.equal(sluice("import", ...words).code, 2, words.join(" "));
  },
};

/** Rows of a CSV without quoted fields, as objects. */
const table = (path) => {
  const [head, ...body] = readFileSync(path, "utf8").trimEnd().split("\n").map((line) => line.trimEnd().split(","));
  return body.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i]])));
};

const measuredRuns = () => {
  const kTolerance = 1e-4; // the table has four decimals of a ms, six of a ratio
  const periods = [];
  const throughputs = [];
  for (const run of table(join(fixtures, "measured.csv"))) {
    const source = join(fixtures, run.split, run.fixture);
    const target = `${run.split}-${run.fixture}`;
    for (const name of readdirSync(join(source, "megatron_trace")))
      file(join(target, name.replace(/\.gz$/, "")), gunzipSync(readFileSync(join(source, "megatron_trace", name))));
    const { code, out, err } = sluice("import", target, "--links", join(source, "calibration/link_bench"), "--json");
    assert.equal(code, 0, err);
    const { measured, order, error_pct, with_slow_steps_error_pct, warm_up_dropped } = JSON.parse(out);
    const near = (what, found, wanted) =>
      assert.ok(Math.abs(found - wanted) <= kTolerance * Math.abs(wanted), `${target}: ${what} ${found}, the table has ${wanted}`);
    near("period", measured.period_median_ms, Number(run.iteration_period_median_ms));
    near("mean period", measured.period_mean_ms, Number(run.iteration_period_mean_ms));
    near("throughput", measured.throughput_mb_per_s, Number(run.throughput_mb_per_s));
    near("bubble", measured.bubble_ratio, Number(run.bubble_ratio));
    for (const [key, column] of [
      ["forward_mean_ms", "fwd_mean_ms_per_stage"],
      ["forward_median_ms", "fwd_median_ms_per_stage"],
      ["backward_mean_ms", "bwd_mean_ms_per_stage"],
      ["backward_median_ms", "bwd_median_ms_per_stage"],
      ["update_mean_ms", "opt_mean_ms_per_stage"],
      ["utilization_per_stage", "util_per_stage"],
    ]) {
      const wanted = run[column].split(";");
      assert.equal(measured[key].length, wanted.length);
      wanted.forEach((value, stage) => (value === "" ? assert.equal(measured[key][stage], null) : near(`${key}[${stage}]`, measured[key][stage], Number(value))));
    }
    assert.equal(measured.iterations, Number(run.iterations_used));
    assert.equal(warm_up_dropped, Number(run.warmup_iterations_dropped));
    if (run.schedule_observed !== "single_mb") assert.equal(order, run.schedule_observed);
    rmSync(join(folder, target), { recursive: true });
    periods.push(Math.abs(error_pct.period_median_ms));
    throughputs.push(Math.abs(with_slow_steps_error_pct.throughput_mb_per_s));
  }
  assert.equal(periods.length, 56);
  const mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;
  const text = (what, list) => console.log(`replay of 56 runs: ${what} off by ${mean(list).toFixed(2)} % on average, ${Math.max(...list).toFixed(2)} % at most`);
  text("median period", periods);
  text("throughput, slow steps added,", throughputs);
  assert.ok(mean(periods) < 0.6 && Math.max(...periods) < 2, "median period");
  assert.ok(mean(throughputs) < 0.6 && Math.max(...throughputs) < 2, "throughput");
};
const MEASURED = "figures of 56 real runs, to 1e-4 of their table, and their replays";
let skipped = 0;
if (fixtures && existsSync(join(fixtures, "measured.csv"))) {
  tests[MEASURED] = measuredRuns;
} else {
  console.log(`SKIPPED (SLUICE_FIXTURES unset): ${MEASURED}`);
  skipped = 1;
}

let passed = 0;
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    test();
    passed += 1;
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}\n${String(error.message).replace(/^/gm, "       ")}`);
  }
}
rmSync(folder, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exit(failed > 0 ? 1 : 0);
