// The small picture of a run, as SVG without a ground of its own, so that it stands on any theme's. Its colours are
// those of the design tokens, which are the same in all themes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plan, Run } from "../../wasm/sluice.d.ts";
import { kindOf, OVERLAPPED } from "../src/worker/kinds.ts";

const WIDTH = 480;
const HEIGHT = 144;
const MOST_LANES = 16;
const GAP = 1;

/** Fill of each class of operations; update has two, of which the dark theme's is right on both grounds. */
export function fills(root: string): Record<string, string> {
  const tokens = readFileSync(join(root, "src/styles/tokens.css"), "utf8");
  const found = tokens.matchAll(/--op-(\w+): (?:light-dark\(#\w+, )?(#\w+)/g);
  return Object.fromEntries([...found].map(([, name, colour]) => [name, colour]));
}

const short = (n: number): string => String(Math.round(n * 10) / 10);

export function picture(run: Run, colours: Record<string, string>): string {
  const plan = JSON.parse(run.plan()) as Plan;
  const { start, end, kind, resource } = run.columns();
  const lanes = new Map(plan.ranks.slice(0, MOST_LANES).map((rank, lane) => [rank.resource, lane]));
  const span = end.reduce((last, at) => Math.max(last, at), 1);
  const pitch = HEIGHT / lanes.size;
  const paths: Record<string, string> = {};
  let half = 0;
  for (let row = 0; row < start.length; row++) {
    const name = plan.kinds[kind[row]];
    // The two rows of an overlapped cell share its height.
    half = name === OVERLAPPED ? 1 : half === 1 ? 2 : 0;
    const lane = lanes.get(resource[row]);
    if (lane === undefined) continue;
    const height = (pitch - GAP) / (half ? 2 : 1);
    const x = (start[row] / span) * WIDTH;
    const width = Math.max(0.4, ((end[row] - start[row]) / span) * WIDTH - 0.5);
    const y = lane * pitch + (half === 2 ? height : 0);
    const { paint } = kindOf(name);
    paths[paint] = `${paths[paint] ?? ""}M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`;
  }
  const drawn = Object.entries(paths).map(([name, d]) => `<path fill="${colours[name]}" d="${d}"/>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none">${drawn.join("")}</svg>`;
}
