// Bundles the engine for others: one script, the module and the types, in the folder of the built site.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const here = dirname(fileURLToPath(import.meta.url));
const repo = resolve(here, "../..");
const moduleDir = resolve(process.env.SLUICE_MODULE_DIR ?? resolve(repo, "build/wasm"));

/** The module's bytes and the types under names that stay the same from build to build. */
const beside: Plugin = {
  name: "sluice-beside",
  enforce: "pre",
  // The glue is always given the bytes; left alone, the bundler would write them into the script a second time.
  transform: (code, id) =>
    id.endsWith("/sluice.mjs") ? code.replaceAll(/new URL\("sluice\.wasm", ?import\.meta\.url\)/g, '"sluice.wasm"') : null,
  generateBundle() {
    const types = readFileSync(resolve(here, "sluice.d.mts"), "utf8");
    const files = {
      "sluice.wasm": readFileSync(resolve(moduleDir, "sluice.wasm")),
      "sluice.d.mts": types.replace("../../wasm/sluice.d.ts", "./module.d.ts"),
      "module.d.ts": readFileSync(resolve(repo, "wasm/sluice.d.ts"), "utf8"),
    };
    for (const [fileName, source] of Object.entries(files)) this.emitFile({ type: "asset", fileName, source });
  },
};

export default defineConfig({
  root: here,
  publicDir: false,
  resolve: { alias: [{ find: /^sluice-module$/, replacement: resolve(moduleDir, "sluice.mjs") }] },
  plugins: [beside],
  build: {
    target: "es2022",
    outDir: resolve(repo, "build/site"),
    emptyOutDir: false,
    lib: { entry: resolve(here, "sluice.ts"), formats: ["es"], fileName: () => "sluice.mjs" },
  },
});
