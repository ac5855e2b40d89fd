// Data of the Plan page: the example clusters as they are, and the devices and models that its form offers.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

export interface PlanData {
  examples: { name: string; title: string; text: string }[];
  /** Those of whose links something is known. */
  devices: { name: string; title: string }[];
  /** Presets, by size. */
  models: string[];
}

const field = (item: string, key: string): string => item.match(new RegExp(`^ *${key}: (.*?)( #.*)?$`, "m"))?.[1].trim() ?? "";

function devicesOf(presets: string): PlanData["devices"] {
  return presets
    .split(/^ {2}- /m)
    .slice(1)
    .filter((item) => field(item, "link_GBps") !== "" && field(item, "kind") === "gpu")
    .map((item) => ({ name: field(item, "name"), title: field(item, "title") }));
}

/** "13b_b2b4" by its number of parameters, then its sequence. */
const sizeOf = (name: string): number => Number.parseFloat(name) * (/^\d+m/.test(name) ? 1e-3 : 1);

export function readPlans(examples: string, presets: string): PlanData {
  const folder = join(examples, "eth");
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".yaml")) : [];
  const all = files.map((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    return { name: file.replace(/\.yaml$/, ""), title: field(text, "# title").replace(/^ETH: /, ""), text };
  });
  all.sort((a, b) => sizeOf(a.name) - sizeOf(b.name) || (a.name < b.name ? -1 : 1));
  const models = all.map(({ text }) => text.match(/\{preset: ([\w.-]+)/)?.[1] ?? "");
  return {
    examples: all,
    devices: devicesOf(readFileSync(join(presets, "devices.yaml"), "utf8")),
    models: [...new Set(models)].filter(Boolean),
  };
}

export function plans(examples: string, presets: string): Plugin {
  return {
    name: "sluice-plans",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "plan.json", source: JSON.stringify(readPlans(examples, presets)) });
    },
  };
}
