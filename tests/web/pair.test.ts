// Compare A/B: the exact split of a difference, its sentence, the line diff, and the link that holds both. Numbers are
// worked out by hand for pipelines of equal stages: F 10 ms, B 20 ms, one microbatch.
import { expect, test } from "vitest";
import { diffLines, applyPatch, writePatch } from "../../web/src/pair/diff";
import { readPair, writePair } from "../../web/src/pair/link";
import { sentenceOf } from "../../web/src/pair/say";
import { inQuanta, picoseconds, quantumFor, scaleFor, splitOf } from "../../web/src/pair/split";
import { decode, encode } from "../../web/src/share/codec";
import { sequence } from "./traces";

type Rank = Record<string, number>;
const summary = (makespan: number, busy: Rank[], idle: Rank[]) => ({
  time_ms: { makespan_ms: makespan },
  busy_ms: { per_rank: busy },
  idle_ms: { per_rank: idle },
});
const work = { F: 10, B: 20 };
const stage = (rank: number) => `Stage ${rank}`;
const MS = 1e9;

/** F@0 0-10, F@1 10-20, B@1 20-40, B@0 40-60. */
const two = summary(60, [work, work], [{ dependency: 30 }, { warm_up: 10, drain: 20 }]);

test("a slower link: each rank waits for it twice", () => {
  // 1 ms of latency each way: F@1 11-21, B@1 21-41, B@0 42-62.
  const late = summary(
    62,
    [work, work],
    [
      { dependency: 30, link_latency: 2 },
      { warm_up: 10, drain: 20, link_latency: 2 },
    ],
  );
  const split = splitOf(late, two);
  expect(split).toMatchObject({ a: 62 * MS, b: 60 * MS, counts: [2, 2], scale: 4n });
  // Times scale 4: −2 ms on the mean.
  expect(split?.rows).toEqual([
    { work: false, name: "link_latency", mean: BigInt(-8 * MS), ranks: [-2 * MS, -2 * MS] },
  ]);
  expect(split && sentenceOf(split, stage)).toEqual({
    strong: "B is 2.00 ms (3.2 %) faster than A:",
    rest: " 2.00 ms less waiting for links. On the mean of 2 ranks.",
  });
});

test("more work on one stage is idle time of the other", () => {
  // Stage 1 takes F 14, B 28: F@1 10-24, B@1 24-52, B@0 52-72.
  const slow = summary(72, [work, { F: 14, B: 28 }], [{ dependency: 42 }, { warm_up: 10, drain: 20 }]);
  const split = splitOf(two, slow);
  expect(split?.rows).toEqual([
    { work: true, name: "F", mean: BigInt(8 * MS), ranks: [0, 4 * MS] },
    { work: true, name: "B", mean: BigInt(16 * MS), ranks: [0, 8 * MS] },
    { work: false, name: "dependency", mean: BigInt(24 * MS), ranks: [12 * MS, 0] },
  ]);
  expect(split && sentenceOf(split, stage)).toEqual({
    strong: "B is 12.0 ms (20.0 %) slower than A:",
    rest: " 6.0 ms more work (all on stage 1), 6.0 ms more waiting for other ranks (all on stage 0). On the mean of 2 ranks.",
  });
});

test("another schedule of the same length moves idle time from one cause to another", () => {
  // Four microbatches, F 1, B 2: both take 15. 1F1B has 2 ms of the limit in front of B0 and 1 ms before B3, GPipe 3 ms
  // before B0.
  const last = { warm_up: 1, drain: 2 };
  const busy = { F: 4, B: 8 };
  const split = splitOf(
    summary(15, [busy, busy], [{ memory: 2, dependency: 1 }, last]),
    summary(15, [busy, busy], [{ memory: 0, dependency: 3 }, last]),
  );
  expect(split && sentenceOf(split, stage)).toEqual({
    strong: "A and B take the same time:",
    rest: " 1.00 ms less waiting at the in-flight limit (all on stage 0), 1.00 ms more waiting for other ranks (all on stage 0). On the mean of 2 ranks.",
  });
});

test("different numbers of ranks: the means over ranks are compared, exactly", () => {
  // Three stages: B@0 ends at 90. Means 30 dependency, 10 warm-up, 20 drain, against 15, 5 and 10.
  const three = summary(
    90,
    [work, work, work],
    [{ dependency: 60 }, { warm_up: 10, dependency: 30, drain: 20 }, { warm_up: 20, drain: 40 }],
  );
  const split = splitOf(two, three);
  expect(split?.scale).toBe(6n);
  expect(split?.rows).toEqual([
    { work: false, name: "dependency", mean: BigInt(90 * MS), ranks: [] },
    { work: false, name: "warm_up", mean: BigInt(30 * MS), ranks: [] },
    { work: false, name: "drain", mean: BigInt(60 * MS), ranks: [] },
  ]);
  expect(split && sentenceOf(split, stage)).toEqual({
    strong: "B is 30.0 ms (50.0 %) slower than A:",
    rest: " 15.0 ms more waiting for other ranks, 10.0 ms more drain, 5.0 ms more warm-up. On the mean over ranks: A has 2, B has 3.",
  });
});

test("runs that are the same have no parts, and what says nothing of its ranks is not split", () => {
  const split = splitOf(two, two);
  expect(split?.rows).toEqual([]);
  expect(split && sentenceOf(split, stage).strong).toBe("A and B take the same time.");
  expect(splitOf(two, {})).toBeNull();
});

test("whole picoseconds come back from milliseconds up to 2^52", () => {
  const next = sequence(7);
  for (let i = 0; i < 2_000; i++) {
    const ps = Math.floor(next() * 2 ** 52);
    expect(picoseconds(ps / 1e9)).toBe(ps);
  }
});

test("quanta add up to the rounded sum, are less than one away, and leave 0 alone", () => {
  expect(inQuanta([10n, 10n, 10n], 30n)).toEqual([1, 0, 0]);
  // Floors 2, 0, -2, -2 with 6, 0, 7, 7 left: two tens more, to the sevens.
  expect(inQuanta([26n, 0n, -13n, -13n], 10n)).toEqual([2, 0, -1, -1]);
  const next = sequence(3);
  for (let i = 0; i < 300; i++) {
    const parts = Array.from({ length: 8 }, () => (next() < 0.3 ? 0n : BigInt(Math.floor((next() - 0.5) * 1e6))));
    const quanta = inQuanta(parts, 1000n);
    const sum = Number(parts.reduce((a, b) => a + b, 0n));
    const all = quanta.reduce((a, b) => a + b, 0);
    expect(Math.abs(all * 1000 - sum)).toBeLessThanOrEqual(500);
    quanta.forEach((n, k) => {
      expect(Math.abs(n * 1000 - Number(parts[k]))).toBeLessThan(1000);
      if (parts[k] === 0n) expect(n).toBe(0);
    });
  }
});

test("a quantum is a power of ten that leaves the largest its digits, and never below a picosecond", () => {
  expect(quantumFor(12.345e9, 4)).toBe(1e7);
  expect(quantumFor(9.99e9, 3)).toBe(1e7);
  expect(quantumFor(50, 4)).toBe(1);
  expect(quantumFor(0, 4)).toBe(1);
  const { unit, write } = scaleFor(12.345e9, 1e7);
  expect([unit, write(1235)]).toEqual(["ms", "12.35"]);
});

const flat = (a: string, b: string) =>
  diffLines(a.split(""), b.split("")).map(({ kind, lines }) => `${{ same: "=", gone: "-", new: "+" }[kind]}${lines.join("")}`);

test("a line diff keeps the longest common part", () => {
  // The textbook pair: their longest common subsequence has four letters.
  const pieces = diffLines("ABCBDAB".split(""), "BDCABA".split(""));
  expect(pieces.filter(({ kind }) => kind === "same").reduce((n, { lines }) => n + lines.length, 0)).toBe(4);
  expect(flat("abc", "abc")).toEqual(["=abc"]);
  expect(flat("abcd", "axcd")).toEqual(["=a", "-b", "+x", "=cd"]);
  expect(flat("aaa", "aa")).toEqual(["=aa", "-a"]);
});

test("texts too long to be aligned are taken as a whole between what they share", () => {
  const many = (mark: string) => ["head", ...Array.from({ length: 1_001 }, (_, i) => `${mark}${i}`), "tail"];
  const kinds = diffLines(many("a"), many("b")).map(({ kind, lines }) => [kind, lines.length]);
  expect(kinds).toEqual([
    ["same", 1],
    ["gone", 1_001],
    ["new", 1_001],
    ["same", 1],
  ]);
});

const yaml = "# title: two\nsimulation:\n  microbatches: 4\n+odd: line\n";

test("a patch brings any text back, and is short where little changed", () => {
  for (const other of [yaml, "", "\n", yaml.replace("4", "16"), `${yaml}more\n`, "=3\n-1\n+x", "a\r\nb"]) {
    expect(applyPatch(yaml, writePatch(yaml, other))).toBe(other);
    expect(applyPatch(other, writePatch(other, yaml))).toBe(yaml);
  }
  expect(writePatch(yaml, yaml.replace("4", "16"))).toBe("=2\n-1\n+  microbatches: 16\n=2");
  for (const bad of ["=99", "=1", "?", "=0\n=5", "=-5", "=5\n="]) expect(applyPatch(yaml, bad)).toBeNull();
});

test("a link holds both; without its part of A it is the link it was", async () => {
  const hash = await encode({ text: yaml, view: [1, 2], look: "paper", engine: "0.1.0" });
  const other = yaml.replace("4", "16");
  const both = hash + (await writePair(yaml, other));
  expect(both.slice(0, hash.length)).toBe(hash);
  expect(both.slice(hash.length)).toMatch(/^&a=[\w-]{1,60}$/);
  expect(await readPair(both)).toBe(other);
  // Whoever does not know of A reads B as before.
  expect(await decode(both)).toEqual(await decode(hash));
  expect(await readPair(hash)).toBe("");
  expect(await readPair(`${hash}&a=AAAA`)).toBeNull();
  expect(await readPair(`#y=${encodeURIComponent(yaml)}`)).toBe("");
});
