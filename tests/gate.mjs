// Rules that a reader would otherwise have to check by eye: names that break determinism, sizes, leftovers, READMEs,
// unlisted sources. Each rule is one test. Run from anywhere; ends with "N passed, N failed".
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const HOUSE = ["core", "wasm", "web", "presets", "examples", "tests"];
const MAX_LINES = 600;

/** All files below `folder`, as paths from the root, without installed packages. */
function walk(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.name !== "node_modules")
    .flatMap((entry) => (entry.isDirectory() ? walk(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]))
    .sort();
}
const read = (file) => readFileSync(join(root, file), "utf8");
const files = HOUSE.flatMap(walk);
const code = files.filter((file) => /\.(cpp|hpp|tsx?|mjs)$/.test(file));
const cpp = files.filter((file) => /^(core|wasm)\/.*\.[ch]pp$/.test(file));

/** The text with comments and literals blanked, line breaks kept. */
const bare = (text) =>
  text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'/g, (hit) => hit.replace(/[^\n]/g, " "));

/** "file:line: text" for each line of the files that matches. */
const grep = (list, pattern, prepare = bare) =>
  list.flatMap((file) =>
    prepare(read(file)).split("\n").flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );

const ELSEWHERE = "exp2|expm1|log2|log10|log1p|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|cbrt|hypot|erf|erfc|tgamma|lgamma";
const OURS_TOO = "exp|log|pow"; // base/det_math has functions of these names
const outsideDetMath = cpp.filter((file) => !file.startsWith("core/base/det_math"));

const rules = {
  "library maths stays out (use base/det_math)": () => [
    ...grep(outsideDetMath, new RegExp(`\\bstd::(${ELSEWHERE}|${OURS_TOO}|fma)[fl]?\\b`)),
    ...grep(outsideDetMath, new RegExp(`(^|[^\\w.>:])(${ELSEWHERE})[fl]?\\(`)),
    ...grep(
      outsideDetMath.filter((file) => !read(file).includes('#include "base/det_math.hpp"')),
      new RegExp(`(^|[^\\w.>:])(${OURS_TOO})[fl]?\\(`),
    ),
  ],
  "random numbers come from base/rng alone": () =>
    grep(cpp, /\bstd::(\w+_distribution|mt19937\w*|minstd_rand\w*|default_random_engine|random_device|shuffle|sample)\b|#\s*include\s*<random>|\b(s?rand|drand48)\(/),
  "no sort that leaves ties open, no std::hash, no parallel or unordered reduction": () =>
    grep(cpp, /\bstd::(sort|partial_sort|nth_element|sort_heap|push_heap|pop_heap|hash|reduce|transform_reduce|execution)\b|#pragma omp/),
  "no clock, environment or file below cli": () =>
    grep(cpp.filter((file) => !file.startsWith("core/cli/")), /_clock\b|\bgetenv\b|\bstd::(i|o)?fstream\b|\bfopen\b|\bstd::filesystem\b|\bstd::time\b|\bstd::locale\b/),
  "no std facility that the oldest compiler lacks": () =>
    grep(cpp, /\bstd::(bit_cast|ranges::|views::|format\b|source_location|expected|pmr::|jthread|make_unique_for_overwrite)/),
  "no plain long (32 bits in wasm), no using namespace": () => grep(cpp, /(?<!\blong )\blong\b(?! long\b)|\busing namespace\b/),
  [`no file has more than ${MAX_LINES} lines`]: () =>
    code.map((file) => [file, read(file).split("\n").length - 1]).filter(([, lines]) => lines > MAX_LINES).map(([file, lines]) => `${file}: ${lines} lines`),
  "nothing is left to do in a comment": () => grep(code, new RegExp(`\\b(${["TO" + "DO", "FIX" + "ME", "X" + "XX"].join("|")})\\b`), (text) => text),
  "every folder of the house has a README": () =>
    [...HOUSE, ...["core", "tests"].flatMap((top) => files.map((file) => file.split("/")).filter(([first, , third]) => first === top && third).map(([, second]) => `${top}/${second}`))]
      .filter((folder, index, all) => all.indexOf(folder) === index)
      .filter((folder) => !(folder.startsWith("tests/") && existsSync(join(root, folder.replace("tests/", "core/"))))) // a mirror
      .filter((folder) => !existsSync(join(root, folder, "README.md")))
      .map((folder) => `${folder}/README.md is missing`),
  "every C++ source is listed in its CMakeLists.txt": () =>
    ["core", "wasm", "tests"].flatMap((top) => {
      const list = read(`${top}/CMakeLists.txt`);
      return files.filter((file) => file.startsWith(`${top}/`) && file.endsWith(".cpp")).filter((file) => !list.includes(file.slice(top.length + 1)));
    }),
  "every example's trace hash is pinned": () => {
    const pinned = read("tests/data/hashes.csv");
    return files
      .filter((file) => /^examples\/(hops\/)?[^/]+\.yaml$/.test(file) && !pinned.includes(`${file},`))
      .map((file) => `${file} is not in tests/data/hashes.csv`);
  },
  "the lock file names no host": () =>
    existsSync(join(root, "web/package-lock.json")) ? grep(["web/package-lock.json"], /"resolved": "https?:/, (text) => text) : [],
};

let passed = 0;
let failed = 0;
for (const [name, rule] of Object.entries(rules)) {
  const found = rule();
  console.log(`${found.length > 0 ? "FAILED" : "ok    "} ${name}`);
  found.forEach((line) => console.log(`       ${line}`));
  if (found.length > 0) failed += 1;
  else passed += 1;
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
