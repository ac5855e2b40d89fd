// How the page is built: where the module and the examples come from, and what is written beside the bundle.
// The output folder is a static site that works under any path.
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { book } from "./plugins/book.ts";
import { docs } from "./plugins/docs.ts";
import { examples } from "./plugins/examples.ts";
import { notices } from "./plugins/notices.ts";
import { offline } from "./plugins/offline.ts";
import { plans } from "./plugins/plans.ts";
import { preload } from "./plugins/preload.ts";

const here = dirname(fileURLToPath(import.meta.url));
const repo = resolve(here, "..");
// The two folders can be named, so that a module built elsewhere can be tried on the page.
const moduleDir = resolve(process.env.SLUICE_MODULE_DIR ?? resolve(repo, "build/wasm"));
const examplesDir = resolve(process.env.SLUICE_EXAMPLES_DIR ?? resolve(repo, "examples"));

/** What is fetched only when it is wanted; all the rest is one chunk, since the first picture needs all of it. */
const LATER =
  /src\/(extras|keys|sweep\/|tune\/|learn\/|plan\/|book\/|order\/|import\/|print\/|play\/|whatif\/|quick\/|offline\/|editor\/(?!pane|places)|timeline\/veil|gallery\/|share\/(?!look)|export\/(files|save|png|stack_png)|styles\/(dialogs|panels|forced|order|drop|print|play|quick|lanes|pair|lesson|series|sweep|tune|learn|plan)|text\/(later|families|definitions|pair|sweep|tune|learn|plan)|worker\/(aside|lanes|long|slices)|state\/(idle|causes|compare|compare_rows|schedules|schedule_list|data|expectations|series|held)|pair\/|lesson\/|timeline\/goto|panels\/(dialogs?|chain|path|copy|help|table|problems|inspector|schedules|picker|stacked|memory|figures|convergence|staleness|log|detail_panels|lanes|zoom|axis|twin|data_table|peaks|memory_chart|memory_moments|links|work)\.)/;
/** What the page, the picture book and the Plan page all draw with; nothing here knows of any. */
const DRAW =
  /src\/(timeline\/(paint|palette|labels|ticks|rows|gaps|shades|versions)|worker\/(kinds|coverage|protocol|pyramid)|text\/format|state\/facts|book\/theme|styles\/(tokens|base|controls))\./;
/** What the tabs below the timeline need, which are fetched first of all that comes later: one chunk packs best. */
const DETAILS =
  /src\/(pair\/\w+|text\/(later|pair)|whatif\/\w+|timeline\/goto|export\/(files|save)|state\/(series|held|idle|compare|compare_rows|schedule_list)|styles\/series|panels\/(detail_panels|inspector|schedules|axis|twin|data_table|peaks|memory|memory_chart|memory_moments|links|figures|convergence|staleness|log|lanes|zoom|chain|path|copy))\./;
/** Both fetch later parts, too: the bundler's own helper for that must not bring one page to the other. */
const isDraw = (id: string): boolean =>
  (id.startsWith(resolve(here, "src")) && DRAW.test(id)) || /sluice(_search)?\.wasm\?url$|vite\/preload-helper/.test(id);
const isDetails = (id: string): boolean => id.startsWith(resolve(here, "src")) && DETAILS.test(id);
const isFirst = (id: string): boolean => id.startsWith(resolve(here, "src")) && !LATER.test(id);

export default defineConfig(({ command }) => {
  if (command === "build" && !existsSync(resolve(moduleDir, "sluice.mjs"))) {
    throw new Error(`${moduleDir}/sluice.mjs is missing: build the module first (./dev build)`);
  }
  return {
    root: here,
    base: "./",
    resolve: {
      alias: [
        // There is no grammar, so neither is what serves one. The tests read YAML with one.
        ...(process.env.VITEST ? [] : ["@codemirror/language", "@lezer/common"]).map((name) => ({
          find: new RegExp(`^${name}$`),
          replacement: resolve(here, "src/editor/no_grammar.ts"),
        })),
        { find: /^sluice-module$/, replacement: resolve(moduleDir, "sluice.mjs") },
        // The tests stand outside this folder and use its packages.
        ...["vitest", "@lezer/yaml", "@codemirror/state", "jsqr"].map((name) => ({
          find: new RegExp(`^${name}$`),
          replacement: resolve(here, "node_modules", name),
        })),
        {
          find: /^sluice-import-wasm\?url$/,
          replacement: `${resolve(moduleDir, "sluice_import.wasm")}?url`,
        },
        {
          find: /^sluice-search-wasm\?url$/,
          replacement: `${resolve(moduleDir, "sluice_search.wasm")}?url`,
        },
        { find: /^sluice-wasm\?url$/, replacement: `${resolve(moduleDir, "sluice.wasm")}?url` },
      ],
    },
    plugins: [
      examples(examplesDir, moduleDir, here),
      book(moduleDir),
      plans(examplesDir, resolve(repo, "presets")),
      docs(here, moduleDir),
      preload(),
      notices(here),
      offline(here),
    ],
    worker: { format: "es" as const },
    build: {
      target: "es2022",
      outDir: resolve(repo, "build/site"),
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1000,
      rolldownOptions: {
        input: {
          index: resolve(here, "index.html"),
          plan: resolve(here, "plan.html"),
          schedules: resolve(here, "docs/schedules.html"),
        },
        output: {
          codeSplitting: {
            groups: [
              { name: "draw", test: isDraw, priority: 2 },
              // The Plan page renders with it, too, and needs nothing else of the page.
              { name: "preact", test: /node_modules\/@?preact\//, priority: 2 },
              { name: "page", test: isFirst, priority: 1 },
              // The picture book asks these, and needs none of the details.
              { name: "aside", test: /src\/worker\/aside\./, priority: 1 },
              // Values of a text by their path: for editor and details, and for the Plan page, which has neither.
              { name: "yaml", test: /src\/editor\/(yaml|scalar)\./, priority: 1 },
              { name: "codec", test: /src\/share\/codec\./, priority: 1 },
              { name: "details", test: isDetails },
            ],
          },
        },
      },
    },
    server: { fs: { allow: [repo, moduleDir, examplesDir] } },
    test: {
      root: repo,
      dir: resolve(repo, "tests/web"),
      include: ["**/*.test.ts"],
      environment: "node",
      // Reading forty QR codes back takes a few seconds, more while other suites share the machine.
      testTimeout: 60_000,
    },
  };
});
