// Runs the benchmark natively and under node and prints one table with its ratios; the machine is named, since the
// absolute numbers mean nothing without it. Run by `./dev bench`, which builds both first.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const build = join(dirname(fileURLToPath(import.meta.url)), "../../build");

/** name -> {seconds, events, tasks} */
function run(command, args) {
  const output = execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  return new Map(
    output.trim().split("\n").map((line) => {
      const [name, seconds, events, tasks] = line.split("\t");
      return [name, { seconds: Number(seconds), events: Number(events), tasks: Number(tasks) }];
    }),
  );
}
const native = run(join(build, "native/sluice_bench"), []);
const wasm = run(process.execPath, [join(build, "wasm/sluice_bench.js")]);

const rate = ({ events, seconds }) => (events / seconds / 1e6).toFixed(2);
const perTask = ({ seconds, tasks }) => ((seconds / tasks) * 1e9).toFixed(0);
const row = (...cells) => console.log(`| ${cells.join(" | ")} |`);
const table = (head, rows) => {
  console.log();
  row(...head);
  row("---", ...head.slice(1).map(() => "--:"));
  rows.forEach((cells) => row(...cells));
};

console.log(`Machine: ${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores; node ${process.versions.node}. Least time of several rounds.`);

const names = [...native.keys()];
table(
  ["loop", "tasks", "events", "native, M events/s", "wasm, M events/s", "native, ns/task", "wasm, ns/task", "wasm/native time"],
  names.filter((name) => !name.startsWith("load.")).map((name) => {
    const [n, w] = [native.get(name), wasm.get(name)];
    return [name, n.tasks, n.events, rate(n), rate(w), perTask(n), perTask(w), (w.seconds / n.seconds).toFixed(2)];
  }),
);
table(
  ["load and check", "native, ms", "wasm, ms"],
  names.filter((name) => name.startsWith("load.")).map((name) => [
    name.slice("load.".length),
    (native.get(name).seconds * 1e3).toFixed(2),
    (wasm.get(name).seconds * 1e3).toFixed(2),
  ]),
);
table(
  ["file", "bytes", "gzip", "brotli"],
  ["sluice.wasm", "sluice.mjs"].filter((file) => existsSync(join(build, "wasm", file))).map((file) => {
    const bytes = readFileSync(join(build, "wasm", file));
    return [file, bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length];
  }),
);
// For the same tasks the engine needs fewer events than the reference loop, so tasks are what is compared.
const ratio = (results, over, under, per) => {
  const cost = (name) => results.get(name).seconds / results.get(name)[per];
  return (cost(over) / cost(under)).toFixed(2);
};
table(
  ["ratio of times", "native", "wasm"],
  [
    ["engine / reference loop, per task", "engine", "reference", "tasks"],
    ["engine / reference loop, per task, each duration drawn", "engine_noise", "reference_noise", "tasks"],
    ["engine: links shared / latency alone, per task", "engine_shared_links", "engine", "tasks"],
    ["engine: 512 stages / 8 stages, per event", "engine_512_stages", "engine_8_stages", "events"],
  ].map(([label, over, under, per]) => [label, ratio(native, over, under, per), ratio(wasm, over, under, per)]),
);
