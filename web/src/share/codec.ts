// Scenario text to the part of a link after `#`, and back. The text never leaves the browser: a hash is not sent.
// Form: `#s1:` base64url(deflate-raw(utf-8)) with `&v=from,to` (view, ps), `&l=` (look) and `&e=` (engine that made it);
// `#y=` percent-encoded YAML is read too, so that links can be made by hand.

/** What a link may unpack to; more is an attack or a mistake. */
export const MAX_TEXT_BYTES = 1 << 20;

export interface LinkState {
  text: string;
  view: [number, number] | null;
  /** Colours and unit of time; "" for the usual ones. */
  look: string;
  engine: string;
}

export type Decoded =
  { kind: "none" } | ({ kind: "ok" } & LinkState) | { kind: "bad"; reason: "damaged" | "newer" | "too-large" };

/** Bytes given to the stream at a time. It unpacks all it has been given, and a byte may unpack to a thousand. */
const PIECE = 1024;

async function pump(
  bytes: Uint8Array,
  { readable, writable }: GenericTransform,
  limit: number,
): Promise<Uint8Array | null> {
  const writer = writable.getWriter();
  const feed = async () => {
    for (let i = 0; i < bytes.length; i += PIECE) await writer.write(bytes.subarray(i, i + PIECE));
    await writer.close();
  };
  // What goes wrong here is met again where it is read.
  feed().catch(() => undefined);
  const reader = readable.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) {
      reader.cancel().catch(() => undefined);
      return null;
    }
    chunks.push(value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

interface GenericTransform {
  readable: ReadableStream;
  writable: WritableStream;
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  for (let i = 0; i < bytes.length; i += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (c) => c.charCodeAt(0));
}

export async function encode(state: LinkState): Promise<string> {
  const raw = new TextEncoder().encode(state.text);
  const packed = await pump(raw, new CompressionStream("deflate-raw"), Number.POSITIVE_INFINITY);
  const view = state.view ? `&v=${state.view.map((t) => Math.round(t)).join(",")}` : "";
  const look = state.look ? `&l=${encodeURIComponent(state.look)}` : "";
  const engine = state.engine ? `&e=${encodeURIComponent(state.engine)}` : "";
  return `#s1:${toBase64Url(packed ?? new Uint8Array())}${view}${look}${engine}`;
}

function readExtras(parts: string[]): Pick<LinkState, "view" | "look" | "engine"> {
  const extras = new Map(parts.map((part) => [part.slice(0, 2), part.slice(2)]));
  const range = (extras.get("v=") ?? "").split(",").map(Number);
  const valid = range.length === 2 && range.every(Number.isFinite) && range[1] > range[0];
  const text = (key: string): string => {
    try {
      return decodeURIComponent(extras.get(key) ?? "");
    } catch {
      // A damaged version is no reason to refuse the scenario.
      return "";
    }
  };
  return { view: valid ? [range[0], range[1]] : null, look: text("l="), engine: text("e=") };
}

export async function decode(hash: string): Promise<Decoded> {
  const body = hash.replace(/^#/, "");
  if (body === "") return { kind: "none" };
  const [head, ...rest] = body.split("&");
  const version = head.match(/^s(\d+):/);
  try {
    if (head.startsWith("y=")) {
      const text = decodeURIComponent(body.slice(2));
      if (new TextEncoder().encode(text).length > MAX_TEXT_BYTES) return { kind: "bad", reason: "too-large" };
      return { kind: "ok", text, view: null, look: "", engine: "" };
    }
    if (!version) return { kind: "none" };
    if (version[1] !== "1") return { kind: "bad", reason: "newer" };
    const packed = fromBase64Url(head.slice(version[0].length));
    if (packed.length === 0) return { kind: "bad", reason: "damaged" };
    const raw = await pump(packed, new DecompressionStream("deflate-raw"), MAX_TEXT_BYTES);
    if (!raw) return { kind: "bad", reason: "too-large" };
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
    return { kind: "ok", text, ...readExtras(rest) };
  } catch {
    return { kind: "bad", reason: "damaged" };
  }
}
