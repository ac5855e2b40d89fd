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
    for (const command of ["run", "check", "sweep", "schedules", "order", "presets", "schema"]) assert.match(err, new RegExp(`sluice ${command}`));
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
  "--summary, --trace, --chrome, --svg and --dashboard write files, folders are made": () => {
    const { code } = sluice("run", good, "--summary", "out/s.json", "--trace", "out/deep/t.csv", "--chrome", "out/c.json", "--svg", "out/t.svg", "--dashboard", "out/d.svg");
    assert.equal(code, 0);
    assert.equal(read("out/s.json"), sluice("run", good, "--json").out);
    assert.match(read("out/deep/t.csv"), /^event_type,phase,stage_id,microbatch_id,device_id,src_device,dst_device,start_time_ms,end_time_ms,duration_ms,target_id,recovery_time_ms,/);
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
    for (const flag of ["--summary", "--trace", "--chrome", "--svg"]) {
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
  "schedules, order, schema and presets print what they say": () => {
    assert.match(sluice("schedules").out, /^1f1b/m);
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
