// What is written on the time axis, into slices, and beside numbers.
import { expect, test } from "vitest";
import { readFacts, worstPeak } from "../../web/src/state/facts";
import { bytes, moment, time } from "../../web/src/text/format";
import { labelFor } from "../../web/src/timeline/labels";
import { rangeLabel, tickLabel, tickStep } from "../../web/src/timeline/ticks";
import { NONE } from "../../web/src/worker/protocol";

const ms = 1e9;
const s = 1e12;

test("ticks are 1, 2 or 5 times a power of ten and far enough apart", () => {
  for (const span of [3, 7.7e5, 2.76 * s, 9.99 * s, 1e15]) {
    const step = tickStep(span, 800, 84);
    expect(["1", "2", "5"]).toContain(step.toExponential()[0]);
    expect((step / span) * 800).toBeGreaterThanOrEqual(84 * 0.999);
  }
  expect(tickStep(2.76 * s, 800, 84)).toBe(0.5 * s);
});

test("an axis has one unit and as many digits as its step needs", () => {
  expect(tickLabel(0, 0.5 * s, 2.76 * s)).toBe("0");
  expect(tickLabel(0.5 * s, 0.5 * s, 2.76 * s)).toBe("0.5 s");
  expect(tickLabel(1 * s, 0.01 * s, 1.2 * s)).toBe("1.00 s");
  expect(tickLabel(40 * ms, 20 * ms, 500 * ms)).toBe("40 ms");
  expect(rangeLabel(0.9 * s, 1.7 * s)).toBe("0.900 to 1.700 s");
  expect(rangeLabel(0, 40 * s)).toBe("0.0 to 40.0 s");
});

test("times keep three digits and choose their unit", () => {
  expect([time(2.7612 * s), time(33.64 * ms), time(8.5e8), time(1234), time(0)]).toEqual([
    "2.76 s",
    "33.6 ms",
    "850 µs",
    "1.23 ns",
    "0",
  ]);
  expect(moment(33.6 * ms, 2 * s)).toBe("0.034 s");
  expect(bytes(53.7 * 2 ** 30)).toEqual(["53.7", "GiB"]);
});

// Six pixels a character.
const measure = (text: string) => text.length * 6;

test("slices of one size have one form of label", () => {
  const at = (full: number, mb: number) => labelFor("B", mb, full, full, 2, measure);
  expect([at(22, 8), at(22, 12)]).toEqual(["B8", "B12"]);
  expect([at(16, 8), at(16, 12)]).toEqual(["8", "12"]);
  expect([at(12, 8), at(12, 12)]).toEqual(["", ""]);
});

test("a label is dropped where the visible part is too narrow, and where there is no microbatch", () => {
  expect(labelFor("F", 3, 100, 12, 2, measure)).toBe("");
  expect(labelFor("F", 3, 100, 16, 2, measure)).toBe("F3");
  expect(labelFor("", NONE, 100, 100, 2, measure)).toBe("");
  expect(labelFor("FB", 3, 40, 40, 1, measure)).toBe("FB3");
});

test("a summary that lacks numbers gives nulls, and memory comes from whichever key there is", () => {
  expect(readFacts({})).toMatchObject({ stepMs: null, bubble: null, mfu: null, tokensPerSecond: null, peaks: [] });
  const facts = readFacts({
    time_ms: { makespan_ms: 2761 },
    bubble: { idle_over_makespan: 0.42 },
    throughput: { per_s: 5.8, samples_per_s: 5.8, tokens_per_s: null },
    mfu: null,
    memory: { peak_bytes: { a: 3, b: 5 }, parts_bytes: { b: { weights: 2 } } },
  });
  expect(facts).toMatchObject({ stepMs: 2761, bubble: 0.42, samplesPerSecond: 5.8, tokensPerSecond: null });
  expect(worstPeak(facts)).toEqual({ device: "b", bytes: 5, parts: { weights: 2 } });
  expect(readFacts({ memory: { peak_per_device_mb: { a: 2 } } }).peaks[0].bytes).toBe(2 * 2 ** 20);
});
