// The sentences of the search for a better plan. See en.ts.
import { plural } from "./format";

export const words = {
  form: "What may change",
  intro:
    "Plays every known schedule on this scenario, then searches for layers, places and an order that are faster. The scenario stays as it is until you take the plan.",
  axes: {
    partition: ["Layers of each stage", "Moves layers between stages"],
    placement: ["Stages of each rank", "Changes how many stages a rank has, and which"],
    schedule: ["Order of operations", "Changes what each rank does when"],
  },
  effort: "Effort",
  efforts: [
    ["4000", "quick"],
    ["40000", "thorough"],
    ["400000", "exhaustive"],
  ],
  none: "Choose what may change.",
  start: "Tune",
  cancel: "Cancel",
  running: (done: string, total: string) => `${done} of ${total} plans tried`,
  fetching: "Fetching the search",
  stopped: (done: number) => `Cancelled after ${plural(done, "plan")}.`,
  crashed: "The search stopped with an internal error.",
  absent: "The search could not be fetched. Is the page offline?",
  faster: (time: string, share: string) => `A step takes ${time}, ${share} less`,
  /** The search names its plans "tuned", or "tuned zb_v" where a known schedule fills a layout it has found. */
  by: (name: string) =>
    name === "tuned"
      ? " with a plan of the search's own."
      : name.startsWith("tuned ")
        ? ` with ${name.slice(6)} on other layers and ranks.`
        : / alone$/.test(name)
          ? ` with another ${name}.`
          : ` with the schedule ${name}.`,
  noneFaster: "Nothing faster was found.",
  noneFits: "No plan fits into memory.",
  old: "The scenario has changed since.",
  again: "Tune again",
  take: "Use this plan",
  taken: "The plan is the scenario now, and what was before it is A.",
  saveYaml: "Plan, YAML",
  now: "now",
  best: "best so far",
  found: "best",
  picture: (now: string, best: string) => `The step as it is, ${now}, above the best plan found, ${best}`,
  table: "Plans, fastest first",
  plan: "Plan",
  time: "Step time",
  gap: "Above bound",
  memory: "Peak memory",
  over: "does not fit",
  refused: (n: number) =>
    `${plural(n, "known schedule")} left out: what cannot run here (All schedules says why), or needs what may not change.`,
  bound: (time: string) => `No plan takes less than ${time}: `,
  binds: {
    work: "that is all work, spread evenly over the ranks.",
    chain: "one microbatch takes so long through all layers.",
  } as Record<string, string>,
  whole: (time: string) =>
    `Layers, and stages with written times, are not divided: with each on one rank no plan takes less than ${time}. Only schedules that keep two copies of the weights can.`,
  alone: "What each part finds by itself, the others plain (uniform layers, one stage a rank, 1F1B)",
  nothing: "nothing fits",
  buffers: (n: number) => `To run it: asynchronous sends, with room for ${plural(n, "message")} on each channel.`,
  layout: "Megatron's layout:",
};
