// What the tiles show, by figure; fetched after the first picture.
export const definitions: Record<string, string> = {
  step: "Time from the first forward to the last optimizer update.",
  bubble: "Share of device time in which nothing runs: warm-up, drain and waits.",
  mfu: "Model FLOPs of the step over what all devices could do at peak in that time.",
  throughput: "Work finished in a second of the simulated run.",
  peak: "Highest memory of any device at any time: weights, gradients, optimizer, activations.",
  operations: "Operations played on all devices. The scenario says nothing about memory.",
  communication: "Share of the critical path, the chain of operations that sets the step time, spent on links.",
};
