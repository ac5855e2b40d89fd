// Makes of the folder of example scenarios: a module with the one shown first, and data that the page fetches when it is
// wanted: the gallery's list with its pictures, and the lessons.
// A scenario says what it is in comment lines at its top: `# title:`, `# level:`, `# minutes:`, `# about:`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import type { SluiceModule } from "../../wasm/sluice.d.ts";
import { readLessons } from "./lessons.ts";
import { openModule, play } from "./module.ts";
import { fills, picture } from "./picture.ts";

const DEFAULT = "virtual:default-scenario";
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

/** An entry of the page's gallery: its picture is a file of the site, its bubble a share of the run. */
export interface GalleryEntry extends Entry {
  picture: string;
  bubble: number;
}

/** The entries of a scenario's `expect:`, without what came of them. */
function expectationsOf(module: SluiceModule, text: string, name: string): Record<string, unknown>[] {
  const run = play(module, text, name);
  const { expectations } = JSON.parse(run.summary()) as { expectations: Record<string, unknown>[] };
  run.delete();
  return expectations.map(({ found: _found, passed: _passed, ...entry }) => entry);
}

export function examples(dir: string, moduleDir: string, root: string): Plugin {
  return {
    name: "sluice-examples",
    resolveId: (id) => (id === DEFAULT ? `\0${id}` : undefined),
    load(id) {
      if (id !== `\0${DEFAULT}`) return undefined;
      const first = join(dir, "default.yaml");
      if (!existsSync(first)) throw new Error(`${first} is missing`);
      this.addWatchFile(first);
      return `export default ${JSON.stringify(readFileSync(first, "utf8"))};`;
    },
    async generateBundle() {
      const write = (fileName: string, source: string) => this.emitFile({ type: "asset", fileName, source });
      const module = await openModule(moduleDir);
      const colours = fills(root);
      const entries = readExamples(dir).map((entry): GalleryEntry => {
        const run = play(module, entry.text, entry.path);
        const file = `pictures/${entry.path.replace(/\W+/g, "-")}.svg`;
        write(file, picture(run, colours));
        const { bubble } = JSON.parse(run.summary()) as { bubble: { idle_over_makespan: number } };
        run.delete();
        return { ...entry, picture: file, bubble: bubble.idle_over_makespan };
      });
      write("gallery.json", JSON.stringify(entries));
      const lessons = readLessons(join(dir, "lessons"));
      for (const lesson of lessons) {
        const wanted = expectationsOf(module, lesson.start, lesson.id);
        write(`lessons/${lesson.id}.json`, JSON.stringify({ ...lesson, wanted }));
      }
      const cards = lessons.map(({ id, title, minutes, about }) => ({ id, title, minutes, about }));
      write("lessons/list.json", JSON.stringify(cards));
    },
  };
}
