// What the page knows of operation kinds: their letter, their name, and the colour class that paints them.
// Kinds come by name from the plan, so a module that knows more of them still draws.
export const CLASSES = ["f", "b", "i", "w", "send", "recv", "update", "fail"] as const;
export type KindClass = (typeof CLASSES)[number];

interface Kind {
  letter: string;
  name: string;
  paint: KindClass;
}

/** The kind that stands for an overlapped cell. */
export const OVERLAPPED = "FB";

const KNOWN: Record<string, Kind> = {
  F: { letter: "F", name: "forward", paint: "f" },
  B: { letter: "B", name: "backward", paint: "b" },
  I: { letter: "I", name: "input gradient", paint: "i" },
  W: { letter: "W", name: "weight gradient", paint: "w" },
  // The forward half of an overlapped cell; its backward half is a row of its own.
  FB: { letter: "F", name: "forward, overlapped", paint: "f" },
  recompute: { letter: "R", name: "recomputed forward", paint: "f" },
  activation: { letter: "", name: "activation", paint: "send" },
  gradient: { letter: "", name: "gradient", paint: "recv" },
  allreduce: { letter: "", name: "all-reduce", paint: "recv" },
  update: { letter: "", name: "optimizer update", paint: "update" },
  checkpoint: { letter: "", name: "checkpoint", paint: "update" },
  barrier: { letter: "", name: "barrier", paint: "update" },
  failure: { letter: "", name: "failure", paint: "fail" },
};

/** Kinds that take a device's time without doing any of its work: their time is idle time. */
const NOT_WORK = new Set(["failure", "barrier"]);
export const workTable = (kinds: string[]): boolean[] => kinds.map((name) => !NOT_WORK.has(name));

export const kindOf = (name: string): Kind => KNOWN[name] ?? { letter: "", name, paint: "update" };

export const classIndex = (name: KindClass): number => CLASSES.indexOf(name);

/** Of each kind of a plan: the class that paints it, as an index. */
export const classTable = (kinds: string[]): number[] => kinds.map((name) => classIndex(kindOf(name).paint));
