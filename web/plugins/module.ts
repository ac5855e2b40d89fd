// The module itself at build time, for what the build makes of runs.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Run, SluiceModule } from "../../wasm/sluice.d.ts";

export async function openModule(dir: string): Promise<SluiceModule> {
  const { default: create } = await import(pathToFileURL(resolve(dir, "sluice.mjs")).href);
  return create({ wasmBinary: readFileSync(resolve(dir, "sluice.wasm")) });
}

/** Plays a scenario to its end; what cannot be played stops the build. */
export function play(module: SluiceModule, text: string, name: string): Run {
  const made = module.job("simulate", text, "{}");
  if (!made.job) throw new Error(`${name}: ${made.diagnostics.map((d) => d.message).join("; ")}`);
  while (!made.job.step(1_000_000).finished);
  const run = made.job.result();
  made.job.delete();
  if (typeof run === "string" || "diagnostics" in run) throw new Error(`${name} does not come to an end`);
  return run;
}
