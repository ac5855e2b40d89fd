// How much the pages send, against their budgets. Sizes are of gzip, as most hosts send them. What a page can ever load is
// what its HTML names, what that names, and so on: the picture book and the Plan page load nothing into the simulator.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { site } from "./harness.mjs";

const BUDGET_KB = {
  "the page's scripts and styles": 240,
  "first picture without the module": 60,
  "the Plan page": 60,
  "the module": 350,
  "the importer": 350,
};
/** Scripts may pass their budget by this much before it is a failure; the line that is printed says that they do. */
const GRACE_KB = { "the page's scripts and styles": 20 };

const read = (file) => readFileSync(join(site, file), "utf8");
const packed = (file) => gzipSync(readFileSync(join(site, file)), { level: 9 }).length / 1000;
const sum = (files) => files.reduce((total, file) => total + packed(file), 0);

function measure() {
  const assets = readdirSync(join(site, "assets")).map((file) => `assets/${file}`);
  const code = assets.filter((file) => /\.(js|css)$/.test(file));
  const namedIn = (text) => code.filter((file) => text.includes(file.slice("assets/".length)));
  const loaded = (page) => {
    const found = new Set(namedIn(read(page)));
    for (const file of found) for (const next of namedIn(read(file))) found.add(next);
    return [...found];
  };
  return {
    "the page's scripts and styles": sum(loaded("index.html")),
    "first picture without the module": packed("index.html") + sum(namedIn(read("index.html"))),
    "the Plan page": sum(loaded("plan.html")),
    "the module": sum(assets.filter((file) => /sluice-[\w-]+\.wasm$/.test(file))),
    "the importer": sum(assets.filter((file) => /sluice_import-[\w-]+\.wasm$/.test(file))),
    "all pages together": sum(code),
  };
}

export const cases = [
  [
    "what is sent stays within its budget",
    async () => {
      const sizes = measure();
      const of = (name) => (BUDGET_KB[name] ? ` of ${BUDGET_KB[name]}` : "");
      const note = Object.entries(sizes).map(([name, kb]) => `${name} ${kb.toFixed(1)}${of(name)} kB`);
      for (const [name, kb] of Object.entries(sizes))
        assert.ok(kb <= (BUDGET_KB[name] ?? 1000) + (GRACE_KB[name] ?? 0), note.join(", "));
      return note.join(", ");
    },
  ],
];
