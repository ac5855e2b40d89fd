// The part of a link after `#`: round trips, damage, and what unpacks to too much.
import { deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { decode, encode, MAX_TEXT_BYTES } from "../../web/src/share/codec";
import { readLook, writeLook } from "../../web/src/share/look";

const yaml = "# title: 13B on 8 × H100, slow link 3→4\nsimulation:\n  microbatches: 16\n  seed: 7\n";
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

test("a scenario, its view and its engine come back as they went", async () => {
  const hash = await encode({ text: yaml, view: [1.5e9, 2.25e9], look: "paper.u", engine: "1.2.0+a" });
  expect(hash).toMatch(/^#s1:[\w-]+&v=1500000000,2250000000&l=paper\.u&e=1\.2\.0%2Ba$/);
  expect(await decode(hash)).toEqual({
    kind: "ok",
    text: yaml,
    view: [1.5e9, 2.25e9],
    look: "paper.u",
    engine: "1.2.0+a",
  });
});

test("the text is deflated without a header and written in base64url", async () => {
  const hash = await encode({ text: yaml, view: null, look: "", engine: "" });
  expect(hash).not.toMatch(/[+/=&]/);
  const byHand = `#s1:${base64url(deflateRawSync(Buffer.from(yaml)))}`;
  expect(await decode(byHand)).toMatchObject({ kind: "ok", text: yaml, view: null });
});

test("a long scenario becomes a link of less than two fifths of its size", async () => {
  const stages = Array.from({ length: 64 }, (_, i) => `    - {device: h${i}, layers: 5}\n`).join("");
  const hash = await encode({ text: yaml + stages, view: null, look: "", engine: "" });
  expect(hash.length).toBeLessThan(0.4 * (yaml.length + stages.length));
});

test("plain percent-encoded YAML is read", async () => {
  expect(await decode(`#y=${encodeURIComponent("a: {b: 1 & 2}\n")}`)).toMatchObject({
    kind: "ok",
    text: "a: {b: 1 & 2}\n",
  });
});

test.each([
  ["cut short", (hash: string) => hash.slice(0, hash.length / 2)],
  ["a letter changed", (hash: string) => `${hash.slice(0, 12)}${hash[12] === "A" ? "B" : "A"}${hash.slice(13)}`],
  ["not base64", () => "#s1:***"],
  ["empty", () => "#s1:"],
])("a link that is %s is called damaged", async (_name, harm) => {
  const hash = await encode({ text: yaml.repeat(3), view: null, look: "", engine: "" });
  const found = await decode(harm(hash));
  // A changed letter may still unpack to some text; it must never throw, and never give the old text.
  if (found.kind === "ok") expect(found.text).not.toBe(yaml.repeat(3));
  else expect(found).toEqual({ kind: "bad", reason: "damaged" });
});

test("a link of a later form is called newer, and another page's hash is none of ours", async () => {
  expect(await decode("#s2:AAAA")).toEqual({ kind: "bad", reason: "newer" });
  expect(await decode("#results")).toEqual({ kind: "none" });
  expect(await decode("")).toEqual({ kind: "none" });
});

test("what unpacks to more than a mebibyte is refused while it unpacks", async () => {
  const bomb = deflateRawSync(Buffer.alloc(64 << 20, "a"), { level: 9 });
  expect(bomb.length).toBeLessThan(100_000);
  expect(await decode(`#s1:${base64url(bomb)}`)).toEqual({ kind: "bad", reason: "too-large" });
  const largest = deflateRawSync(Buffer.alloc(MAX_TEXT_BYTES, "a"));
  expect(await decode(`#s1:${base64url(largest)}`)).toMatchObject({ kind: "ok" });
  // Making the bomb takes longer than finding it out.
}, 30_000);

test("a view that runs backwards and a damaged engine are ignored", async () => {
  const hash = await encode({ text: yaml, view: null, look: "", engine: "" });
  expect(await decode(`${hash}&v=5,1&e=%E0%A4%A`)).toEqual({
    kind: "ok",
    text: yaml,
    view: null,
    look: "",
    engine: "",
  });
});

test("a look is a few letters, the usual one none, and what is no look is ignored", () => {
  for (const colours of ["kind", "microbatch", "paper"] as const) {
    for (const units of [false, true]) {
      const text = writeLook({ colours, units });
      if (text) expect(readLook(text)).toEqual({ colours, units });
    }
  }
  expect(writeLook({ colours: "kind", units: false })).toBe("");
  for (const text of ["", "red", "paper.x", "paper.u.u", ".u"]) expect(readLook(text)).toBeNull();
});
