// What an order would bring, without touching the scenario: played in the second worker, the newest question first.
import { aside } from "../worker/aside";
import type { Order } from "./order";
import { orderValue } from "./write";

export const TRIAL_CAP = 200_000;

/** How long the step takes, or why the order cannot run. */
export type Trial = { ok: true; ms: number } | { ok: false; reason: string };

/** Null when it was called off, or is too large to be tried. */
export async function tryOrder(text: string, order: Order, signal: AbortSignal): Promise<Trial | null> {
  const set = { "pipeline.schedule": orderValue(order) };
  const reply = await aside().ask({ type: "probe", text, set, cap: TRIAL_CAP }, signal);
  if (reply?.type === "checked") {
    const first = reply.loaded.diagnostics.find(({ severity }) => severity === "error");
    return { ok: false, reason: first?.message ?? "" };
  }
  if (reply?.type !== "result") return null;
  const { makespan_ms } = reply.result.summary.time_ms as { makespan_ms: number };
  return { ok: true, ms: makespan_ms };
}
