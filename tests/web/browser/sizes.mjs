// How much the page sends, against its budget. Sizes are of gzip, as most hosts send them.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { site } from "./harness.mjs";

const BUDGET_KB = { "all scripts and styles": 240, "first picture without the module": 60, "the module": 350, "the importer": 350 };
/** Scripts may pass their budget by this much before it is a failure; the line that is printed says that they do. */
const GRACE_KB = { "all scripts and styles": 20 };

const packed = (file) => gzipSync(readFileSync(join(site, file)), { level: 9 }).length / 1000;
const sum = (files) => files.reduce((total, file) => total + packed(file), 0);

function measure() {
  const assets = readdirSync(join(site, "assets")).map((file) => `assets/${file}`);
  const html = readFileSync(join(site, "index.html"), "utf8");
  const named = assets.filter((file) => html.includes(file) && !file.endsWith(".wasm"));
  return {
    "all scripts and styles": sum(assets.filter((file) => /\.(js|css)$/.test(file))),
    "first picture without the module": packed("index.html") + sum(named),
    "the module": sum(assets.filter((file) => /sluice-[\w-]+\.wasm$/.test(file))),
    "the importer": sum(assets.filter((file) => /sluice_import-[\w-]+\.wasm$/.test(file))),
  };
}

export const cases = [
  [
    "what is sent stays within its budget",
    async () => {
      const sizes = measure();
      const note = Object.entries(sizes).map(([name, kb]) => `${name} ${kb.toFixed(1)} of ${BUDGET_KB[name]} kB`);
      for (const [name, kb] of Object.entries(sizes))
        assert.ok(kb <= BUDGET_KB[name] + (GRACE_KB[name] ?? 0), note.join(", "));
      return note.join(", ");
    },
  ],
];
