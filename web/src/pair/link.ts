// The part of a link that holds A: `&a=`, packed as the scenario is, but only what differs from the scenario, which is
// B. Pages that do not know it show B alone.
import { decode, encode } from "../share/codec";
import { applyPatch, writePatch } from "./diff";

const KEY = "&a=";
const PACKED = "#s1:";

export async function writePair(b: string, a: string): Promise<string> {
  const packed = await encode({ text: writePatch(b, a), view: null, look: "", engine: "" });
  return KEY + packed.slice(PACKED.length);
}

/** A of the link; "" where it has none, null where it is damaged. */
export async function readPair(hash: string): Promise<string | null> {
  const part = hash.split(KEY)[1]?.split("&")[0];
  if (part === undefined || !hash.startsWith(PACKED)) return "";
  const [b, patch] = [await decode(hash), await decode(PACKED + part)];
  return b.kind === "ok" && patch.kind === "ok" ? applyPatch(b.text, patch.text) : null;
}
