// The worker that reads recorded runs: unpacks what is gzipped, gives the files to the importer, and answers with its
// report. It lives for one import; the importer's memory goes with it.
import wasmUrl from "sluice-import-wasm?url";

export interface TraceFile {
  name: string;
  file: File;
}

/** More than this is not read, unpacked: the importer needs several times as much. */
const MOST_BYTES = 500e6;

interface Importer {
  memory: WebAssembly.Memory;
  _initialize(): void;
  sluice_import_open(): number;
  sluice_import_room(self: number, bytes: number): number;
  sluice_import_file(self: number, nameBytes: number): void;
  sluice_import_run(self: number): number;
  sluice_import_answer(self: number): number;
}

/** What a program without files, clock and environment asks of its host: next to nothing. */
async function openImporter(): Promise<Importer> {
  let importer: Importer | null = null;
  const zero = (...places: number[]) => {
    for (const at of places) new DataView((importer as Importer).memory.buffer).setUint32(at, 0, true);
    return 0;
  };
  const imports = {
    env: { emscripten_notify_memory_growth: () => undefined },
    wasi_snapshot_preview1: {
      environ_sizes_get: zero,
      environ_get: () => 0,
      proc_exit: () => {
        throw new Error("the importer gave up");
      },
    },
  };
  const response = await fetch(wasmUrl);
  const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), imports);
  importer = instance.exports as unknown as Importer;
  importer._initialize();
  return importer;
}

/** The file's bytes, unpacked when they are gzipped; null when they are too many. */
async function bytesOf(file: File, most: number): Promise<Uint8Array | null> {
  const [a, b] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const packed = a === 0x1f && b === 0x8b;
  const stream = packed ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let { done, value } = await reader.read(); !done && value; { done, value } = await reader.read()) {
    length += value.length;
    if (length > most) {
      void reader.cancel();
      return null;
    }
    parts.push(value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** JSON text of the importer; "" when the files are too large. */
async function read(files: TraceFile[]): Promise<string> {
  const importer = await openImporter();
  const self = importer.sluice_import_open();
  let left = MOST_BYTES;
  for (const { name, file } of files) {
    const text = await bytesOf(file, left);
    if (!text) return "";
    left -= text.length;
    const title = new TextEncoder().encode(name);
    const room = importer.sluice_import_room(self, title.length + text.length);
    if (!room) return "";
    const memory = new Uint8Array(importer.memory.buffer);
    memory.set(title, room);
    memory.set(text, room + title.length);
    importer.sluice_import_file(self, title.length);
  }
  const length = importer.sluice_import_run(self);
  const at = importer.sluice_import_answer(self);
  return new TextDecoder().decode(new Uint8Array(importer.memory.buffer, at, length));
}

self.onmessage = (event: MessageEvent<TraceFile[]>) => {
  read(event.data).then(
    (text) => self.postMessage(text),
    () => self.postMessage(null),
  );
};
