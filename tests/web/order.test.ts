// An order read off a trace, changed by one move and written out; every expected text is by hand.
import { expect, test } from "vitest";
import { moved, nameOf, placeOf, placeOfSlice, readOrder } from "../../web/src/order/order";
import { orderValue, pytorchCsv, writeOrder } from "../../web/src/order/write";
import type { Plan, Trace } from "../../web/src/worker/protocol";
import { KINDS, type RowOf, traceOf } from "./traces";

const plan = (ranks: number, more: Partial<Plan> = {}): Plan => ({
  kinds: KINDS,
  stages: ranks,
  pipes: 1,
  slices: 1,
  microbatches: 2,
  batches: 1,
  ranks: Array.from({ length: ranks }, (_, r) => ({ rank: r, resource: r, device: `d${r}`, node: "", stages: [r] })),
  resources: [],
  ...more,
});
const op = (on: number, kind: string, mb: number, at: number, more: Partial<RowOf> = {}): RowOf => ({
  at,
  to: at + 1,
  kind,
  on,
  mb,
  ...more,
});
/** Two ranks and a link between them; an update at the end. */
const ROWS = [
  op(0, "F", 0, 0),
  op(0, "F", 1, 1),
  op(2, "activation", 0, 1),
  op(1, "F", 0, 2),
  op(1, "B", 0, 3),
  op(1, "F", 1, 4),
  op(0, "B", 0, 5),
  op(1, "B", 1, 5),
  op(0, "B", 1, 6),
  op(0, "update", 0, 7),
];
const read = (rows: RowOf[], of: Plan) => {
  const trace = traceOf(rows, of.ranks.length + 1, of.ranks.length);
  const order = readOrder(trace, of);
  if (!order) throw new Error("nothing to write out");
  return { trace, order };
};

test("operations stand in the order in which they ran; transfers and updates are left out", () => {
  const { order } = read(ROWS, plan(2));
  expect(orderValue(order)).toEqual({
    order: ["F0@0 F1@0 B0@0 B1@0", "F0@1 B0@1 F1@1 B1@1"],
    placement: { down: [0, 1] },
  });
  expect(pytorchCsv(order)).toBe("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n");
});

test("a move changes one rank and leaves the order it came from alone", () => {
  const { order, trace } = read(ROWS, plan(2));
  const from = placeOf(order, "B0.0@0");
  expect(from).toEqual({ rank: 0, at: 2 });
  const next = moved(order, from ?? { rank: 0, at: 0 }, 1);
  expect(pytorchCsv(next)).toBe("0F0,0B0,0F1,0B1\n1F0,1B0,1F1,1B1\n");
  expect(pytorchCsv(moved(order, { rank: 1, at: 0 }, 3))).toBe("0F0,0F1,0B0,0B1\n1B0,1F1,1B1,1F0\n");
  expect(pytorchCsv(order)).toBe("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n");
  const index = trace.offsets[1] + 1;
  expect(placeOfSlice(order, trace, index)).toEqual({ rank: 1, at: 1 });
});

test("both halves of an overlapped cell move together", () => {
  const rows = [
    op(0, "F", 0, 0),
    op(0, "FB", 1, 1),
    op(0, "B", 0, 1),
    op(0, "I", 1, 2),
    op(0, "W", 1, 3),
  ];
  const { order, trace } = read(rows, plan(1));
  expect(orderValue(order)).toEqual({ order: ["F0@0 (F1@0|B0@0) I1@0 W1@0"], placement: { down: [0] } });
  expect(pytorchCsv(order)).toBe("0F0,(0F1;0B0)OVERLAP_F_B,0I1,0W1\n");
  expect(nameOf(order.ranks[0][1].operations)).toBe("F1.0@0|B0.0@0");
  expect(placeOfSlice(order, trace, 2)).toEqual({ rank: 0, at: 1 });
});

test("stages of one rank, both directions and slices are named", () => {
  const ranks = [{ rank: 0, resource: 0, device: "d0", node: "", stages: [0, 3] }];
  ranks.push({ rank: 1, resource: 1, device: "d1", node: "", stages: [1, 2] });
  const rows = [op(0, "F", 0, 0), op(1, "F", 1, 0), op(1, "F", 0, 1)];
  const trace = traceOf(rows, 3, 2) as Trace;
  // Rank 1 holds stage 0 of the pipe up, and rank 0 its stage 1.
  trace.stage.set([0, 0, 1]);
  trace.pipe.set([0, 1, 0]);
  trace.slice.set([0, 1, 0]);
  const order = readOrder(trace, plan(2, { ranks, pipes: 2, slices: 2 }));
  expect(order && orderValue(order)).toEqual({
    order: ["F0.0@0", "F1.1@0 F0.0@1"],
    placement: { down: [0, 1], up: [1, 0] },
  });
  expect(order && pytorchCsv(order)).toBeNull();
});

test("later batches are left out, and batches that run into each other cannot be written out", () => {
  const rows = [op(0, "F", 0, 0), op(0, "B", 0, 1), op(0, "F", 0, 2), op(0, "B", 0, 3)];
  const trace = traceOf(rows, 2, 1);
  trace.batch.set([0, 0, 1, 1]);
  const drained = readOrder(trace, plan(1));
  expect(drained && pytorchCsv(drained)).toBe("0F0,0B0\n");
  trace.batch.set([0, 1, 0, 1]);
  expect(readOrder(trace, plan(1))).toBeNull();
});

test("an interrupted operation stands once", () => {
  const { order } = read([op(0, "F", 0, 0), op(0, "failure", 0, 1), op(0, "F", 0, 2), op(0, "B", 0, 3)], plan(1));
  expect(pytorchCsv(order)).toBe("0F0,0B0\n");
});

test("the order takes the schedule's place, in lines where the text has lines", () => {
  const { order } = read(ROWS, plan(2));
  const block = `pipeline:
  schedule:
    placement: {down: [0, 1]}
    order:
      - "F0@0 F1@0 B0@0 B1@0"
      - "F0@1 B0@1 F1@1 B1@1" # usual
  stages: []
`;
  const text = "pipeline:\n  schedule: 1f1b # usual\n  stages: []\n";
  expect(writeOrder(text, order)).toBe(block);
  expect(writeOrder(block, order)).toBe(block);
  expect(writeOrder("pipeline: {schedule: gpipe, stages: []}\n", order)).toBe(
    'pipeline: {schedule: {placement: {down: [0, 1]}, order: ["F0@0 F1@0 B0@0 B1@0", "F0@1 B0@1 F1@1 B1@1"]}, stages: []}\n',
  );
});
