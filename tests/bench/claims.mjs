// Writes web/docs/claims.md: what the systems that Sluice brings to life say of themselves, beside what is measured here
// with the command. Run by `./dev bench`; the tests that hold a line are named in it.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const sluice = (...words) =>
  execFileSync(join(root, "build/native/sluice"), words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
const json = (...words) => JSON.parse(sluice(...words, "--json"));

const fixed = (value, digits = 2) => value.toFixed(digits);
const times = (value, digits = 2) => `${value.toFixed(digits)} ×`;
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;

const runs = json("validate", "--runs", "tests/data/hops_runs/measured.csv", "--links", "tests/data/hops_runs/link_bench.csv");
const eth = "examples/eth/6.7b_s8192_b2b4.yaml";
const plan = json("plan", eth);
const best = plan.plans[0].iteration_ms;
const naive = json("plan", eth, "--no-baselines", "--without", "cache,skip,order,fill");
const fast = json("plan", eth, "--no-baselines");
const short = json("plan", "examples/eth/6.7b_b2b4.yaml");
const gain = ({ plans, baselines }) => baselines.metis_like.iteration_ms / plans[0].iteration_ms;

const amdp = (depth, rounds, batches) => {
  const scenario = ["examples/amdp.yaml", "--set", `simulation.microbatches=${8 * rounds}`, "--set", `simulation.batches=${batches}`, "--set", `pipeline.schedule={name: amdp, rounds: ${rounds}}`];
  return json("run", ...scenario);
};
const period = (amdp(8, 1, 12).time_ms.makespan_ms - amdp(8, 1, 8).time_ms.makespan_ms) / 4;
const drifted = (rounds) => {
  const [more, fewer] = [12, 8].map((batches) => amdp(8, rounds, batches).staleness.drifted_share * batches);
  return (more - fewer) / 4;
};
const stream = (schedule, ...more) =>
  json("run", "examples/paci.yaml", "--set", `pipeline.schedule=${schedule}`, "--set", "simulation.batches=50", ...more);
const paci = stream("paci");
const flush = stream("1f1b");
const zero = stream("zb_h1");
// Its steps overlap: ranks update one after the other, as its paper has them.
const zero2 = stream("zb_h2", "--set", "simulation.step_barrier=false");
const lab = json("learn", "examples/paci.yaml", "--against", "1f1b", "--against", "zb_h1", "--against", "{name: amdp, rounds: 2}", "--against", "pipedream_2bw", "--seeds", "5", "--microbatches", "4096");
const of = (schedule) => lab.cases.find((one) => one.schedule === schedule);
const loss = (schedule) => `${fixed(of(schedule).test_loss_mean, 3)} ± ${fixed(of(schedule).test_loss_sd, 3)}`;
const delayed = (optimizer) => {
  const { cases } = json("learn", "examples/paci.yaml", "--set", "simulation.microbatches=8", "--against", "1f1b", "--against", "pipedream_2bw", "--optimizer", optimizer, "--microbatches", "2048", "--test-every", "1024");
  return fixed(cases[2].test_loss_mean - cases[1].test_loss_mean, 3);
};
const tuned = json("tune", "tests/data/octopipe/gemma2_9b_d8_m32.yaml", "--no-timing");
const known = tuned.candidates.filter((one) => one.fits && !one.name.startsWith("tuned") && one.makespan_ms);
const fastest = Math.min(...known.map((one) => one.makespan_ms));
const named = (name) => tuned.candidates.find((one) => one.name === name).makespan_ms;
const peak = ({ memory }) => Object.values(memory.peak_bytes).join();

const SHOWN = {
  HOPS: [
    ["error of throughput after calibration, on the runs that it is fitted on", "60.8 → 9.9 %", `${fixed(runs.throughput_mape_pct)} % on the ${runs.n} runs at hand, of the median iteration ${fixed(runs.period_mape_pct)} %; the runs that it was held out of are not known here (Accuracy)`],
    ["error of the bubble", "5.4 and 6.7 points", `${fixed(runs.bubble_mae_pp)} points`],
    ["rank correlation of the ranks' utilisation", "0.61 and 0.62", fixed(runs.utilization_rho_mean)],
    ["a validated two-node baseline", "within 2.0 %", `worst run ${fixed(runs.period_max_ape_pct)} % of its median iteration`],
    ["its runs", "98 = 36 + 42 + 6 + 14", "56 are at hand; the 42 of its test split are not looked at"],
    ["dispatch floor of a layer, factor of a backward, bandwidth of an H100", "1.4 ms, 2.0, 2,000 GB/s", "not terms of ours: fitted constants with intervals stand under Accuracy"],
    ["its tolerance for a change", "± 2 %, ± 2 points", "`sluice calibrate` refuses what worsens a run by more"],
    ["slow devices in the wild (MegaScale)", "5 to 15 %", "a preset band of `stragglers`, examples/straggler.yaml"],
  ],
  HopsHetero: [
    ["against zero bubble over 16 pipelines", "5 better, 11 equal, 0 worse", "the same, case by case (api/hetero16)"],
    ["the rule", "split the backward where max T − T_last ≥ W_last", "`hops_hetero`; `adaptive` is never slower than any known schedule (api/adaptive)"],
  ],
  "ETH / HPP": [
    ["training speed-up", "up to 2 ×", `${times(plan.baselines.metis_like.iteration_ms / best)} over a Metis-like plan where memory binds (6.7B, 8,192 tokens), ${times(gain(short))} where it does not (2,048 tokens); most of it is recomputation, dividing the cluster adds 0 to 2.4 % (Planning)`],
    ["slowest over fastest device, limited memory and none", "far apart, near one", `${fixed(plan.baselines.metis_like.max_min_latency)} and ${fixed(plan.baselines.metis_unlimited_memory.max_min_latency)}`],
    ["less time to find a plan", "up to 56 ×", `${times(naive.search.templates / fast.search.templates, 0)} fewer pipelines planned than without its four accelerations (${naive.search.templates} against ${fast.search.templates}), and the same plan; 14 to 20 × less time where a pipeline takes longer to plan (search/hpp/planner, E8)`],
    ["block-wise sums are the cheapest", "qualitative", "held on 2,000 random layouts (cost/gradient_groups)"],
    ["loss like that of one large batch", "qualitative", "weighted gradients of two pipelines are bit for bit a sum in fixed order (learn/training, E6)"],
    ["predicted memory", "small errors", "within 0.1 % of the engine's (api/planning)"],
    ["throughput falls with unevenness", "qualitative", "rank correlations −0.54 and −0.79 (api/planning; Planner's experiments)"],
  ],
  OctoPipe: [
    ["over the best known pipelines", "1.09 to 1.49 ×", `${times(fastest / tuned.best.makespan_ms)} over the best of ${known.length} known schedules that fit (Gemma-2 9B, 8 devices; Tuning has more)`],
    ["over Megatron's 1F1B and interleaved 1F1B", "1.22 to 2.14 ×", `${times(named("1f1b") / tuned.best.makespan_ms)} and ${times(named("interleaved_1f1b") / tuned.best.makespan_ms)} on the same`],
    ["no deadlock for irregular orders", "qualitative", "every order is checked for cycles; communication orders too (schedule/order, search/octopipe)"],
  ],
  AMDP: [
    ["microbatches in a first stage before a backward", "at most 2 a round", "2 a round, 3 for a moment between rounds (schedule/asynchronous, A1)"],
    ["weights of a forward and its backward", "within one update", `at most ${amdp(8, 1, 8).staleness.drift_max}; ${percent(drifted(1))} of all pairs with one round, ${percent(drifted(2))} with two (8 ranks)`],
    ["period of a round, f = 1, b = 2", "2 P (f + b) + b − f = 25", fixed(period)],
    ["over the strongest asynchronous pipeline", "up to 17 %", `PACI takes ${percent(period / 24 - 1)} less time than AMDP before any communication; AMDP's gain is not in this model, where stages are equal and messages free`],
    ["keeps convergence", "qualitative", `${loss("{name: amdp, rounds: 2}")} against ${loss("1f1b")} with a flush on the toy; with one round and a large rate it diverges where the flush does not (learn/stability)`],
  ],
  PACI: [
    ["time to accuracy over the fastest flush", "up to 1.69 ×", `${times(of("1f1b").ms_to_target / of("paci").ms_to_target)} over 1F1B, ${times(of("zb_h1").ms_to_target / of("paci").ms_to_target)} over ZB-H1 (toy, 8 ranks, 16 microbatches an update): throughput ${times(flush.time_ms.makespan_ms / paci.time_ms.makespan_ms)} and ${times(zero.time_ms.makespan_ms / paci.time_ms.makespan_ms)}, times samples`],
    ["memory", "as 1F1B with a flush", peak(paci) === peak(flush) ? "equal to the byte on every rank" : "NOT equal"],
    ["throughput like ZB-2p with the memory of 1F1B", "qualitative", `${fixed(paci.throughput.per_s, 0)} microbatches/s; ZB-H1 ${fixed(zero.throughput.per_s, 0)}, ZB-H2 ${fixed(zero2.throughput.per_s, 0)}`],
    ["stability and final loss", "as with a flush", `${loss("paci")} against ${loss("1f1b")}, 5 seeds: within the noise`],
    ["updates between a forward and its backward", "at most ⌈(D − 1 − s) / K⌉", "exact for all D ≤ 16, K < 40 (schedule/asynchronous, P1)"],
  ],
  "Optimizers and delay": [
    ["one update late: AdamW suffers, Muon does not (arXiv 2606.30634)", "qualitative", `extra loss of 2BW over a flush on the toy: AdamW ${delayed("adamw")}, Muon ${delayed("muon")}, momentum ${delayed("momentum")}; of the size of the seeds' noise`],
    ["look-ahead beats a flush up to 1B weights (arXiv 2505.01099)", "qualitative", "`--optimizer nadam` is there; a toy cannot show it"],
    ["gaps at delays of 2 and 8 (marin-community/marin#6431)", "0.14 and 0.85 (Muon), 0.74 and 2.21 (AdamH)", "another model, another scale: nothing here to set beside it"],
  ],
  "Others named beside them": [
    ["HexiScale over heterogeneous baselines (arXiv 2409.01143)", "1.5 to 2.4 ×", `a HexiScale-like planner stands among the baselines: ${plan.baselines.hexiscale_like ? times(plan.baselines.hexiscale_like.iteration_ms / best) : "finds nothing that fits this case"}`],
    ["selective recomputation saves activations of GPT-3 175B (Korthikanti et al.)", "70 %", "80 / 114 of a layer's bytes, by the formula (cost/memory)"],
    ["HAPT (arXiv 2509.24859), H2 (arXiv 2505.17548)", "1.3 to 1.6 ×; 16 %", "not built"],
  ],
};

const table = Object.entries(SHOWN).map(
  ([system, rows]) => `## ${system}\n\n| claim | as stated | here |\n|---|---|---|\n${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}\n`,
);
writeFileSync(
  join(root, "web/docs/claims.md"),
  `# Claims, and what is measured here

What the systems that Sluice brings to life say of themselves, beside what the simulator finds. \`./dev bench\` writes this page; where a test holds a line, it is named. A simulation cannot show what a claim about a large model's loss or a real cluster's network says: it shows what follows from durations, sizes and orders, and whether a claim is possible.

${table.join("\n")}`,
);
console.log("web/docs/claims.md is written");
