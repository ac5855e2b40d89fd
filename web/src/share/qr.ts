// A QR code of a text: byte mode, error correction level L, the smallest version that holds it, the mask that the
// standard's penalties prefer. Source: ISO/IEC 18004:2015; section numbers below are its.

/** Longer texts make codes that cameras on screens fail to read; version 25 holds them. */
export const MOST_BYTES = 1_200;

/** Level L: codewords for correction of one block, and the number of blocks, by version from 1 (7.5.1, table 9). */
const CORRECTION = [
  7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26,
];
const BLOCKS = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12];
const FORMAT_LEVEL_L = 1;

/** Modules that carry data and correction: all that no pattern takes (table 1). */
function rawBits(version: number): number {
  const size = 17 + 4 * version;
  const align = version > 1 ? Math.floor(version / 7) + 2 : 0;
  const patterns = align > 0 ? align * align - 3 : 0;
  const onTiming = align > 2 ? 2 * (align - 2) : 0;
  const taken = 3 * 64 + 25 * patterns - 5 * onTiming + 2 * (size - 16) + 31 + (version > 6 ? 36 : 0);
  return size * size - taken;
}

const dataBytes = (version: number): number =>
  Math.floor(rawBits(version) / 8) - CORRECTION[version - 1] * BLOCKS[version - 1];

/** Product in the field of 256 elements with x^8 + x^4 + x^3 + x^2 + 1 (7.5.2). */
function times(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((b >> bit) & 1) * a;
  }
  return product & 0xff;
}

/** Coefficients of (x - 1)(x - 2)(x - 4)…, without the first, which is 1. */
function generator(degree: number): number[] {
  const out = [...Array(degree - 1).fill(0), 1];
  let root = 1;
  for (let i = 0; i < degree; i++) {
    for (let j = 0; j < degree; j++) out[j] = times(out[j], root) ^ (out[j + 1] ?? 0);
    root = times(root, 2);
  }
  return out;
}

function correctionOf(data: number[], divisor: number[]): number[] {
  const rest = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ (rest.shift() as number);
    rest.push(0);
    divisor.forEach((coefficient, i) => (rest[i] ^= times(coefficient, factor)));
  }
  return rest;
}

/** Mode, length, bytes, terminator and padding (7.4). */
function dataOf(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const put = (value: number, width: number) => {
    for (let i = width - 1; i >= 0; i--) bits.push((value >> i) & 1);
  };
  const room = dataBytes(version) * 8;
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  put(0, Math.min(4, room - bits.length));
  put(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < room; pad ^= 0xec ^ 0x11) put(pad, 8);
  return Array.from({ length: room / 8 }, (_, i) => Number.parseInt(bits.slice(8 * i, 8 * i + 8).join(""), 2));
}

/** Data and correction of all blocks, interleaved (7.6). */
function codewords(data: number[], version: number): number[] {
  const blocks = BLOCKS[version - 1];
  const divisor = generator(CORRECTION[version - 1]);
  const all = Math.floor(rawBits(version) / 8);
  const short = blocks - (all % blocks);
  const length = Math.floor(all / blocks) - divisor.length;
  const parts: number[][] = [];
  for (let b = 0, at = 0; b < blocks; b++) {
    const own = length + (b < short ? 0 : 1);
    parts.push(data.slice(at, at + own));
    at += own;
  }
  const corrections = parts.map((part) => correctionOf(part, divisor));
  const across = (lists: number[][]) => {
    const most = Math.max(...lists.map((list) => list.length));
    return Array.from({ length: most }, (_, i) => lists.map((list) => list[i])).flat();
  };
  return [...across(parts), ...across(corrections)].filter((byte) => byte !== undefined);
}

/** Centres of the alignment patterns along one side (annex E). */
function alignments(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = 10 + 4 * version;
  const step = Math.ceil((last - 6) / (count - 1) / 2) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, i) => last - step * (count - 2 - i))];
}

const MASKS: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** The remainder of a division of polynomials over two elements, behind the value itself (annexes C and D). */
function guarded(value: number, divisor: number, width: number): number {
  let rest = value;
  for (let i = 0; i < width; i++) rest = (rest << 1) ^ ((rest >> (width - 1)) * divisor);
  return (value << width) | rest;
}

class Matrix {
  readonly size: number;
  readonly dark: boolean[][];
  private readonly fixed: boolean[][];

  constructor(private readonly version: number) {
    this.size = 17 + 4 * version;
    this.dark = Array.from({ length: this.size }, () => Array(this.size).fill(false));
    this.fixed = this.dark.map((row) => [...row]);
    this.patterns();
  }

  private set(x: number, y: number, dark: boolean): void {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return;
    this.dark[y][x] = dark;
    this.fixed[y][x] = true;
  }

  private square(cx: number, cy: number, radius: number, light: number[]): void {
    for (let y = -radius; y <= radius; y++) {
      for (let x = -radius; x <= radius; x++) {
        this.set(cx + x, cy + y, !light.includes(Math.max(Math.abs(x), Math.abs(y))));
      }
    }
  }

  private patterns(): void {
    for (let i = 0; i < this.size; i++) {
      this.set(i, 6, i % 2 === 0);
      this.set(6, i, i % 2 === 0);
    }
    const end = this.size - 4;
    for (const [x, y] of [
      [3, 3],
      [end, 3],
      [3, end],
    ]) {
      this.square(x, y, 4, [2, 4]);
    }
    const centres = alignments(this.version);
    const last = centres.length - 1;
    centres.forEach((x, i) =>
      centres.forEach((y, j) => {
        const corner = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
        if (!corner) this.square(x, y, 2, [1]);
      }),
    );
    this.format(0);
    if (this.version < 7) return;
    const bits = guarded(this.version, 0x1f25, 12);
    for (let i = 0; i < 18; i++) {
      const [long, wide] = [this.size - 11 + (i % 3), Math.floor(i / 3)];
      this.set(long, wide, ((bits >> i) & 1) === 1);
      this.set(wide, long, ((bits >> i) & 1) === 1);
    }
  }

  /** Level and mask, twice, and the one module that is always dark (7.9). */
  private format(mask: number): void {
    const bits = guarded((FORMAT_LEVEL_L << 3) | mask, 0x537, 10) ^ 0x5412;
    for (let i = 0; i < 15; i++) {
      const dark = ((bits >> i) & 1) === 1;
      if (i < 8) this.set(this.size - 1 - i, 8, dark);
      else this.set(8, this.size - 15 + i, dark);
      if (i < 6) this.set(8, i, dark);
      else if (i < 8) this.set(8, i + 1, dark);
      else if (i === 8) this.set(7, 8, dark);
      else this.set(14 - i, 8, dark);
    }
    this.set(8, this.size - 8, true);
  }

  /** Upwards and downwards in columns of two, from the right (7.7.3). */
  fill(bytes: number[]): void {
    let bit = 0;
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      const upwards = ((right + 1) & 2) === 0;
      for (let step = 0; step < this.size; step++) {
        const y = upwards ? this.size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.fixed[y][x] || bit >= bytes.length * 8) continue;
          this.dark[y][x] = ((bytes[bit >> 3] >> (7 - (bit & 7))) & 1) === 1;
          bit++;
        }
      }
    }
  }

  mask(number: number): void {
    this.format(number);
    for (let y = 0; y < this.size; y++) {
      for (let x = 0; x < this.size; x++) {
        if (!this.fixed[y][x] && MASKS[number](x, y)) this.dark[y][x] = !this.dark[y][x];
      }
    }
  }

  /** What makes a code hard to read (7.8.3). */
  penalty(): number {
    const columns = this.dark.map((_, x) => this.dark.map((row) => row[x]));
    let sum = 0;
    for (const line of [...this.dark, ...columns]) {
      const text = line.map((dark) => (dark ? "1" : "0")).join("");
      for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2;
      for (let x = 0; x + 11 <= text.length; x++) {
        const eleven = text.slice(x, x + 11);
        if (eleven === "10111010000" || eleven === "00001011101") sum += 40;
      }
    }
    let dark = 0;
    for (let y = 0; y < this.size; y++) {
      for (let x = 0; x < this.size; x++) {
        const own = this.dark[y][x];
        if (own) dark++;
        if (y === 0 || x === 0) continue;
        if (own === this.dark[y - 1][x] && own === this.dark[y][x - 1] && own === this.dark[y - 1][x - 1]) sum += 3;
      }
    }
    return sum + 10 * Math.floor(Math.abs((20 * dark) / (this.size * this.size) - 10));
  }
}

/** Rows of modules, true is dark, without the margin of four; null when the text is too long. O(size squared). */
export function qrCode(text: string): boolean[][] | null {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MOST_BYTES) return null;
  let version = 1;
  while (dataBytes(version) * 8 < 4 + (version < 10 ? 8 : 16) + 8 * bytes.length) version++;
  const words = codewords(dataOf(bytes, version), version);
  let best: Matrix | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (let mask = 0; mask < MASKS.length; mask++) {
    const made = new Matrix(version);
    made.fill(words);
    made.mask(mask);
    const penalty = made.penalty();
    if (penalty < least) [best, least] = [made, penalty];
  }
  return best?.dark ?? null;
}
