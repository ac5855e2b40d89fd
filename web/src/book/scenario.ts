// The scenario behind a figure of the picture book: equal stages, sending takes no time. Pure, so that the build and
// the page write the same text.

export interface Sizes {
  ranks: number;
  microbatches: number;
}

/** What every figure has, unless its schedule asks for others. */
export const USUAL: Sizes = { ranks: 4, microbatches: 8 };
/** Tried in this order when a schedule refuses the usual ones. */
export const OTHERS: Sizes[] = [
  { ranks: 4, microbatches: 16 },
  { ranks: 8, microbatches: 16 },
  { ranks: 2, microbatches: 8 },
];

/** Milliseconds of a forward; an input gradient and a weight gradient take as long each. */
export const UNIT_MS = 10;
export const LOOK = "paper.u";

export function figureText(schedule: string, { ranks, microbatches }: Sizes): string {
  const each = (line: (i: number) => string) => Array.from({ length: ranks }, (_, i) => line(i)).join("\n");
  return `# title: ${schedule}, ${ranks} ranks, ${microbatches} microbatches
# A figure of the picture book: F, I and W take ${UNIT_MS} ms each, sending takes no time.
simulation:
  microbatches: ${microbatches}
pipeline:
  schedule: ${schedule}
  activation_mb: 1
  stages:
${each((i) => `    - {device: d${i}, weights_mb: 100, compute: {mode: explicit, distribution: ${UNIT_MS}}}`)}
hardware:
  devices:
${each((i) => `    - {id: d${i}, gpu: h100, node: n0, socket: 0}`)}
  links:
    - {default: true, bandwidth_GBps: 1000000}
`;
}
