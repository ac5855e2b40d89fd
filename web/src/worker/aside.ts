// Workers for what must never hold up the shown run: comparing schedules, trying one, drawing several, sweeps.
// Each starts when it is first wanted. Requests are served one after the other; each can be called off.
import wasmUrl from "sluice-wasm?url";
import type { Reply, Request } from "./protocol";

interface Ask {
  request: Request & { id: number };
  partial: ((reply: Reply) => void) | null;
  resolve(reply: Reply | null): void;
  signal: AbortSignal | null;
}

/** A stop that brings no answer in this time means that one step takes too long: the worker is replaced. */
const STOP_PATIENCE_MS = 300;

type Body<T = Request> = T extends { id: number } ? Omit<T, "id"> : never;

export class Aside {
  /** Who asks for nothing but searches lets it begin with the module that has one. */
  constructor(private readonly searchUrl: string | null = null) {}

  private worker: Worker | null = null;
  private queue: Ask[] = [];
  private current: Ask | null = null;
  private nextId = 1;

  private start(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = (event: MessageEvent<Reply>) => this.receive(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.replace();
    };
    const search = this.searchUrl !== null;
    fetch(this.searchUrl ?? wasmUrl)
      .then((response) => (response.ok ? response.arrayBuffer() : null))
      .catch(() => null)
      .then((wasm) => worker.postMessage({ type: "boot", wasm, search } satisfies Request, wasm ? [wasm] : []));
    return worker;
  }

  /** The answer, or null when it was called off or the module failed. `partial` sees what comes before the answer. */
  ask(request: Body, signal: AbortSignal | null = null, partial: Ask["partial"] = null): Promise<Reply | null> {
    return new Promise((resolve) => {
      const id = this.nextId++;
      this.queue.push({ request: { ...request, id } as Ask["request"], partial, resolve, signal });
      this.next();
    });
  }

  private next(): void {
    if (this.current) return;
    const ask = this.queue.shift();
    if (!ask) return;
    if (ask.signal?.aborted) {
      ask.resolve(null);
      return this.next();
    }
    this.current = ask;
    this.worker ??= this.start();
    this.worker.postMessage(ask.request);
    ask.signal?.addEventListener("abort", () => this.stop(ask), { once: true });
  }

  private stop(ask: Ask): void {
    if (this.current !== ask) return;
    this.worker?.postMessage({ type: "stop", id: ask.request.id } satisfies Request);
    setTimeout(() => {
      if (this.current === ask) this.replace();
    }, STOP_PATIENCE_MS);
  }

  private replace(): void {
    this.worker?.terminate();
    this.worker = null;
    this.finish(null);
  }

  /** Ends the planning that is under way with what it has found: its answer comes soon. */
  enough(): void {
    if (this.current) this.worker?.postMessage({ type: "enough", id: this.current.request.id } satisfies Request);
  }

  /** Lets the worker go; the next request starts another. */
  end(): void {
    this.queue = [];
    this.replace();
  }

  private finish(reply: Reply | null): void {
    const ask = this.current;
    this.current = null;
    ask?.resolve(reply);
    this.next();
  }

  private receive(reply: Reply): void {
    if (reply.type === "failed") return this.replace();
    if (reply.type === "ready" || reply.id !== this.current?.request.id) return;
    if (reply.type === "progress" || (reply.type === "rows" && !reply.finished)) this.current.partial?.(reply);
    else this.finish(reply.type === "stopped" ? null : reply);
  }
}

let one: Aside | null = null;
export const aside = (): Aside => (one ??= new Aside());
