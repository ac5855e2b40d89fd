// Counterfactual edits of a resolved scenario; what each should read is by hand.
import { expect, test } from "vitest";
import { withFasterStage, withoutLink } from "../../web/src/whatif/edit";

const TEXT = `simulation:
  microbatches: 4
pipeline:
  schedule: 1f1b
  stages:
    - device: a
      weights_mb: 100
      compute:
        mode: explicit
        distribution: 10
      update: 4
    - device: b
      weights_mb: 100
      compute:
        mode: explicit
        distribution:
          type: normal
          mean: 20
          std: 0.5
      backward:
        distribution:
          type: heavy_tailed
          base: 30
          alpha: 3
    - device: c
      compute:
        mode: analytical
        tflop: 14.7
        efficiency:
          compute: 0.45
          memory: 0.6  # default
        jitter: 0  # default
    - device: d
      compute:
        mode: explicit
        distribution:
          type: poisson
          lam: 4
    - device: e
      layers: 4
hardware:
  devices:
    - id: a
  links:
    - from: a
      to: b
      bandwidth_GBps: 1.25
      latency_us: 20
    - default: true
      bandwidth_GBps: 50
output: {}
overrides:
  links:
    - src: b
      dst: a
      bandwidth_gbps: 10
    - src: b
      dst: c
      bandwidth_gbps: 10
`;
const changed = (now: string | null) => {
  const old = TEXT.split("\n");
  return (now ?? "").split("\n").flatMap((line, i) => (line === old[i] ? [] : [line.trim()]));
};

test("a given time is scaled, and nothing of other stages or of updates", () => {
  expect(changed(withFasterStage(TEXT, 0, 0.9))).toEqual(["distribution: 9"]);
});

test("of a distribution what is a time is scaled: a shape stays", () => {
  expect(changed(withFasterStage(TEXT, 1, 0.5))).toEqual(["mean: 10", "std: 0.25", "base: 15"]);
});

test("an analytical stage gets faster rates", () => {
  expect(changed(withFasterStage(TEXT, 2, 0.5))).toEqual(["compute: 0.9", "memory: 1.2"]);
});

test("Poisson times, layers and ranks that are not there cannot be scaled", () => {
  for (const rank of [3, 4, 5]) expect(withFasterStage(TEXT, rank, 0.9)).toBeNull();
});

test("a link without time takes the place of all that was said about the pair", () => {
  const links = (withoutLink(TEXT, "a", "b") ?? "").split("hardware:\n")[1];
  expect(links).toBe(`  devices:
    - id: a
  links:
    - {from: "a", to: "b", bandwidth_GBps: 1000000000, latency_us: 0}
    - default: true
      bandwidth_GBps: 50
output: {}
overrides:
  links:
    - src: b
      dst: c
      bandwidth_gbps: 10
`);
  expect(withoutLink("hardware:\n  devices:\n    - id: a\noutput: {}\n", "a", "b")).toBe(
    'hardware:\n  links:\n    - {from: "a", to: "b", bandwidth_GBps: 1000000000, latency_us: 0}\n  devices:\n    - id: a\noutput: {}\n',
  );
});
