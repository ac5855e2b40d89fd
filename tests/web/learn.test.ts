// What is made of the report of a comparison: curves over seeds, what is noise, the CSV; and what a parameter may be.
import { expect, test } from "vitest";
import { optionsFor } from "../../web/src/editor/complete";
import { placeAt } from "../../web/src/editor/path";
import { alike, type Case, csvOf, curveOf, errorsApart, firstChoice, type Report, type Seed } from "../../web/src/learn/report";
import { choicesOf, type ScheduleInfo } from "../../web/src/state/schedules";
import { versionRead } from "../../web/src/timeline/versions";
import { layLanes } from "../../web/src/worker/lanes";
import { KINDS, tableOf } from "./traces";

const seed = (n: number, losses: number[], over = true): Seed => ({
  seed: n,
  diverged: false,
  test_loss: over ? losses[losses.length - 1] : null,
  curve: losses.map((loss, i) => [8 * (i + 1), 3 * (i + 1), loss, loss]),
});
const caseOf = (schedule: string, mean: number | null, sd: number | null, seeds: Seed[]): Case => ({
  arm: 0,
  schedule,
  rate: 0.02,
  diverged: 0,
  test_loss_mean: mean,
  test_loss_sd: sd,
  microbatches_to_target: null,
  ms_to_target: null,
  seeds,
});

test("a curve is the mean over seeds that are over; one that is under way shows alone", () => {
  const both = caseOf("paci", 2, 1, [seed(1, [4, 1]), seed(2, [2, 3]), seed(3, [9], false)]);
  expect(curveOf(both)).toEqual([
    { samples: 8, ms: 3, mean: 3, sd: Math.SQRT2 },
    { samples: 16, ms: 6, mean: 2, sd: Math.SQRT2 },
  ]);
  expect(curveOf(caseOf("paci", null, null, [seed(1, [9], false)]))).toEqual([{ samples: 8, ms: 3, mean: 9, sd: 0 }]);
  // Seeds that diverged are no part of a mean.
  const one = { ...seed(2, [5, 50]), diverged: true, test_loss: null };
  expect(curveOf(caseOf("paci", 1, null, [seed(1, [4, 1]), one])).map(({ mean }) => mean)).toEqual([4, 1]);
});

test("less than three standard errors apart is noise", () => {
  const four = [1, 2, 3, 4].map((n) => seed(n, [2]));
  // Standard errors of 0.3 / 2 and 0.4 / 2: 0.25 of the difference.
  const a = caseOf("a", 2, 0.3, four);
  const b = caseOf("b", 2.7, 0.4, four);
  const c = caseOf("c", 3, 0.4, four);
  expect(errorsApart(a, b)).toBeCloseTo(2.8);
  expect(alike([a, b, c]).map(([x, y]) => x.schedule + y.schedule)).toEqual(["ab", "bc"]);
  expect(errorsApart(a, caseOf("d", 2, null, [seed(1, [2])]))).toBeNull();
});

test("the first choice is a flush and another way to go without, never the scenario's own", () => {
  expect(firstChoice("paci", 8, 16)).toEqual(["1f1b", "pipedream_2bw"]);
  expect(firstChoice("1f1b", 8, 16)).toEqual(["paci", "pipedream_2bw"]);
  expect(firstChoice("paci", 8, 4)).toEqual(["1f1b", "pipedream"]);
});

test("the CSV has a row a point, and quotes schedules that are mappings", () => {
  const report = { cases: [caseOf("{name: paci, accumulation: 4}", 1, null, [seed(1, [4])])] } as Report;
  expect(csvOf(report)).toBe(
    'schedule,rate,seed,samples,ms,train_loss,test_loss\n"{name: paci, accumulation: 4}",0.02,1,8,3,4,4\n',
  );
});

test("parameters that are words have a list, and completion knows it", () => {
  const parameter = { name: "variant", type: "choice", default: "device", range: [0, 1] as [number, number], doc: "", choices: ["device", "eager"] };
  expect(choicesOf(parameter)).toEqual(["device", "eager"]);
  expect(choicesOf({ ...parameter, type: "boolean", choices: undefined })).toEqual(["true", "false"]);
  expect(choicesOf({ ...parameter, type: "integer", choices: undefined })).toBeNull();
  const amdp = { name: "amdp", aliases: [], family: "asynchronous", doc: "", parameters: [parameter] } as unknown as ScheduleInfo;
  const before = "pipeline:\n  schedule:\n    name: amdp\n    variant: ";
  expect(optionsFor({}, before, placeAt(before, before.length), [amdp]).map(({ label }) => label)).toEqual(["device", "eager"]);
});

test("a slice knows the versions that its microbatch read, where there are versions", () => {
  const rows = [
    { at: 0, to: 1, kind: "F", on: 0, mb: 0 },
    { at: 1, to: 2, kind: "activation", on: 1, mb: 0 },
    { at: 2, to: 4, kind: "B", on: 0, mb: 0 },
    { at: 4, to: 5, kind: "update", on: 0 },
  ];
  const plan = { kinds: KINDS } as never;
  const versions = { version_forward: Uint16Array.of(3, 3, 3, 0), version_backward: Uint16Array.of(4, 4, 4, 0) };
  const trace = layLanes({ ...tableOf(rows), ...versions }, 2, 1, KINDS);
  expect([0, 1, 2, 3].map((i) => versionRead(trace, plan, i)?.reads)).toEqual([3, 4, undefined, undefined]);
  expect(versionRead(trace, plan, 0)).toEqual({ forward: 3, backward: 4, isForward: true, reads: 3 });
  expect(versionRead(layLanes(tableOf(rows), 2, 1, KINDS), plan, 0)).toBeNull();
});
