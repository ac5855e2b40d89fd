// Makes two modules out of the folder of example scenarios: the one shown first, and the gallery.
// A scenario says what it is in comment lines at its top: `# title:`, `# level:`, `# minutes:`, `# about:`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const DEFAULT = "virtual:default-scenario";
const GALLERY = "virtual:gallery";
const FOLDERS = ["", "hops/"];

export interface Entry {
  path: string;
  title: string;
  level: string;
  minutes: number;
  about: string;
  text: string;
}

/** The value of one `# name: value` line among the comments at the top, or "". */
function heading(text: string, name: string): string {
  for (const line of text.split("\n")) {
    if (!line.startsWith("#")) break;
    const match = line.match(/^#\s*(\w+):\s*(.*)$/);
    if (match && match[1] === name) return match[2].trim();
  }
  return "";
}

export function readExamples(dir: string): Entry[] {
  const entries: Entry[] = [];
  for (const folder of FOLDERS) {
    const full = join(dir, folder);
    if (!existsSync(full)) continue;
    for (const file of readdirSync(full).sort()) {
      if (!file.endsWith(".yaml")) continue;
      const text = readFileSync(join(full, file), "utf8");
      const path = `${folder}${file}`;
      entries.push({
        path,
        title: heading(text, "title") || path,
        level: heading(text, "level") || "schedules",
        minutes: Number(heading(text, "minutes")) || 0,
        about: heading(text, "about"),
        text,
      });
    }
  }
  return entries;
}

export function examples(dir: string): Plugin {
  return {
    name: "sluice-examples",
    resolveId: (id) => (id === DEFAULT || id === GALLERY ? `\0${id}` : undefined),
    load(id) {
      if (id !== `\0${DEFAULT}` && id !== `\0${GALLERY}`) return undefined;
      const entries = readExamples(dir);
      for (const entry of entries) this.addWatchFile(join(dir, entry.path));
      if (id === `\0${GALLERY}`) return `export default ${JSON.stringify(entries)};`;
      const first = entries.find((entry) => entry.path === "default.yaml");
      if (!first) throw new Error(`${dir}/default.yaml is missing`);
      return `export default ${JSON.stringify(first.text)};`;
    },
  };
}
