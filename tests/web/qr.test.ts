// QR codes are read back by a reader that knows nothing of the encoder, at every version that is made.
import jsQR from "jsqr";
import { expect, test } from "vitest";
import { MOST_BYTES, qrCode } from "../../web/src/share/qr";

/** The reader has 74 in its table of alignment patterns where annex E of the standard has 78. */
const MISREAD = 23;
const SCALE = 3;
const MARGIN = 4;

function photograph(rows: boolean[][]): { data: Uint8ClampedArray; side: number } {
  const side = (rows.length + 2 * MARGIN) * SCALE;
  const data = new Uint8ClampedArray(4 * side * side).fill(255);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const dark = rows[Math.floor(y / SCALE) - MARGIN]?.[Math.floor(x / SCALE) - MARGIN];
      if (dark) data.fill(0, 4 * (y * side + x), 4 * (y * side + x) + 3);
    }
  }
  return { data, side };
}
const readBack = (rows: boolean[][]) => {
  const { data, side } = photograph(rows);
  return jsQR(data, side, side)?.data;
};

test("texts of every length are read back", () => {
  const versions = new Set<number>();
  const lengths = Array.from({ length: 37 }, (_, i) => (i < 9 ? 1 + 7 * i : 60 + 41 * (i - 9)));
  for (const length of [...lengths, MOST_BYTES]) {
    const text = Array.from({ length }, (_, i) => "https://example.org/#s1:-_AZ09az"[(i * 7 + length) % 32]).join("");
    const rows = qrCode(text);
    if (!rows) throw new Error(`no code for ${length} bytes`);
    const version = (rows.length - 17) / 4;
    versions.add(version);
    if (version !== MISREAD) expect(readBack(rows), `${length} bytes`).toBe(text);
  }
  expect(versions.size).toBeGreaterThan(15);
  expect(Math.max(...versions)).toBe(25);
});

test("the one version that the reader has wrong has its alignment patterns where the standard has them", () => {
  const rows = qrCode("x".repeat(1091)) ?? [];
  expect(rows.length).toBe(17 + 4 * MISREAD);
  const centres = [6, 30, 54, 78, 102];
  for (const y of centres) {
    for (const x of centres) {
      if ([x, y].every((at) => at === 6 || at === 102) && !(x === 102 && y === 102)) continue;
      const around = [-2, -1, 0, 1, 2].map((dy) => rows[y + dy].slice(x - 2, x + 3).map(Number).join(""));
      expect(around, `${x}, ${y}`).toEqual(["11111", "10001", "10101", "10001", "11111"]);
    }
  }
});

test("letters outside ASCII are read back", () => {
  const text = "Größe → 3 µs";
  const rows = qrCode(text);
  expect(rows && readBack(rows)).toBe(text);
});

test("the smallest code that holds a text is made, and none for what is too long", () => {
  // Byte mode at level L: version 1 holds 17 bytes, version 2 32 (table 7 of the standard).
  expect(qrCode("x".repeat(17))?.length).toBe(21);
  expect(qrCode("x".repeat(18))?.length).toBe(25);
  expect(qrCode("x".repeat(32))?.length).toBe(25);
  expect(qrCode("x".repeat(33))?.length).toBe(29);
  expect(qrCode("x".repeat(MOST_BYTES + 1))).toBeNull();
});

test("the largest versions hold what the standard says", () => {
  // Byte mode at level L (table 7): version 9 holds 230, 10 271, 22 1003, 23 1091 and 24 1171 bytes.
  for (const [version, bytes] of [[9, 230], [10, 271], [22, 1003], [23, 1091], [24, 1171]]) {
    expect(qrCode("x".repeat(bytes))?.length, `${bytes}`).toBe(17 + 4 * version);
    expect(qrCode("x".repeat(bytes + 1))?.length, `${bytes + 1}`).toBe(17 + 4 * (version + 1));
  }
});
