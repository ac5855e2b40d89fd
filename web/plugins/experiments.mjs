// The plots and tables of docs/experiments.md, from runs of the command: `node web/plugins/experiments.mjs [SLUICE [PART]]`
// writes docs/pictures/planner_*.svg and prints the tables. By hand, since it takes minutes, and times want a machine
// that does nothing else.
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { dots, panels, scatter } from "./plots.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const command = resolve(process.argv[2] ?? join(root, "build/native/sluice"));

function sluice(...words) {
  const { status, stdout, stderr } = spawnSync(command, ["plan", ...words], { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`sluice plan ${words.join(" ")}: ${stderr}`);
  return stdout;
}
/** Rows as objects; what is empty is null, what is a number is one. */
function table(text) {
  const [head, ...rows] = text.trim().split("\n").map((line) => line.split(","));
  const value = (word) => (word === "" ? null : Number.isNaN(Number(word)) ? word : Number(word));
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, value(row[i])])));
}
const file = (name) => `examples/eth/${name}.yaml`;
const csv = (names, ...words) => table(sluice(...names.map(file), "--csv", ...words));
const nameOf = ({ file: path }) => /([^/]*)\.yaml$/.exec(path)[1];
const write = (name, svg) => writeFileSync(join(root, `web/docs/pictures/planner_${name}.svg`), svg);
const print = (title, head, rows) =>
  console.log(`\n${title}\n\n| ${head.join(" | ")} |\n|${"---|".repeat(head.length)}\n${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}`);
const fixed = (n, digits = 2) => (n === null || n === undefined ? "–" : n.toFixed(digits));

/** "6.7b_s8192_b2b4" as "6.7B, 8k, B2/B4". */
const CLUSTERS = { b2b4: "B2/B4", b2b3: "B2/B3", a100_3090: "A100/3090" };
function caseName(name) {
  const [, size, , length, cluster] = /^([\d.]+[mb])_(s(\d+)_)?(.*)$/.exec(name);
  return [size.toUpperCase(), length ? `${length / 1024}k` : null, CLUSTERS[cluster]].filter(Boolean).join(", ");
}
const sizeOf = (name) => Number.parseFloat(name) * (/^\d+m/.test(name) ? 1e-3 : 1);

// Each 70B takes a minute.
const names = readdirSync(join(root, "examples/eth"))
  .filter((one) => one.endsWith(".yaml") && !one.startsWith("70b"))
  .map((one) => one.replace(".yaml", ""))
  .sort((a, b) => sizeOf(a) - sizeOf(b) || (a < b ? -1 : 1));

const SERIES = [
  ["Megatron-like", "megatron_uniform"],
  ["HexiScale-like", "hexiscale_like"],
  ["Metis-like", "metis_like"],
  ["one type each", "type_split"],
  ["Metis-like, no memory limit", "metis_unlimited_memory"],
];

function comparisons() {
  const all = csv(names);
  const pick = (suffix, list, scale = () => 1) =>
    all.map((row) => ({ name: caseName(nameOf(row)), values: list.map(([, key]) => (row[key + suffix] === null ? null : row[key + suffix] / scale(row))) }));
  const uneven = SERIES.filter(([, key]) => key !== "megatron_uniform" && key !== "type_split");
  write("uneven", dots({ title: "Time of the slowest stage over that of the fastest", series: uneven.map(([name]) => name), marks: uneven.map((one) => SERIES.indexOf(one)), rows: pick("_max_min", uneven), low: 1, high: 10, log: true }));
  const planners = SERIES.slice(0, 4);
  write("times", dots({ title: "Step time of other planners over that of the plan found", series: planners.map(([name]) => name), rows: pick("_ms", planners, (row) => row.iteration_ms), low: 0.95, high: 4.5, log: true }));
  print("All planners, seconds a step", ["case", "plan found", ...planners.map(([name]) => name), "ideal", "found after"],
    all.map((row) => [caseName(nameOf(row)), fixed(row.iteration_ms / 1000), ...planners.map(([, key]) => fixed(row[`${key}_ms`] === null ? null : row[`${key}_ms`] / 1000)), fixed(row.ideal_ms / 1000), `${fixed(row.seconds)} s`]));
  print("Max/min", ["case", ...uneven.map(([name]) => name), "plan found"],
    all.map((row) => [caseName(nameOf(row)), ...uneven.map(([, key]) => fixed(row[`${key}_max_min`])), fixed(row.max_min_latency)]));
}

function unevenness() {
  const samples = table(sluice(file("13b_b2b4"), "--sample", "1000"));
  const lowest = (key) => [...samples].sort((a, b) => a[key] - b[key]).slice(0, samples.length / 4);
  const panel = (x, other, name) => ({ name, points: lowest(other).map((row) => [row[x], row.samples_per_s]) });
  write("spread", scatter({
    y: "Samples a second of random plans, 13B on B2/B4",
    panels: [
      panel("v_inter", "v_intra", "spread between pipelines (even within them)"),
      panel("v_intra", "v_inter", "spread within pipelines (even between them)"),
    ],
  }));
}

function sums() {
  const ways = ["block", "tensor", "device"];
  const models = ["350m", "1.3b", "2.6b", "6.7b", "13b"];
  const all = csv(models.map((m) => `${m}_b2b4`), "--no-baselines", "--no-timing", "--over", `plan.gradient_sync=none,${ways}`);
  const of = (m, way) => all.find((row) => nameOf(row) === `${m}_b2b4` && row["plan.gradient_sync"] === way);
  const more = (m, way) => 100 * (of(m, way).iteration_ms / of(m, "none").iteration_ms - 1);
  write("sums", dots({ title: "What sums of gradients add to a step, percent", series: ways, rows: models.map((m) => ({ name: `${m.toUpperCase()}, B2/B4`, values: ways.map((way) => more(m, way)) })), low: 0, high: 8 }));
  print("Sums of gradients, added to a step", ["model", ...ways], models.map((m) => [m.toUpperCase(), ...ways.map((way) => `${fixed(more(m, way))} %`)]));
}

function scaling() {
  const ratio = (row, key) => (row[`${key}_ms`] === null ? null : row[`${key}_ms`] / row.iteration_ms);
  const series = SERIES.slice(0, 4);
  const lines = (xs, rows) => ({ xs, lines: series.map(([, key]) => rows.map((row) => ratio(row, key))) });
  const base = "13b_b2b4";
  const over = (path, values) => csv([base], "--over", `${path}=${values}`, "--no-timing");
  const nodes = [1, 2, 4, 8];
  const devices = nodes.map((n) => csv([base], "--no-timing", "--set", `plan.cluster[0].nodes=${n}`, "--set", `plan.cluster[1].nodes=${n}`)[0]);
  const batches = over("plan.global_batch", "256,512,1024,2048");
  const lengths = over("pipeline.model.seq_len", "1024,2048,4096,8192");
  write("scaling", panels({
    y: "Step time of other planners over that of the plan found, 13B on B2/B4",
    series: series.map(([name]) => name),
    low: 1, high: 2.05,
    panels: [
      { name: "devices", ...lines(nodes.map((n) => `${16 * n}`), devices) },
      { name: "global batch", ...lines(["256", "512", "1,024", "2,048"], batches) },
      { name: "tokens of a sequence", ...lines(["1,024", "2,048", "4,096", "8,192"], lengths) },
    ],
  }));
  const cells = (row) => [fixed(row.iteration_ms / 1000), ...series.map(([, key]) => (ratio(row, key) === null ? "nothing fits" : `${fixed(ratio(row, key))} ×`))];
  print("13B on B2/B4", ["", "plan found, s", ...series.map(([name]) => name)], [
    ...devices.map((row, i) => [`${16 * nodes[i]} devices`, ...cells(row)]),
    ...batches.map((row) => [`batch ${row["plan.global_batch"]}`, ...cells(row)]),
    ...lengths.map((row) => [`${row["pipeline.model.seq_len"]} tokens`, ...cells(row)]),
  ]);
}

function memory() {
  const rows = [];
  let worst = 0;
  for (const name of ["13b_b2b4", "6.7b_s4096_b2b4", "6.7b_s8192_b2b4"]) {
    for (const recompute of [true, false]) {
      const { plans } = JSON.parse(sluice(file(name), "--json", "--no-baselines", "--no-timing", "--set", `plan.recompute=${recompute}`));
      const stages = plans[0].pipelines.flatMap((p) => p.stages);
      const reserve = 0.08;
      for (const s of stages) worst = Math.max(worst, Math.abs((s.analytic_memory_GiB + reserve * s.device_memory_GiB) / s.memory_GiB - 1));
      for (const gpu of new Set(stages.map((s) => s.gpu))) {
        const own = stages.filter((s) => s.gpu === gpu);
        const full = own.map((s) => (100 * s.memory_GiB) / s.device_memory_GiB);
        rows.push({ name: `${caseName(name)}, ${recompute ? "with" : "without"}, ${gpu.replace("ascend-", "").toUpperCase()}`, values: [Math.min(...full), Math.max(...full)], seconds: plans[0].iteration_ms / 1000 });
      }
    }
  }
  write("memory", dots({ title: "Devices' memory at its fullest moment, percent of what there is", series: ["emptiest stage", "fullest stage"], rows, low: 0, high: 100 }));
  console.log(`\nThe closed form's memory is within ${fixed(100 * worst, 3)} % of the engine's.`);
  print("Memory", ["case", "emptiest stage", "fullest stage", "step"], rows.map(({ name, values, seconds }) => [name, ...values.map((v) => `${fixed(v, 1)} %`), `${fixed(seconds)} s`]));
}

function searching() {
  const off = [["all on", null], ["plain filling", "fill"], ["and no order", "order,fill"], ["and no skipping", "skip,order,fill"], ["and no cache", "cache,skip,order,fill"]];
  const best = (words) => {
    const tries = [1, 2, 3].map(() => csv(["13b_b2b4"], "--no-baselines", ...words)[0]);
    return tries.reduce((a, b) => (a.seconds <= b.seconds ? a : b));
  };
  const rows = off.map(([name, without]) => ({ name, row: best(without ? ["--without", without] : []) }));
  write("search", dots({ title: "Time to find the plan, ms", series: ["13B on 4 + 4 nodes of 8"], rows: rows.map(({ name, row }) => ({ name, values: [1000 * row.seconds] })), low: 100, high: 20000, log: true }));
  print("What makes the search fast", ["", "divisions looked at", "pipelines planned", "forms", "ms"], rows.map(({ name, row }) => [name, row.evaluated, row.templates, row.forms, fixed(1000 * row.seconds, 0)]));
  const tolerant = csv(["13b_b2b4"], "--no-baselines", "--no-timing", "--over", "plan.tolerance=1,1.01,1.02,1.05,1.1,1.2");
  print("Tolerance", ["tolerance", "divisions looked at", "step"], tolerant.map((row) => [row["plan.tolerance"], row.evaluated, `${fixed(row.iteration_ms / 1000)} s`]));
  const sizes = [1, 2, 4, 8].map((n) => [n, csv(["6.7b_b2b4"], "--no-baselines", "--set", `plan.cluster[0].nodes=${n}`, "--set", `plan.cluster[1].nodes=${n}`, "--set", "plan.most_pipelines=64")[0]]);
  print("Divisions", ["nodes", "divisions", "looked at", "pipelines planned", "found after"], sizes.map(([n, row]) => [`${n} + ${n}`, row.configurations, row.evaluated, row.templates, `${fixed(row.seconds)} s`]));
}

const PARTS = { comparisons, unevenness, sums, scaling, memory, searching };
const part = process.argv[3];
for (const [name, run] of Object.entries(PARTS)) if (!part || part === name) run();
