// How the page is built: where the module and the examples come from, and what is written beside the bundle.
// The output folder is a static site that works under any path.
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { examples } from "./plugins/examples.ts";
import { notices } from "./plugins/notices.ts";
import { preload } from "./plugins/preload.ts";

const here = dirname(fileURLToPath(import.meta.url));
const repo = resolve(here, "..");
// The two folders can be named, so that a module built elsewhere can be tried on the page.
const moduleDir = resolve(process.env.SLUICE_MODULE_DIR ?? resolve(repo, "build/wasm"));
const examplesDir = resolve(process.env.SLUICE_EXAMPLES_DIR ?? resolve(repo, "examples"));

/** What is fetched only when it is wanted; all the rest is one chunk, since the first picture needs all of it. */
const LATER =
  /src\/(editor\/(?!pane|places)|gallery\/|share\/(?!codec)|export\/png|styles\/dialogs|text\/later|panels\/(dialogs?|help|table|inspector|memory|log|detail_panels)\.)/;
const isFirst = (id: string): boolean =>
  /node_modules\/@?preact\//.test(id) || (id.startsWith(resolve(here, "src")) && !LATER.test(id));

export default defineConfig(({ command }) => {
  if (command === "build" && !existsSync(resolve(moduleDir, "sluice.mjs"))) {
    throw new Error(`${moduleDir}/sluice.mjs is missing: build the module first (./dev build)`);
  }
  return {
    root: here,
    base: "./",
    resolve: {
      alias: [
        { find: /^sluice-module$/, replacement: resolve(moduleDir, "sluice.mjs") },
        // The tests stand outside this folder and use its packages.
        ...["vitest", "@lezer/yaml"].map((name) => ({
          find: new RegExp(`^${name}$`),
          replacement: resolve(here, "node_modules", name),
        })),
        { find: /^sluice-wasm\?url$/, replacement: `${resolve(moduleDir, "sluice.wasm")}?url` },
      ],
    },
    plugins: [examples(examplesDir), preload(), notices(here)],
    worker: { format: "es" as const },
    build: {
      target: "es2022",
      outDir: resolve(repo, "build/site"),
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1000,
      rolldownOptions: { output: { codeSplitting: { groups: [{ name: "page", test: isFirst }] } } },
    },
    server: { fs: { allow: [repo, moduleDir, examplesDir] } },
    test: {
      root: repo,
      dir: resolve(repo, "tests/web"),
      include: ["**/*.test.ts"],
      environment: "node",
    },
  };
});
