// An order as text: the scenario's own form, and PyTorch's CSV.
import { scheduleIndent, writeSchedule } from "../editor/schedule";
import type { Cell, Operation, Order } from "./order";

/** "F3@5", with slices "F3.1@5", an overlapped cell "(F7@0|B3@7)". */
function cellText({ operations }: Cell, slices: number): string {
  const one = ({ letter, microbatch, slice, stage }: Operation) =>
    `${letter}${microbatch}${slices > 1 ? `.${slice}` : ""}@${stage}`;
  const texts = operations.map(one);
  return texts.length > 1 ? `(${texts.join("|")})` : texts[0];
}

const listsOf = ({ ranks, slices }: Order): string[] =>
  ranks.map((cells) => cells.map((cell) => cellText(cell, slices)).join(" "));

/** As a value for the module's options. */
export const orderValue = (order: Order): unknown => ({
  order: listsOf(order),
  placement: Object.fromEntries(order.placement),
});

/** The scenario with this order in the place of its schedule; nothing else changes. */
export function writeOrder(text: string, order: Order): string {
  const lists = listsOf(order).map((list) => JSON.stringify(list));
  const places = order.placement.map(([pipe, ranks]) => `${pipe}: [${ranks.join(", ")}]`).join(", ");
  const indent = scheduleIndent(text);
  if (indent === null) return writeSchedule(text, `{placement: {${places}}, order: [${lists.join(", ")}]}`);
  const lines = [`placement: {${places}}`, "order:", ...lists.map((list) => `  - ${list}`)];
  return writeSchedule(text, lines.map((line) => `\n${indent}  ${line}`).join(""));
}

/** PyTorch's compute-only CSV, one line a rank; null for what it cannot say: slices and several pipes. */
export function pytorchCsv({ ranks, placement, slices }: Order): string | null {
  if (slices > 1 || placement.length > 1) return null;
  const one = ({ letter, microbatch, stage }: Operation) => `${stage}${letter}${microbatch}`;
  const cell = ({ operations }: Cell) =>
    operations.length > 1 ? `(${operations.map(one).join(";")})OVERLAP_F_B` : one(operations[0]);
  return ranks.map((cells) => `${cells.map(cell).join(",")}\n`).join("");
}
