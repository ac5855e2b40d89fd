// Writes THIRD_PARTY_NOTICES beside the site: name, version and licence text of every package that was bundled.
// What the module itself contains stands in notices.txt, kept by hand.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const licenceOf = (dir: string): string => {
  const name = readdirSync(dir).find((file) => /^(licen[cs]e|copying)/i.test(file));
  return name ? readFileSync(join(dir, name), "utf8").trim() : "";
};

export function notices(root: string): Plugin {
  return {
    name: "sluice-notices",
    apply: "build",
    generateBundle() {
      const packages = new Set<string>();
      for (const id of this.getModuleIds()) {
        const match = id.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
        if (match) packages.add(match[1]);
      }
      const parts = [...packages].sort().map((name) => {
        const dir = join(root, "node_modules", name);
        const about = JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as {
          version: string;
          license?: string;
        };
        return `${name} ${about.version} (${about.license ?? "see text"})\n\n${licenceOf(dir)}\n`;
      });
      parts.push(readFileSync(join(root, "notices.txt"), "utf8"));
      this.emitFile({
        type: "asset",
        fileName: "THIRD_PARTY_NOTICES.txt",
        source: `This site contains the following work of others.\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`,
      });
    },
  };
}
