// The Plan page's pure parts: the form's edits of a scenario, what lies where on the cluster, changes by hand, sentences.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readPlans } from "../../web/plugins/plans";
import { microSizes, moveBatch, moveLayer, setMicro, takerOf, writePlan } from "../../web/src/plan/edit";
import * as q from "../../web/src/plan/question";
import { clusterOf, isOver, type Pipeline, type Shown, type Stage, shortForm } from "../../web/src/plan/report";
import { differences, spelled } from "../../web/src/plan/say";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const example = (name: string) => readFileSync(join(root, `examples/eth/${name}.yaml`), "utf8");

const stage = (gpu: string, devices: number, layers: number, more: Partial<Stage> = {}): Stage => ({
  gpu,
  devices,
  tensor_parallel: devices,
  data_parallel: 1,
  layers,
  recompute: "none",
  time_ms: 10 * layers,
  memory_GiB: 2 * layers,
  device_memory_GiB: 32,
  ...more,
});
const pipeline = (batch: number, micro: number, ms: number, stages: Stage[]): Pipeline => ({
  local_batch: batch,
  micro_batch_size: micro,
  microbatches: batch / micro,
  iteration_ms: ms,
  stages,
});
const plan = (pipelines: Pipeline[], more: Partial<Shown> = {}): Shown => ({
  id: "0",
  text: "",
  iteration_ms: Math.max(...pipelines.map(({ iteration_ms }) => iteration_ms)),
  analytic_ms: 0,
  max_min_latency: 1,
  memory_fits: true,
  pipelines,
  ...more,
});

describe("the form", () => {
  it("reads every example", () => {
    for (const file of readdirSync(join(root, "examples/eth")).filter((name) => name.endsWith(".yaml"))) {
      const { model, sequence, batch, cluster } = q.readQuestion(readFileSync(join(root, "examples/eth", file), "utf8"));
      expect(model, file).toMatch(/^gpt-/);
      expect([Number(sequence), Number(batch)].every((n) => n >= 256), file).toBe(true);
      expect(cluster, file).toHaveLength(2);
    }
  });
  it("changes one value and leaves the rest as it is", () => {
    const text = example("13b_b2b4");
    expect(q.put(text, q.PATHS.sequence, "4096")).toBe(text.replace("seq_len: 2048", "seq_len: 4096"));
    expect(q.put(text, "plan.cluster[1].nodes", "6")).toBe(text.replace("910b4, nodes: 4", "910b4, nodes: 6"));
    const off = q.put(text, q.PATHS.recompute, "false");
    expect(q.readQuestion(off).recompute).toBe(false);
    expect(q.readQuestion(q.put(off, q.PATHS.recompute, "true")).recompute).toBe(true);
  });
  it("gives nodes of another type that type's figures, and a type without any its preset's", () => {
    const text = example("13b_b2b4");
    const more = q.figuresOf([example("13b_a100_3090")], "rtx-3090");
    expect(more).toContain("memory_GiB");
    const other = q.putNodes(text, 1, { gpu: "rtx-3090", nodes: 2, devices: 4 }, more);
    expect(other).toContain(`    - {gpu: rtx-3090, nodes: 2, devices: 4${more}}\npipeline:`);
    const plain = q.putNodes(text, 0, { gpu: "h100", nodes: 2, devices: 8 }, q.figuresOf([text], "h100"));
    expect(plain).toContain("    - {gpu: h100, nodes: 2, devices: 8}\n");
  });
  it("adds and removes nodes, written in lines or in brackets", () => {
    const lines = "plan:\n  cluster:\n    - gpu: a\n      nodes: 2\n    - {gpu: b, nodes: 1}  # slow\n  global_batch: 8\n";
    const nodes = { gpu: "c", nodes: 3, devices: 4 };
    const added = q.addNodes(lines, nodes, "");
    expect(q.readQuestion(added).cluster.map(({ gpu }) => gpu)).toEqual(["a", "b", "c"]);
    expect(added).toContain("# slow\n    - {gpu: c, nodes: 3, devices: 4}\n  global_batch");
    expect(q.removeNodes(added, 2)).toBe(lines);
    expect(q.removeNodes(lines, 0)).toBe("plan:\n  cluster:\n    - {gpu: b, nodes: 1}  # slow\n  global_batch: 8\n");
    const flow = "plan: {cluster: [{gpu: a}, {gpu: b}], global_batch: 8}\n";
    expect(q.removeNodes(q.addNodes(flow, nodes, ""), 2)).toBe(flow);
    expect(q.removeNodes(flow, 0)).toBe("plan: {cluster: [{gpu: b}], global_batch: 8}\n");
    expect(q.removeNodes(q.removeNodes(flow, 0), 0)).toBe("plan: {cluster: [{gpu: b}], global_batch: 8}\n");
  });
  it("retitles what was titled by an example or by itself, and nothing else", () => {
    const text = example("13b_b2b4");
    const known = [q.titleOf(text)];
    const longer = q.retitle(text, q.put(text, q.PATHS.sequence, "4096"), known);
    expect(q.titleOf(longer)).toBe("13B at 4,096 tokens on 4 × 8 910B2 and 4 × 8 910B4");
    expect(q.titleOf(q.retitle(longer, q.put(longer, q.PATHS.model, "gpt-6.7b"), known))).toMatch(/^6.7B at/);
    const own = text.replace(/# title: .*/, "# title: Mine");
    expect(q.titleOf(q.retitle(own, q.put(own, q.PATHS.sequence, "4096"), known))).toBe("Mine");
  });
  it("finds nothing to offer in a text without a plan, and changes nothing there", () => {
    const text = "pipeline:\n  schedule: 1f1b\n";
    expect(q.readQuestion(text).cluster).toEqual([]);
    expect(q.addNodes(text, { gpu: "a", nodes: 1, devices: 1 }, "")).toBe(text);
    expect(q.putNodes(text, 0, { gpu: "a", nodes: 1, devices: 1 }, "")).toBe(text);
  });
  it("is offered examples by size and devices whose links are known", () => {
    const { examples, devices, models } = readPlans(join(root, "examples"), join(root, "presets"));
    expect(examples.length).toBeGreaterThan(20);
    expect(examples[0].name).toMatch(/^350m/);
    expect(examples.at(-1)?.name).toMatch(/^70b/);
    expect(devices.map(({ name }) => name)).toEqual(expect.arrayContaining(["h100", "a100", "rtx-3090", "ascend-910b2"]));
    expect(devices.map(({ name }) => name)).not.toContain("l4");
    expect(models[0]).toBe("gpt-350m");
  });
});

describe("the cluster", () => {
  const cluster = [
    { gpu: "a", nodes: 2, devices: 4 },
    { gpu: "b", nodes: 1, devices: 4 },
  ];
  it("puts stages on devices of their type, one after the other, over nodes where they are larger", () => {
    const shown = plan([
      pipeline(4, 1, 1, [stage("a", 2, 4), stage("b", 4, 4)]),
      pipeline(4, 1, 1, [stage("a", 6, 8)]),
    ]);
    const [first, second] = clusterOf(cluster, shown);
    expect(first.nodes).toEqual([
      [
        { pipeline: 0, stage: 0, devices: 2 },
        { pipeline: 1, stage: 0, devices: 2 },
      ],
      [{ pipeline: 1, stage: 0, devices: 4 }],
    ]);
    expect(second.nodes).toEqual([[{ pipeline: 0, stage: 1, devices: 4 }]]);
  });
  it("goes on in the next entry of the same type, and leaves empty what no stage takes", () => {
    const twice = [cluster[0], { gpu: "a", nodes: 2, devices: 2 }];
    const rows = clusterOf(twice, plan([pipeline(4, 1, 1, [stage("a", 8, 2), stage("a", 2, 2)])]));
    expect(rows[1].nodes).toEqual([[{ pipeline: 0, stage: 1, devices: 2 }], []]);
  });
  it("has a short form, equal pipelines together", () => {
    const two = [stage("ascend-910b4", 4, 6), stage("ascend-910b4", 4, 6), stage("rtx-3090", 2, 5)];
    expect(shortForm(plan([pipeline(4, 1, 1, two), pipeline(4, 1, 1, two)]))).toBe("2 × (2 × 910B4 → 1 × RTX 3090)");
    expect(shortForm(plan([pipeline(4, 1, 1, two.slice(2)), pipeline(4, 1, 1, two.slice(0, 1))]))).toBe(
      "1 × RTX 3090, 1 × 910B4",
    );
  });
  it("is over its memory only where it is more than rounding", () => {
    expect(isOver(stage("a", 1, 1, { memory_GiB: 32.0001 }))).toBe(false);
    expect(isOver(stage("a", 1, 1, { memory_GiB: 32.01 }))).toBe(true);
  });
});

describe("changes by hand", () => {
  const text = `pipelines:
  - name: p0
    local_batch: 12
    micro_batch_size: 2
    stages:
      - device: p0s0
        layers: 2
      - device: p0s1
        layers: 1
  - name: p1
    local_batch: 8
    micro_batch_size: 4
    stages:
      - device: p1s0
        layers: 3
`;
  const start = plan(
    [pipeline(12, 2, 100, [stage("a", 2, 2), stage("b", 2, 1)]), pipeline(8, 4, 80, [stage("a", 4, 3)])],
    { text },
  );
  it("moves a layer to the neighbour, unless there is none, or none to give", () => {
    const moved = moveLayer(start, 0, 0, 1) as Shown;
    expect(moved.pipelines[0].stages.map(({ layers }) => layers)).toEqual([1, 2]);
    expect(moveLayer(start, 0, 0, -1)).toBeNull();
    expect(moveLayer(start, 0, 1, -1)).toBeNull();
    expect(moveLayer(start, 1, 0, 1)).toBeNull();
  });
  it("gives samples to the one that ends first of the others, in whole microbatches of both", () => {
    expect(takerOf(start, 0)).toBe(1);
    expect(takerOf(plan([start.pipelines[0]]), 0)).toBe(-1);
    const moved = moveBatch(start, 0) as Shown;
    expect(moved.pipelines.map(({ local_batch }) => local_batch)).toEqual([8, 12]);
    expect(moved.pipelines.map(({ microbatches }) => microbatches)).toEqual([4, 3]);
    const twice = moveBatch(moved, 0) as Shown;
    expect(moveBatch(twice, 0)).toBeNull();
  });
  it("offers sizes of a microbatch that divide the samples and that its groups can divide", () => {
    expect(microSizes(start.pipelines[0])).toEqual([1, 2, 3, 4, 6, 12]);
    const groups = pipeline(24, 2, 1, [stage("a", 2, 1, { data_parallel: 2 }), stage("a", 3, 1, { data_parallel: 3 })]);
    expect(microSizes(groups)).toEqual([6, 12, 24]);
  });
  it("writes what has changed, and nothing else", () => {
    const next = setMicro(moveBatch(moveLayer(start, 0, 0, 1) as Shown, 0) as Shown, 1, 2);
    const written = writePlan(start, next);
    const want = text
      .replace("local_batch: 12", "local_batch: @")
      .replace("local_batch: 8", "local_batch: 12")
      .replace("@", "8")
      .replace("micro_batch_size: 4", "micro_batch_size: 2")
      .replace("layers: 2", "layers: @")
      .replace("layers: 1", "layers: 2")
      .replace("@", "1");
    expect(written).toBe(want);
    expect(writePlan(start, start)).toBe(text);
  });
});

describe("sentences", () => {
  it("says in what two plans differ, the faster one first", () => {
    const fast = plan([pipeline(4, 1, 50, [stage("a", 1, 3, { recompute: "AD" }), stage("b", 1, 1)])]);
    const slow = plan([pipeline(2, 2, 100, [stage("a", 1, 1), stage("b", 1, 3)]), pipeline(2, 2, 90, [stage("b", 1, 4)])], {
      id: "metis_like",
      max_min_latency: 3,
      memory_fits: false,
    });
    const said = differences(slow, fast);
    expect(said).toEqual([
      "Best plan takes 50.00 ms, Metis-like 100.0 ms: 50.00 ms less, 2.00 × faster.",
      "1 pipeline against 2.",
      "The slowest stage takes 1.00 × the time of the fastest, against 3.00 ×.",
      "Something is computed again in 1 of 2 stages, against 0 of 3.",
      "Microbatches of 1, against 2.",
      "A hold 75 % of all layers, against 13 %.",
      "B hold 25 % of all layers, against 88 %.",
      "Metis-like does not fit into memory.",
    ]);
    expect(differences(fast, fast)).toEqual(["Best plan takes 50.00 ms, Best plan 50.00 ms: as long."]);
  });
  it("spells out what is computed again", () => {
    expect(spelled("ADm, LN1+AD x5")).toBe("attention dropout mask; first layer norm, attention dropout in 5 layers");
    expect(spelled("AS x1")).toBe("attention softmax in 1 layer");
    expect(spelled("none")).toBe("nothing");
    expect(spelled("full")).toBe("whole layers");
  });
});
