// Scenario text to the part of a link after `#`, and back. The text never leaves the browser: a hash is not sent.
// Form: `#s1:` base64url(deflate-raw(utf-8)) with `&v=from,to` (view, ps) and `&e=` (engine that made the link);
// `#y=` percent-encoded YAML is read too, so that links can be made by hand.

/** What a link may unpack to; more is an attack or a mistake. */
export const MAX_TEXT_BYTES = 1 << 20;

export interface LinkState {
  text: string;
  view: [number, number] | null;
  engine: string;
}

export type Decoded =
  { kind: "none" } | ({ kind: "ok" } & LinkState) | { kind: "bad"; reason: "damaged" | "newer" | "too-large" };

async function pump(bytes: Uint8Array, through: GenericTransform, limit: number): Promise<Uint8Array | null> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(through as unknown as ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>>);
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) {
      await reader.cancel().catch(() => undefined);
      return null;
    }
    chunks.push(value);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
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
  const engine = state.engine ? `&e=${encodeURIComponent(state.engine)}` : "";
  return `#s1:${toBase64Url(packed ?? new Uint8Array())}${view}${engine}`;
}

function readExtras(parts: string[]): Pick<LinkState, "view" | "engine"> {
  const extras = new Map(parts.map((part) => [part.slice(0, 2), part.slice(2)]));
  const range = (extras.get("v=") ?? "").split(",").map(Number);
  const valid = range.length === 2 && range.every(Number.isFinite) && range[1] > range[0];
  let engine = "";
  try {
    engine = decodeURIComponent(extras.get("e=") ?? "");
  } catch {
    // A damaged version is no reason to refuse the scenario.
  }
  return { view: valid ? [range[0], range[1]] : null, engine };
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
      return { kind: "ok", text, view: null, engine: "" };
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
