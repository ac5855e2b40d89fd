// Energy, price and certainty: the tab Figures and the corners of the tiles, by hand calculation.
import assert from "node:assert/strict";

// 1F1B, p = 2, m = 4, F = 1, B = 2: 15 ms, of which each device works 12.
const TEXT = `simulation: {microbatches: 4, transfers: latency}
pipeline:
  schedule: 1f1b
  activation_mb: 1
  micro_batch_size: 2
  model: {hidden_dim: 64, seq_len: 500}
  stages:
    - {device: a, weights_mb: 1, compute: {mode: explicit, distribution: 1}, backward: {distribution: 2}}
    - {device: b, weights_mb: 1, compute: {mode: explicit, distribution: 1}, backward: {distribution: 2}}
hardware:
  devices:
    - {id: a, gpu: a100, node: n0, socket: 0, power_W: 300, idle_power_W: 50, price_per_hour: 3}
    - {id: b, gpu: a100, node: n1, socket: 0, power_W: 200, idle_power_W: 100, price_per_hour: 1.5}
  links: [{default: true, bandwidth_GBps: 10}]
`;

export const cases = [
  [
    "what tokens cost, and how sure the figures are",
    async ({ newWindow }) => {
      const w = await newWindow();
      await w.ready();
      assert.equal(await w.page.locator(".tile-step .tile-basis").textContent(), "data sheet");
      await w.type(TEXT);
      await w.settled();
      assert.equal(await w.page.locator(".tile-step .tile-basis").textContent(), "as written");
      await w.page.click("#tab-figures");
      const value = (key) => w.page.locator(`#figure-${key} td`).first().textContent();
      // (12 * 300 + 3 * 50 + 12 * 200 + 3 * 100) / 15 W; 4 * 2 * 500 tokens in 15 ms.
      assert.equal(await value("power"), "430 W");
      assert.equal(await value("priceHour"), "4.50");
      // 4.5 * 0.015 / 3600 / 4000 * 1e6.
      assert.equal(Number(await value("priceTokens")).toFixed(5), "0.00469");
      assert.match(await w.page.locator("#certainty").textContent(), /written in the scenario/);
    },
  ],
];
