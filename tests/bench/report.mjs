// Runs the benchmark natively and under node and prints one table with its ratios; the machine is named, since the
// absolute numbers mean nothing without it. Run by `./dev bench`, which builds both first.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const build = join(dirname(fileURLToPath(import.meta.url)), "../../build");

function run(command, args) {
  const output = execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  return Object.fromEntries(output.trim().split("\n").map((line) => [line.split(" ")[0], Number(line.split(" ")[1])]));
}
const native = run(join(build, "native/sluice_bench"), []);
const wasm = run(process.execPath, [join(build, "wasm/sluice_bench.js")]);

const number = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits) : "–");
const seconds = (results, name) => results[`${name}.seconds`];
const rate = (results, name) => results[`${name}.events`] / seconds(results, name) / 1e6;
const nsPerEvent = (results, name) => 1e3 / rate(results, name);
const row = (...cells) => console.log(`| ${cells.join(" | ")} |`);

console.log(`Machine: ${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores; node ${process.versions.node}; times are the least of several repeats\n`);
row("what", "events", "native, M events/s", "wasm, M events/s", "wasm/native time");
row("---", "--:", "--:", "--:", "--:");
const names = Object.keys(native).filter((key) => key.endsWith(".events")).map((key) => key.slice(0, -".events".length));
for (const name of names) {
  row(name, native[`${name}.events`], number(rate(native, name), 2), number(rate(wasm, name), 2), number(seconds(wasm, name) / seconds(native, name), 2));
}

const loads = Object.keys(native).filter((key) => key.startsWith("load."));
if (loads.length > 0) {
  console.log();
  row("load and check", "native, ms", "wasm, ms");
  row("---", "--:", "--:");
  for (const key of loads) row(key.slice("load.".length), number(native[key] * 1e3, 2), number(wasm[key] * 1e3, 2));
}

console.log();
row("file", "bytes", "gzip", "brotli");
row("---", "--:", "--:", "--:");
for (const file of ["sluice.wasm", "sluice.mjs"]) {
  const path = join(build, "wasm", file);
  if (!existsSync(path)) continue;
  const bytes = readFileSync(path);
  row(file, bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length);
}

console.log();
row("ratio", "value");
row("---", "--:");
for (const [label, results] of [["native", native], ["wasm", wasm]]) {
  if (results["engine.seconds"] === undefined) continue;
  row(`${label}: engine time per event / reference loop's`, number(nsPerEvent(results, "engine") / nsPerEvent(results, "reference"), 2));
  row(`${label}: with noise`, number(nsPerEvent(results, "engine_noise") / nsPerEvent(results, "reference_noise"), 2));
  row(`${label}: engine time per event, 512 stages / 8 stages`, number(nsPerEvent(results, "engine_512_stages") / nsPerEvent(results, "engine_8_stages"), 2));
}
