// Holds the order of the layers: a file includes its own layer and those below it, never one above; third-party
// parsers stay in core/io and wasm. Run from anywhere; ends with "N passed, N failed".
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const ORDER = ["base", "model", "cost", "schedule", "trace", "engine", "metrics", "search", "learn", "measure", "io", "api", "cli", "wasm"];
const TOP = ORDER.indexOf("cli"); // cli and wasm both stand on api and do not see each other
const folderOf = (layer) => join(root, layer === "wasm" ? "wasm" : `core/${layer}`);
const sources = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true }).filter((name) => /\.[ch]pp$/.test(name)).sort()
    : [];

function breaches(layer, text) {
  const rank = ORDER.indexOf(layer);
  const found = [];
  text.split("\n").forEach((line, index) => {
    const match = /^\s*#\s*include\s*([<"])([^>"]+)[>"]/.exec(line);
    if (!match) return;
    const [, quote, path] = match;
    const say = (why) => found.push(`${index + 1}: ${path}: ${why}`);
    if (/^(yaml-cpp|nlohmann)\//.test(path) && layer !== "io" && layer !== "wasm") say("third-party parsers belong to core/io and wasm");
    if (quote === "<") return;
    const target = ORDER.indexOf(path.split("/")[0]);
    if (target < 0) say("not a layer: write the path from core/");
    else if (target > rank || (target >= TOP && target !== rank)) say(`${layer} must not include ${ORDER[target]}`);
    else if (ORDER[target] !== "wasm" && !existsSync(join(root, "core", path))) say("no such file");
  });
  return found;
}

let passed = 0;
let failed = 0;
for (const layer of ORDER) {
  const found = sources(folderOf(layer)).flatMap((name) =>
    breaches(layer, readFileSync(join(folderOf(layer), name), "utf8")).map((breach) => `${layer}/${name}:${breach}`),
  );
  found.forEach((line) => console.log(line));
  if (found.length > 0) failed += 1;
  else passed += 1;
}
const unknown = readdirSync(join(root, "core"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "cmake" && !ORDER.includes(entry.name))
  .map((entry) => `core/${entry.name} is not a layer`);
unknown.forEach((line) => console.log(line));
if (unknown.length > 0) failed += 1;
else passed += 1;
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
