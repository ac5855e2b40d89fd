// The order as a file for PyTorch.
import { currentName, download } from "../export/files";
import * as s from "../state/store";
import { later } from "../text/later";
import { type Order, readOrder } from "./order";
import { pytorchCsv } from "./write";

export function saveCsv(order: Order): void {
  const csv = pytorchCsv(order);
  if (csv === null) s.toast.value = { text: later.order.noCsv };
  else download(new Blob([csv], { type: "text/csv" }), currentName("order.csv"));
}

/** That of the shown run. */
export function saveShownCsv(): void {
  const result = s.result.peek();
  const order = result && readOrder(result.trace, result.plan);
  if (order) saveCsv(order);
  else s.toast.value = { text: later.order.unwritable };
}
