// What is written on the time axis, into slices, and beside numbers.
import { expect, test } from "vitest";
import { readFacts, worstPeak } from "../../web/src/state/facts";
import { bytes, moment, time } from "../../web/src/text/format";
import { labelFor, numberOf, widestNumber } from "../../web/src/timeline/labels";
import { rangeLabel, stepFor, tickLabel, tickStep } from "../../web/src/timeline/ticks";

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
  const at = (full: number, mb: number) => labelFor("B", `${mb}`, full, full, "00", measure);
  expect([at(22, 8), at(22, 12)]).toEqual(["B8", "B12"]);
  expect([at(16, 8), at(16, 12)]).toEqual(["8", "12"]);
  expect([at(12, 8), at(12, 12)]).toEqual(["", ""]);
});

test("a label is dropped where the visible part is too narrow, and where there is no microbatch", () => {
  expect(labelFor("F", "3", 100, 12, "00", measure)).toBe("");
  expect(labelFor("F", "3", 100, 16, "00", measure)).toBe("F3");
  expect(labelFor("", "", 100, 100, "00", measure)).toBe("");
});

test("with slices a number has two parts, and without a letter it stands alone", () => {
  expect([numberOf(3, 1, 4), numberOf(3, 0, 1)]).toEqual(["3.1", "3"]);
  expect([widestNumber(16, 4), widestNumber(8, 1)]).toEqual(["00.0", "0"]);
  const at = (letter: string, full: number) => labelFor(letter, "3.1", full, full, "00.0", measure);
  expect([at("F", 40), at("F", 30), at("F", 20), at("", 40)]).toEqual(["F3.1", "3.1", "", "3.1"]);
});

test("an axis in forwards counts them, whatever they last", () => {
  const forward = 7.3 * ms;
  expect(stepFor(40 * forward, 800, 84, forward)).toBeCloseTo(5 * forward);
  expect(tickLabel(15 * forward, 5 * forward, 40 * forward, forward)).toBe("15");
  expect(tickLabel(1.5 * forward, 0.5 * forward, 2 * forward, forward)).toBe("1.5");
  expect(rangeLabel(2 * forward, 12.5 * forward, forward)).toBe("2.0 to 12.5 F");
});

test("what is in flight is counted in whole stages: chunks and slices are parts, the other direction is not", () => {
  const flight = (schedule: object, until_W: number[]) => readFacts({ schedule, peak_in_flight: { until_W } }).inFlight;
  expect(flight({ chunks: 1, slices: 1, weight_copies: 1 }, [4, 3])).toEqual([4, 3]);
  expect(flight({ chunks: 2, slices: 1, weight_copies: 1 }, [11, 9])).toEqual([5.5, 4.5]);
  expect(flight({ chunks: 1, slices: 4, weight_copies: 1 }, [7])).toEqual([1.75]);
  expect(flight({ chunks: 2, slices: 1, weight_copies: 2 }, [5])).toEqual([5]);
  expect(flight({ chunks: 4, slices: 1, weight_copies: 2 }, [8])).toEqual([4]);
  expect(readFacts({}).inFlight).toEqual([]);
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
