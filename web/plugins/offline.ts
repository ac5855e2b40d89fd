// Writes the service worker beside the site: with the list of the build's files, and a version that is their hash.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Plugin } from "vite";

const NAME = "sw.js";
/** Read by few, and as well online. */
const LEFT_OUT = new Set([NAME, "THIRD_PARTY_NOTICES.txt"]);

/** As large as the module, and wanted by few: each is fetched when it is needed. */
const WANTED_BY_FEW = /sluice_(import|search)[\w-]*\.wasm$/;

export function offline(root: string): Plugin {
  let site = "";
  return {
    name: "sluice-offline",
    apply: "build",
    configResolved(config) {
      site = resolve(config.root, config.build.outDir);
    },
    closeBundle() {
      const files = (readdirSync(site, { recursive: true }) as string[])
        .map((file) => file.replaceAll("\\", "/"))
        .filter((file) => statSync(join(site, file)).isFile() && !LEFT_OUT.has(file) && !WANTED_BY_FEW.test(file))
        .sort();
      const hash = createHash("sha256");
      for (const file of files) hash.update(file).update(readFileSync(join(site, file)));
      const version = hash.digest("hex").slice(0, 16);
      const worker = readFileSync(join(root, "plugins/service_worker.js"), "utf8");
      const known = `const VERSION = ${JSON.stringify(version)};\nconst FILES = ${JSON.stringify(files, null, 1)};\n`;
      writeFileSync(join(site, NAME), known + worker);
    },
  };
}
