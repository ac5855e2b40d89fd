// The command as a process: exit codes, what goes to which stream, and the files it writes.
// Runs the program of $SLUICE_COMMAND, or build/native/sluice. Ends with "N passed, N failed".
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const program = process.env.SLUICE_COMMAND ?? join(root, "build/native/sluice");
const folder = mkdtempSync(join(tmpdir(), "sluice-command-"));
const example = join(root, "examples/two_stages.yaml");

const GOOD = `# title: Two
simulation:
  microbatches: 4
pipeline:
  schedule: 1f1b
  activation_mb: 8
  stages:
    - {device: a, weights_mb: 100, compute: {mode: explicit, distribution: 10}}
    - {device: b, weights_mb: 100, compute: {mode: explicit, distribution: 10}}
hardware:
  devices:
    - {id: a, gpu: a100, node: n0, socket: 0}
    - {id: b, gpu: a100, node: n0, socket: 0}
  interconnect: {same_node: nvlink3}
`;

const file = (name, text) => {
  writeFileSync(join(folder, name), text);
  return name;
};
const read = (name) => readFileSync(join(folder, name), "utf8");
const sluice = (...words) => {
  const options = typeof words.at(-1) === "object" ? words.pop() : {};
  const done = spawnSync(program, words, { cwd: folder, encoding: "utf8", timeout: 60_000, ...options });
  assert.equal(done.error, undefined);
  return { code: done.status, out: done.stdout, err: done.stderr };
};

const good = file("good.yaml", GOOD);
const bad = file("bad.yaml", GOOD.replace("microbatches: 4", "microbatchs: 4"));
const deadlock = file("deadlock.yaml", GOOD.replace("schedule: 1f1b", "schedule: {policy: {rules: ['forwards >= 100: B', F]}}"));
const heavy = file("heavy.yaml", GOOD.replace("weights_mb: 100", "weights_mb: 1e6"));
const shared = file("shared.yaml", GOOD.replace("microbatches: 4", "microbatches: 4\n  nonsense: 1\n  physics: hops").replace("nvlink3", "nvlink"));

const tests = {
  "the picture and the output in README.md are what the command makes": () => {
    const picture = join(folder, "picture.svg");
    assert.equal(sluice("run", join(root, "examples/default.yaml"), "--svg", picture).code, 0);
    assert.equal(
      readFileSync(picture, "utf8"),
      readFileSync(join(root, "web/docs/pictures/default.svg"), "utf8"),
      "run: sluice run examples/default.yaml --svg web/docs/pictures/default.svg",
    );
    const shown = /\$ build\/native\/sluice run examples\/two_stages\.yaml\n([^]*?)```/.exec(readFileSync(join(root, "README.md"), "utf8"));
    assert.equal(sluice("run", "examples/two_stages.yaml", { cwd: root }).out, shown[1]);
  },
  "without a command: help on stderr, exit 2": () => {
    const { code, out, err } = sluice();
    assert.equal(code, 2);
    assert.equal(out, "");
    for (const command of ["run", "check", "sweep", "merge", "montecarlo", "schedules", "order", "presets", "schema"]) assert.match(err, new RegExp(`sluice ${command}`));
  },
  "help and version on stdout, exit 0": () => {
    for (const word of ["help", "--help", "-h"]) {
      const { code, out, err } = sluice(word);
      assert.equal(code, 0);
      assert.match(out, /Exit: 0/);
      assert.equal(err, "");
    }
    assert.match(sluice("--version").out, /^sluice \d+\.\d+\.\d+\n$/);
  },
  "an unknown command is named with the nearest one, exit 2": () => {
    const { code, out, err } = sluice("chek", good);
    assert.equal(code, 2);
    assert.equal(out, "");
    assert.match(err, /unknown command "chek"; did you mean check\?/);
  },
  "an unknown flag is named with the nearest one, with usage, exit 2": () => {
    const { code, out, err } = sluice("run", good, "--summry", "x");
    assert.equal(code, 2);
    assert.equal(out, "");
    assert.match(err, /unknown flag --summry; did you mean --summary\?/);
    assert.match(err, /usage: sluice run/);
  },
  "flags without their value, with one too many, and wrong numbers: exit 2": () => {
    for (const words of [
      ["run", good, "--trace"],
      ["run", good, "--json=yes"],
      ["run", good, "--seed", "-1"],
      ["run", good, "--seed", "1.5"],
      ["run", good, "--seed", "many"],
      ["run", good, "--set", "simulation.seed"],
      ["run", good, "--set", "=1"],
      ["run"],
      ["run", good, good],
      ["check"],
      ["sweep", good],
      ["sweep", good, "--over", "simulation.seed"],
      ["sweep", good, "--over", "simulation.seed=3:1:1"],
      ["sweep", good, "--seeds", "0"],
      ["order", "1f1b"],
      ["order", "1f1b", "--ranks", "0", "--microbatches", "4"],
      ["schema", "x"],
      ["schedules", "x"],
    ]) {
      const { code, out, err } = sluice(...words);
      assert.equal(code, 2, words.join(" "));
      assert.equal(out, "", words.join(" "));
      assert.match(err, /^sluice: /, words.join(" "));
      assert.match(err, /usage: /, words.join(" "));
    }
  },
  "a good scenario: text for people on stdout, nothing on stderr, exit 0": () => {
    const { code, out, err } = sluice("run", good);
    assert.equal(code, 0);
    assert.equal(err, "");
    assert.match(out, /^Two\n/);
    for (const word of ["time", "throughput", "bubble", "stage"]) assert.match(out, new RegExp(word));
  },
  "--json prints one document on stdout": () => {
    const { code, out } = sluice("run", good, "--json");
    assert.equal(code, 0);
    const summary = JSON.parse(out);
    assert.equal(summary.completed_microbatches, 4);
    assert.equal(summary.schema_version, 1);
  },
  "--json prints one document also when the scenario is refused, exit 1": () => {
    const { code, out, err } = sluice("run", bad, "--json");
    assert.equal(code, 1);
    const refusal = JSON.parse(out);
    assert.equal(refusal.ok, false);
    const unknown = refusal.diagnostics.find((d) => d.code === "key.unknown");
    assert.equal(unknown.path, "simulation.microbatchs");
    assert.equal(unknown.fix, "microbatches");
    assert.deepEqual([unknown.line, unknown.column, unknown.end_line, unknown.end_column], [3, 3, 3, 14]);
    assert.match(err, /key\.unknown/);
  },
  "diagnostics are file:line:column: severity: message [code] on stderr": () => {
    const { code, out, err } = sluice("run", bad);
    assert.equal(code, 1);
    assert.equal(out, "");
    assert.match(err, /^bad\.yaml:3:3: error: unknown key "microbatchs" \[key\.unknown\]\n {4}did you mean "microbatches"\?$/m);
    const warned = sluice("run", shared);
    assert.equal(warned.code, 0);
    assert.match(warned.err, /^shared\.yaml:4:3: warning: unknown key "nonsense" \[key\.unknown\]/m);
  },
  "what --set brought in has no place in the file": () => {
    const { code, err } = sluice("run", good, "--set", "simulation.microbatches=0");
    assert.equal(code, 1);
    assert.match(err, /^good\.yaml: error: `microbatches` is 0; .* \[value\.range\]/m);
    assert.equal(sluice("run", good, "--set", "a..b=1").code, 1);
  },
  "--set and --seed change the run": () => {
    const summary = (...words) => JSON.parse(sluice("run", good, "--json", ...words).out);
    assert.equal(summary("--set", "simulation.microbatches=7").completed_microbatches, 7);
    assert.equal(summary("--set=simulation.microbatches=7").completed_microbatches, 7);
    assert.equal(summary("--seed", "12").seed, 12);
    assert.equal(summary("--set", "hardware.devices.a.gpu=h100").completed_microbatches, 4);
  },
  "the same scenario gives the same bytes": () => {
    assert.equal(sluice("run", good, "--json", "--no-timing").out, sluice("run", good, "--json", "--no-timing").out);
  },
  "a deadlock: exit 3, and one document with --json": () => {
    const { code, out, err } = sluice("run", deadlock, "--json");
    assert.equal(code, 3);
    assert.equal(JSON.parse(out).diagnostics[0].code, "order.deadlock");
    assert.match(err, /\[order\.deadlock\]/);
  },
  "no feasible plan: exit 3 when capacity is enforced, 0 when it warns": () => {
    const warned = sluice("run", heavy, "--json");
    assert.equal(warned.code, 0);
    assert.equal(JSON.parse(warned.out).fits, false);
    assert.match(warned.err, /warning: .*\[memory\.capacity\]/);
    const enforced = sluice("run", heavy, "--json", "--set", "simulation.options.capacity=enforce");
    assert.equal(enforced.code, 3);
    assert.equal(JSON.parse(enforced.out).fits, false);
    assert.match(enforced.err, /error: .*\[memory\.capacity\]/);
    assert.equal(sluice("run", heavy, "--set", "simulation.options.capacity=error").code, 1);
  },
  "too little memory for the program is an internal error: exit 4": () => {
    if (process.platform !== "linux") return;
    const words = `ulimit -v 60000; exec "$0" run good.yaml --set simulation.microbatches=1000000`;
    const done = spawnSync("sh", ["-c", words, program], { cwd: folder, encoding: "utf8", timeout: 60_000 });
    assert.equal(done.status, 4, done.stderr);
    assert.match(done.stderr, /^sluice: internal error/m);
  },
  "files that cannot be read: exit 2 with the reason": () => {
    for (const command of ["run", "check"]) {
      assert.match(sluice(command, "nowhere.yaml").err, /cannot read nowhere\.yaml/);
      assert.equal(sluice(command, "nowhere.yaml").code, 2);
      assert.match(sluice(command, folder).err, /is a directory/);
      assert.equal(sluice(command, folder).code, 2);
    }
    assert.equal(sluice("sweep", "nowhere.yaml", "--seeds", "2").code, 2);
  },
  "a file without an end is refused as too large": () => {
    if (!existsSync("/dev/zero")) return;
    const { code, err } = sluice("check", "/dev/zero");
    assert.equal(code, 1);
    assert.match(err, /\[text\.too_large\]/);
  },
  "- is standard input": () => {
    const { code, out } = sluice("run", "-", "--json", { input: GOOD });
    assert.equal(code, 0);
    assert.equal(JSON.parse(out).completed_microbatches, 4);
    assert.match(sluice("check", "-", { input: "a: [" }).err, /^-:1:4: error: .*\[yaml\.syntax\]/m);
    assert.match(sluice("check", "-", { input: "" }).err, /\[yaml\.empty\]/);
  },
  "text that is not UTF-8 is refused with its place": () => {
    writeFileSync(join(folder, "latin.yaml"), Buffer.from([0x61, 0x3a, 0x20, 0xe9, 0x0a]));
    const { code, out } = sluice("run", "latin.yaml", "--json");
    assert.equal(code, 1);
    const { diagnostics } = JSON.parse(out);
    assert.deepEqual([diagnostics[0].code, diagnostics[0].line, diagnostics[0].column], ["text.not_utf8", 1, 4]);
  },
  "--summary, --trace, --gaps, --memory, --chrome, --svg and --dashboard write files, folders are made": () => {
    const { code } = sluice("run", good, "--summary", "out/s.json", "--trace", "out/deep/t.csv", "--gaps", "out/g.csv", "--memory", "out/m.csv", "--chrome", "out/c.json", "--svg", "out/t.svg", "--dashboard", "out/d.svg");
    assert.equal(code, 0);
    assert.equal(read("out/s.json"), sluice("run", good, "--json").out);
    assert.match(read("out/deep/t.csv"), /^event_type,phase,stage_id,microbatch_id,device_id,src_device,dst_device,start_time_ms,end_time_ms,duration_ms,target_id,recovery_time_ms,/);
    assert.match(read("out/g.csv"), /^rank,device,start_ms,end_ms,idle_ms,/);
    assert.match(read("out/m.csv"), /^device,time_ms,operation,weights_bytes,.*total_bytes\n/);
    assert.ok(JSON.parse(read("out/c.json")).traceEvents.length > 10);
    assert.match(read("out/t.svg"), /^<svg /);
    assert.match(read("out/d.svg"), /<\/svg>\n?$/);
  },
  "output: of the scenario is honoured, pictures as SVG with a note, flags win": () => {
    mkdirSync(join(folder, "elsewhere"), { recursive: true });
    const hops = file("output.yaml", `${GOOD}output:\n  timeline: o/timeline.png\n  dashboard: o/dashboard.svg\n  summary_json: o/summary.json\n  trace_csv: o/trace.csv\n`);
    const { code, err } = sluice("run", hops, "--trace", "o/other.csv");
    assert.equal(code, 0);
    for (const name of ["o/timeline.svg", "o/dashboard.svg", "o/summary.json", "o/other.csv"]) assert.ok(existsSync(join(folder, name)), name);
    assert.ok(!existsSync(join(folder, "o/trace.csv")));
    assert.ok(!existsSync(join(folder, "o/timeline.png")));
    assert.match(err, /^output\.yaml:16:13: info: written as SVG: o\/timeline\.svg \[output\.extension\]$/m);
    assert.doesNotMatch(err, /dashboard/);
  },
  "a path that cannot be written: exit 2 with the reason": () => {
    file("plain", "");
    for (const flag of ["--summary", "--trace", "--gaps", "--memory", "--chrome", "--svg"]) {
      const path = flag === "--svg" ? "plain/x.svg" : "plain/x";
      const { code, err } = sluice("run", good, flag, path);
      assert.equal(code, 2, flag);
      assert.match(err, /cannot write plain\/x/);
    }
    assert.equal(sluice("sweep", good, "--seeds", "2", "--csv", "plain/x").code, 2);
  },
  "a standard output that cannot be written: exit 2": () => {
    if (!existsSync("/dev/full")) return;
    for (const words of ["run good.yaml", "run good.yaml --json", "schema", "schedules"]) {
      const done = spawnSync("sh", ["-c", `"$0" ${words} >/dev/full`, program], { cwd: folder, encoding: "utf8" });
      assert.equal(done.status, 2, words);
      assert.match(done.stderr, /cannot write to standard output/, words);
    }
  },
  "--resolved prints a scenario that runs to the same hash": () => {
    const resolved = sluice("run", example, "--resolved");
    assert.equal(resolved.code, 0);
    const again = file("resolved.yaml", resolved.out);
    assert.equal(JSON.parse(sluice("run", again, "--json").out).trace_hash, JSON.parse(sluice("run", example, "--json").out).trace_hash);
  },
  "check says ok, or what is wrong; several files, one exit code": () => {
    const one = sluice("check", good);
    assert.deepEqual([one.code, one.out, one.err], [0, "good.yaml: ok\n", ""]);
    const two = sluice("check", good, bad);
    assert.equal(two.code, 1);
    assert.equal(two.out, "good.yaml: ok\n");
    const json = JSON.parse(sluice("check", good, bad, "--json").out);
    assert.equal(json.ok, false);
    assert.deepEqual(json.files.map((f) => [f.file, f.ok]), [["good.yaml", true], ["bad.yaml", false]]);
  },
  "sweep prints one row a point, with the hash of the scenario above": () => {
    const { code, out } = sluice("sweep", good, "--over", "pipeline.schedule=1f1b,gpipe", "--over", "simulation.microbatches=2:4:1", "--seeds", "2");
    assert.equal(code, 0);
    const lines = out.trimEnd().split("\n");
    assert.equal(lines.length, 2 + 12);
    assert.match(lines[0], /^# sluice sweep [0-9a-f]{16}$/);
    assert.match(lines[1], /^index,pipeline\.schedule,simulation\.microbatches,seed,makespan_ms,/);
    assert.deepEqual(lines.slice(2).map((l) => l.split(",").slice(0, 4).join(" ")).slice(0, 3), ["0 1f1b 2 0", "1 1f1b 2 1", "2 1f1b 3 0"]);
    assert.equal(sluice("sweep", good, "--over", "pipeline.schedule=1f1b,nonsense").code, 0);
    assert.equal(sluice("sweep", good, "--over", "pipeline.schedule=nonsense").code, 1);
    assert.equal(sluice("sweep", bad, "--seeds", "2").code, 1);
    assert.match(sluice("sweep", good, "--seeds", "2", "--csv", "sweep.csv").out, /2 runs written to sweep\.csv/);
    assert.match(read("sweep.csv"), /^# sluice sweep/);
  },
  "a sweep has the same bytes with any number of threads, in shards, and after a kill": () => {
    const words = ["sweep", good, "--over", "pipeline.schedule=1f1b,nonsense,gpipe", "--over", "simulation.microbatches=2:9:1", "--seeds", "9"];
    const all = sluice(...words).out;
    assert.equal(all.trimEnd().split("\n").length, 2 + 3 * 8 * 9);
    for (const threads of [1, 2, 3, 7]) assert.equal(sluice(...words, "--threads", String(threads)).out, all, `${threads} threads`);

    const parts = [4, 2, 1, 3].map((i) => `parts/${i}.csv`);
    for (const part of parts) assert.equal(sluice(...words, "--shard", `${part[6]}/4`, "--csv", part).code, 0);
    assert.match(sluice("merge", ...parts, "--csv", "merged.csv").out, /4 parts written to merged\.csv/);
    assert.equal(read("merged.csv"), all);
    assert.equal(sluice("merge", ...parts).out, all);

    for (const cut of [0, 5, 30, 200, 1000, Math.floor(all.length / 2), all.length - 1, all.length]) {
      file("cut.csv", all.slice(0, cut));
      assert.equal(sluice(...words, "--csv", "cut.csv", "--resume").code, 0);
      assert.equal(read("cut.csv"), all, `cut at ${cut}`);
    }
    // Stopped from outside, wherever it is.
    const shell = `"$0" sweep good.yaml --seeds 30000 --csv killed.csv --threads 2 & sleep 0.3; kill -9 $!; wait $! 2>/dev/null; true`;
    spawnSync("sh", ["-c", shell, program], { cwd: folder, encoding: "utf8" });
    assert.equal(sluice("sweep", good, "--seeds", "30000", "--csv", "killed.csv", "--resume").code, 0);
    assert.equal(sluice("sweep", good, "--seeds", "30000", "--csv", "whole.csv").code, 0);
    assert.equal(read("killed.csv"), read("whole.csv"));
  },
  "what does not go together is refused: shards, parts and files of other sweeps": () => {
    const words = ["sweep", good, "--seeds", "6"];
    for (const shard of ["0/4", "5/4", "1", "a/b", "1/0", "1/4/2"]) assert.equal(sluice(...words, "--shard", shard).code, 2, shard);
    for (const flags of [["--resume"], ["--threads", "0"], ["--pareto", "nonsense"], ["--pareto", "makespan", "--shard", "1/2"]]) assert.equal(sluice(...words, ...flags).code, 2, flags.join(" "));
    for (const i of [1, 2]) sluice(...words, "--shard", `${i}/2`, "--csv", `p${i}.csv`);
    sluice("sweep", good, "--seeds", "7", "--shard", "2/2", "--csv", "other.csv");
    const refused = (parts, reason) => {
      const { code, err, out } = sluice("merge", ...parts, "--csv", "never.csv");
      assert.equal(code, 2);
      assert.equal(out, "");
      assert.match(err, reason);
      assert.ok(!existsSync(join(folder, "never.csv")));
    };
    refused(["p1.csv"], /part 2 of 2 is missing/);
    refused(["p1.csv", "p2.csv", "p2.csv"], /"p2\.csv" is part 2 again/);
    refused(["p1.csv", "other.csv"], /"other\.csv" is of another sweep than "p1\.csv": other axes, seeds or version/);
    file("short.csv", read("p2.csv").replace(/5,.*\n$/, ""));
    refused(["p1.csv", "short.csv"], /"short\.csv" ends before row 5[^]*--resume/);
    const before = read("other.csv");
    const { code, err } = sluice(...words, "--csv", "other.csv", "--resume");
    assert.equal(code, 2);
    assert.match(err, /other\.csv: error: the file is of another sweep or part/);
    assert.equal(read("other.csv"), before);
  },
  "--pareto prints the rows that no other one beats": () => {
    const words = ["sweep", good, "--over", "pipeline.schedule=gpipe,1f1b,nonsense", "--pareto"];
    // Both take as long; gpipe keeps all microbatches.
    const { code, out, err } = sluice(...words, "bubble_idle_over_makespan,peak_memory,devices", "--csv", "all.csv");
    assert.equal(code, 0);
    assert.match(err, /of 2 runs are beaten by no other/);
    assert.match(out, /^# sluice sweep [0-9a-f]{16}\nindex,pipeline\.schedule,seed,.*,fits,devices,trace_hash,problem\n/);
    assert.match(out, /\n1,1f1b,0,.*,2,[0-9a-f]{16},\n/);
    assert.equal(read("all.csv").trimEnd().split("\n").length, 2 + 3);
    assert.match(sluice(...words, "peak_memory").out, /problem\n1,1f1b,0,[^\n]*\n$/);
    for (const i of [1, 2]) sluice(...words.slice(0, 4), "--shard", `${i}/2`, "--csv", `f${i}.csv`);
    assert.equal(sluice("merge", "f1.csv", "f2.csv", "--pareto", "peak_memory").out, sluice(...words, "peak_memory").out);
  },
  "montecarlo says bands, runs that a precision takes, and differences run by run": () => {
    const noisy = file("noisy.yaml", GOOD.replace(/distribution: 10\}/g, "distribution: {type: normal, mean: 10, std: 1}}"));
    const words = ["montecarlo", noisy, "--runs", "200", "--over", "pipeline.schedule=1f1b,gpipe,nonsense"];
    const { code, out } = sluice(...words, "--precision", "0.5%", "--json", "--csv", "trials.csv");
    assert.equal(code, 0);
    const json = JSON.parse(out);
    assert.equal(json.precision, 0.005);
    assert.deepEqual(json.points.map((p) => [p.over["pipeline.schedule"], p.completed]), [["1f1b", 200], ["gpipe", 200], ["nonsense", 0]]);
    const { makespan_ms } = json.points[0].metrics;
    assert.ok(makespan_ms.p5 < makespan_ms.median && makespan_ms.median < makespan_ms.p95);
    assert.ok(makespan_ms.runs_needed > 1);
    assert.equal(json.points[1].against_first.pairs, 200);
    assert.equal(read("trials.csv").trimEnd().split("\n").length, 2 + 600);
    for (const threads of ["1", "3"]) assert.equal(sluice(...words, "--precision", "0.005", "--json", "--threads", threads).out, out);
    // A row is what the sweep has of that seed.
    const row = sluice("sweep", noisy, "--seeds", "2").out.trimEnd().split("\n").at(-1);
    assert.ok(read("trials.csv").includes(`\n1,1f1b,${row.split(",").slice(1).join(",")}\n`));
    const text = sluice(...words).out;
    assert.match(text, /200 runs, seeds 0 to 199/);
    assert.match(text, /less pipeline\.schedule=1f1b, run by run \(200 pairs\)/);
    assert.match(text, /200 runs are not possible: .*\[reference\.schedule\]/);
    assert.match(sluice("montecarlo", example, "--runs", "20").out, /Nothing is drawn/);
    assert.match(sluice("montecarlo", join(root, "examples/layers.yaml"), "--runs", "20").out, /\d+ constants of megatron_local drawn/);
    for (const flags of [["--runs", "0"], ["--precision", "0"], ["--precision", "x%"], ["--over", "x"]]) assert.equal(sluice("montecarlo", noisy, ...flags).code, 2, flags.join(" "));
    assert.equal(sluice("montecarlo", bad, "--runs", "5").code, 1);
  },
  "schedules, order, schema and presets print what they say": () => {
    assert.match(sluice("schedules").out, /^ {2}1f1b /m);
    const names = JSON.parse(sluice("schedules", "--json").out).map((s) => s.name);
    for (const name of ["gpipe", "1f1b", "zb_h1"]) assert.ok(names.includes(name));
    // GPipe: all forwards, then all backwards.
    const order = JSON.parse(sluice("order", "gpipe", "--ranks", "2", "--microbatches", "2", "--json").out);
    assert.deepEqual(order.order.map((o) => o.split(" ").map((op) => op[0]).join("")), ["FFBB", "FFBB"]);
    assert.equal(sluice("order", "gpipe", "--ranks", "2", "--microbatches", "2").out.trimEnd().split("\n").length, 2);
    const unknown = sluice("order", "gpip", "--ranks", "2", "--microbatches", "2", "--json");
    assert.equal(unknown.code, 1);
    assert.equal(JSON.parse(unknown.out).diagnostics[0].fix, "gpipe");
    assert.equal(JSON.parse(sluice("schema").out).type, "object");
    assert.ok(JSON.parse(sluice("presets").out).devices.length > 5);
  },
  "order takes chunks and parameters, and writes PyTorch's CSV, which import reads back": () => {
    const ask = ["order", "interleaved_1f1b", "--ranks", "2", "--microbatches", "5", "--chunks", "2", "--set", "group=3"];
    const json = JSON.parse(sluice(...ask, "--json").out);
    assert.deepEqual(json.placement, { down: [0, 1, 0, 1] });
    // Megatron's own example: microbatches 0 1 2 0 1 2 3 4 3 4.
    assert.deepEqual(json.order[0].split(" ").filter((op) => op[0] === "F").map((op) => Number(op[1])), [0, 1, 2, 0, 1, 2, 3, 4, 3, 4]);
    const csv = sluice(...ask, "--pytorch");
    assert.match(csv.out, /^0F0,0F1,0F2,2F0,/);
    file("order.csv", csv.out);
    const yaml = sluice("import", "order.csv").out;
    assert.match(yaml, /2 ranks, 5 microbatches/);
    assert.match(yaml, /down: \[0, 1, 0, 1\]/);
    file("imported.yaml", GOOD.replace("microbatches: 4", "microbatches: 5").replace("  schedule: 1f1b\n", yaml.replace(/^/gm, "  ").trimEnd() + "\n"));
    assert.equal(sluice("run", "imported.yaml").code, 0);
    const both = sluice("order", "chimera", "--ranks", "4", "--microbatches", "4", "--pytorch");
    assert.equal(both.code, 1);
    assert.match(both.err, /several pipes/);
    assert.equal(JSON.parse(sluice("order", "DualPipe", "--ranks", "4", "--microbatches", "8", "--json").out).pipe_of_microbatch["7"], "up");
    assert.equal(sluice("order", "1f1b", "--ranks", "2", "--microbatches", "2", "--set", "group=x").code, 2);
    assert.equal(sluice("order", "dualpipe", "--ranks", "3", "--microbatches", "8").code, 1);
  },
  "an order that is stuck ends with 3 and its cycle, from a file or a scenario": () => {
    file("stuck.csv", "0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n");
    const imported = sluice("import", "stuck.csv");
    assert.equal(imported.code, 3);
    assert.match(imported.err, /rank 0 in front of B0@0 waits for B0@1 of rank 1; rank 1 in front of F1@1/);
    file("stuck.yaml", GOOD.replace("microbatches: 4", "microbatches: 2").replace("schedule: 1f1b", "schedule: {order: ['F0@0 B0@0 F1@0 B1@0', 'F0@1 F1@1 B0@1 B1@1']}"));
    const run = sluice("run", "stuck.yaml", "--json");
    assert.equal(run.code, 3);
    assert.equal(JSON.parse(run.out).diagnostics[0].code, "order.deadlock");
    file("meet.yaml", GOOD.replace("microbatches: 4", "microbatches: 4\n  communication: rendezvous"));
    const meet = sluice("run", "meet.yaml");
    assert.equal(meet.code, 3);
    assert.match(meet.err, /does not receive it/);
  },
  "compare ranks every schedule, or says why not": () => {
    const { code, out } = sluice("compare", good, "--json");
    assert.equal(code, 0);
    const rows = JSON.parse(out).schedules;
    assert.ok(rows.length > 25);
    const ran = rows.filter((r) => r.rank);
    assert.deepEqual(ran.map((r) => r.rank), ran.map((_, i) => i + 1));
    assert.ok(ran.every((r, i) => i === 0 || r.makespan_ms >= ran[i - 1].makespan_ms));
    assert.equal(rows.filter((r) => r.current).length, 1);
    assert.match(sluice("compare", good, "--set", "simulation.microbatches=3").out, /Cannot run here:\n[^]*dualpipe: microbatches must be even/);
    assert.equal(sluice("compare", bad).code, 1);
    assert.equal(sluice("compare").code, 2);
  },
  "learn says what stale weights do, and when a loss is reached": () => {
    const paci = join(root, "examples/paci.yaml");
    const few = ["--seeds", "2", "--microbatches", "64", "--test-every", "16"];
    const { code, out } = sluice("learn", paci, "--against", "1f1b", "--against", "no_such", ...few, "--rate", "0.01,0.02", "--csv", "curves.csv", "--json");
    assert.equal(code, 0);
    const { arms, cases, target } = JSON.parse(out);
    assert.equal(arms.length, 3);
    assert.match(arms[2].refused, /no_such/);
    assert.deepEqual(cases.map(({ schedule, rate }) => [schedule, rate]), [["paci", 0.01], ["1f1b", 0.01], ["paci", 0.02], ["1f1b", 0.02]]);
    for (const one of cases) assert.ok(one.ms_to_target > 0 && one.test_loss_mean <= target + 1e-9);
    const rows = read("curves.csv").trim().split("\n");
    assert.equal(rows[0], "schedule,rate,seed,samples,ms,train_loss,test_loss");
    assert.equal(rows.length, 1 + 4 * 2 * 4);
    assert.match(sluice("learn", paci, ...few).out, /drift[^]*test loss[^]*Target/);
    for (const [words, said] of [
      [["--model", "gpt"], /--model is/],
      [["--rate", "0"], /above 0/],
      [["--optimizer", "lion"], /--optimizer is/],
      [["--seeds", "0"], /--seeds/],
    ]) {
      const refused = sluice("learn", paci, ...words);
      assert.equal(refused.code, 2);
      assert.match(refused.err, said);
    }
    assert.equal(sluice("learn", bad).code, 1);
  },
  "plan finds pipelines for a cluster, beside what others would do": () => {
    const eth = join(root, "examples/eth/6.7b_s8192_b2b4.yaml");
    const { code, out } = sluice("plan", eth, "--json");
    assert.equal(code, 0);
    const { plans, baselines, search } = JSON.parse(out);
    for (const key of ["iteration_ms", "analytic_ms", "memory_fits", "pipelines"]) assert.ok(key in plans[0], key);
    assert.deepEqual(Object.keys(baselines).sort(), ["hexiscale_like", "ideal", "megatron_uniform", "metis_like", "metis_unlimited_memory", "type_split"]);
    assert.equal(baselines.hexiscale_like, null);
    assert.deepEqual(Object.keys(baselines.metis_like).slice(0, 2), ["iteration_ms", "max_min_latency"]);
    assert.ok(baselines.metis_like.iteration_ms > 1.5 * plans[0].iteration_ms);
    for (const key of ["configurations", "templates", "seconds"]) assert.ok(search[key] > 0, key);
    assert.equal(plans[0].pipelines.reduce((sum, p) => sum + p.local_batch, 0), 256);
    const text = sluice("plan", eth).out;
    assert.match(text, /a step in \d pipelines?; the closed form says/);
    assert.match(text, /hexiscale_like +nothing fits/);
    // The four that make it fast change nothing but the time.
    const naive = JSON.parse(sluice("plan", eth, "--json", "--no-baselines", "--without", "cache,skip,order,fill").out);
    assert.equal(naive.plans[0].iteration_ms, plans[0].iteration_ms);
    assert.ok(naive.search.templates > 10 * search.templates);
    assert.equal(sluice("plan", eth, "--without", "speed").code, 2);
    const tight = sluice("plan", eth, "--set", "plan.cluster[0].memory_GiB=8", "--set", "plan.cluster[1].memory_GiB=8");
    assert.equal(tight.code, 3);
    assert.match(tight.err, /within memory/);
    const table = sluice("plan", eth, join(root, "examples/eth/1.3b_b2b4.yaml"), "--csv", "--no-timing", "--over", "plan.gradient_sync=none,block").out.trim().split("\n");
    assert.equal(table.length, 5);
    const columns = table[0].split(",");
    assert.deepEqual(columns.slice(0, 3), ["file", "plan.gradient_sync", "iteration_ms"]);
    assert.ok(table.every((row) => row.split(",").length === columns.length));
    assert.equal(Number(table[1].split(",")[2]), Number(plans[0].iteration_ms.toPrecision(9)));
    assert.equal(table[1].split(",")[columns.indexOf("hexiscale_like_ms")], "");
    const sampled = sluice("plan", eth, "--sample", "20", "--seed", "3").out.trim().split("\n");
    assert.equal(sampled.length, 21);
    assert.equal(sluice("plan", eth, eth).code, 2);
    assert.equal(sluice("plan", eth, "--csv", "--over", "nonsense").code, 2);
    // The plan as a scenario plays as the plan says.
    assert.equal(sluice("plan", eth, "--no-baselines", "--plan", "planned.yaml").code, 0);
    assert.equal(JSON.parse(sluice("run", "planned.yaml", "--json").out).time_ms.makespan_ms, plans[0].iteration_ms);
    const run = sluice("run", eth);
    assert.equal(run.code, 1);
    assert.match(run.err, /sluice plan/);
  },
  "import reads a Megatron layout, stage by stage": () => {
    assert.match(sluice("import", "--layout", "Et*2|(t*2|)*2,tL").out, /stage {3}0 {2}embedding, 2 layers\n[^]*stage {3}3 {2}1 layers, loss\n7 layers on 4 stages/);
    const wrong = sluice("import", "--layout", "Ex");
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /`x` is no layer at character 2/);
    assert.equal(sluice("import").code, 2);
  },
  "validate predicts published runs, and draws them": () => {
    const data = join(root, "tests/data/zero_bubble");
    const { code, out } = sluice("validate", "--published", data, "--plot", "published.svg", "--json");
    assert.equal(code, 0);
    const found = JSON.parse(out);
    assert.equal(found.n, 47);
    assert.equal(found.rows.length, 47);
    assert.ok(found.throughput_mape_pct <= 6 && found.ratio_to_1f1b_mape_pct <= 3 && found.memory_mape_pct <= 8);
    assert.equal(read("published.svg"), readFileSync(join(root, "web/docs/pictures/published.svg"), "utf8"), "run: sluice validate --published ... --plot");
    // What was measured, and the profile beside it, are not read: only the facts make a prediction.
    const lines = readFileSync(join(data, "measured.csv"), "utf8").trim().split("\n");
    mkdirSync(join(folder, "other"));
    file("other/models.csv", readFileSync(join(data, "models.csv"), "utf8"));
    file("other/measured.csv", [lines[0], ...lines.slice(1).map((line) => line.split(",").with(6, "1").with(7, "9").join(","))].join("\n"));
    const others = JSON.parse(sluice("validate", "--published", "other", "--json").out);
    assert.deepEqual(
      others.rows.map((r) => [r.throughput_predicted_per_gpu_s, r.memory_predicted_gb]),
      found.rows.map((r) => [r.throughput_predicted_per_gpu_s, r.memory_predicted_gb]),
    );
    file("other/measured.csv", lines[0]);
    assert.equal(JSON.parse(sluice("validate", "--published", "other", "--json").out).n, 0);
    assert.equal(sluice("validate", "--published", "nowhere").code, 2);
    file("other/models.csv", "model,layers\n");
    const wrong = sluice("validate", "--published", "other", "--json");
    assert.equal(wrong.code, 1);
    assert.equal(JSON.parse(wrong.out).diagnostics[0].code, "csv.column");
  },
  "validate predicts recorded runs, term by term, and the picture in the docs is what it draws": () => {
    const data = join(root, "tests/data/hops_runs");
    const runs = ["--runs", join(data, "measured.csv"), "--links", join(data, "link_bench.csv")];
    const { code, out } = sluice("validate", ...runs, "--plot", "period.svg", "--json");
    assert.equal(code, 0);
    assert.equal(JSON.parse(out).n, 56);
    assert.equal(read("period.svg"), readFileSync(join(root, "web/docs/pictures/period.svg"), "utf8"), "run: sluice validate --runs ... --plot");
    const ablation = sluice("validate", ...runs, "--split", "train", "--ablation");
    assert.match(ablation.out, /^without [^]*nothing +0\.9\d %[^]*built up: and with[^]*matrix products +8\d\.\d\d %/);
    assert.equal(sluice("validate", ...runs, "--split", "train", "--environment", "nonsense").code, 1);
    assert.equal(sluice("validate", "--runs", "x").code, 2);
  },
  "physics goes from one bundle to the other, and its steps add up": () => {
    const { code, out } = sluice("physics", join(root, "examples/hops/dgx_a100.yaml"), "--json");
    assert.equal(code, 0);
    const { steps } = JSON.parse(out);
    const own = (physics) =>
      JSON.parse(sluice("run", join(root, "examples/hops/dgx_a100.yaml"), "--json", "--set", `simulation.physics=${physics}`).out);
    assert.equal(steps[0].throughput_per_s, own("hops").throughput.per_s);
    assert.equal(steps.at(-1).throughput_per_s, own("sluice").throughput.per_s);
    assert.match(sluice("physics", good).out, /units[^]*add up to/);
    assert.equal(sluice("physics", bad).code, 1);
    assert.equal(sluice("physics").code, 2);
  },
  "names that would steer a terminal do not reach it": () => {
    const odd = file("odd.yaml", GOOD.replace("microbatches: 4", 'microbatches: 4\n  "\\e[31mred": 1'));
    const { code, err } = sluice("run", odd);
    assert.equal(code, 1);
    assert.ok(!err.includes("\u001b"));
  },
};

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
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
