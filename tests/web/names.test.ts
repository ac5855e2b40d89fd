// What lanes and stages are called.
import { describe, expect, it } from "vitest";
import { laneName, stageName } from "../../web/src/timeline/names";
import type { Plan, Trace } from "../../web/src/worker/protocol";

const device = (name: string) => ({ type: "device" as const, name, node: "n0" });
const rank = (n: number, name: string, stages: number[]) => ({ rank: n, resource: n, device: name, node: "n0", stages });
// Two stages of one pipeline, one of another: numbers count by the longest.
const plan = {
  kinds: [],
  stages: 2,
  pipes: 2,
  slices: 1,
  pipelines: ["fast", "slow"],
  ranks: [rank(0, "d0", [0]), rank(1, "d1", [1]), rank(2, "d2", [2])],
  resources: [device("d0"), device("d1"), device("d2"), { type: "link", name: "d0->d1", from: "d0", to: "d1" }],
} as unknown as Plan;
const trace = { resource: [0, 1, 2, 3] } as unknown as Trace;

describe("several pipelines", () => {
  it("a lane is the stage of its pipeline", () => {
    expect(laneName(plan, trace, 1)).toEqual({ long: "fast, stage 1", short: "fast.1", detail: "d1, n0" });
    expect(laneName(plan, trace, 2).long).toBe("slow, stage 0");
    expect(laneName(plan, trace, 3).short).toBe("fast.0→fast.1");
    expect(stageName(plan, 1, 0)).toBe("slow, stage 0");
  });

  it("one pipeline, or two directions, are called as ever", () => {
    const one = { ...plan, pipes: 1, pipelines: undefined, stages: 3 } as Plan;
    expect(laneName(one, trace, 2)).toMatchObject({ long: "Stage 2", short: "2" });
    expect(stageName({ ...one, pipes: 2 } as Plan, 1, 2)).toBe("stage 2, up");
  });
});
