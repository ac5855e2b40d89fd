// The page's end of the worker: typed requests, promises for answers, and a fresh worker when one died or hangs.
// The module's bytes are fetched here, in parallel with the worker's script.
import wasmUrl from "sluice-wasm?url";
import type { Loaded, Reply, Request, RunResult } from "./protocol";

export interface Listener {
  ready(version: string, engine: string): void;
  checked(id: number, loaded: Loaded): void;
  capped(id: number, loaded: Loaded): void;
  progress(id: number, done: number, total: number): void;
  result(id: number, loaded: Loaded, result: RunResult): void;
  stopped(id: number): void;
  /** The module trapped or the worker died; a fresh one is already starting. */
  crashed(message: string): void;
  /** The module cannot be loaded at all. */
  unavailable(message: string): void;
}

type Answer = Extract<
  Reply,
  { type: "result" | "exported" | "schema" | "gaps" | "path" | "schedules" | "checked" | "capped" | "stopped" | "series" }
>;

/** A stop that brings no answer in this time means that one step takes too long: the worker is replaced. */
const STOP_PATIENCE_MS = 400;

export class Client {
  private worker: Worker;
  private listener: Listener | null = null;
  private early: Reply[] = [];
  private nextId = 1;
  private running = 0;
  private isReady = false;
  private waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();

  constructor() {
    this.worker = this.start();
  }

  listen(listener: Listener): void {
    this.listener = listener;
    for (const reply of this.early.splice(0)) this.receive(reply);
  }

  private start(): Worker {
    this.isReady = false;
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = (event: MessageEvent<Reply>) => {
      if (this.listener) this.receive(event.data);
      else this.early.push(event.data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.fail(event.message || "the worker stopped");
    };
    fetch(wasmUrl)
      .then((response) => (response.ok ? response.arrayBuffer() : null))
      .catch(() => null)
      .then((wasm) => worker.postMessage({ type: "boot", wasm } satisfies Request, wasm ? [wasm] : []));
    return worker;
  }

  private replace(): void {
    this.worker.terminate();
    this.running = 0;
    for (const { reject } of this.waiting.values()) reject(new Error("the worker was replaced"));
    this.waiting.clear();
    this.worker = this.start();
  }

  private fail(message: string): void {
    if (!this.isReady) {
      this.worker.terminate();
      this.listener?.unavailable(message);
      return;
    }
    this.replace();
    this.listener?.crashed(message);
  }

  private receive(reply: Reply): void {
    const listener = this.listener;
    if (!listener) return;
    if (reply.type === "ready") {
      this.isReady = true;
      return listener.ready(reply.version, reply.engine);
    }
    if (reply.type === "failed") return this.fail(reply.message);
    if (reply.type === "progress") {
      if (reply.id === this.running) listener.progress(reply.id, reply.done, reply.total);
      return;
    }
    if (reply.type === "rows" || reply.type === "order") return;
    const asked = this.waiting.get(reply.id);
    if (asked) {
      this.waiting.delete(reply.id);
      return asked.resolve(reply);
    }
    const own = reply.id === this.running;
    if (own) this.running = 0;
    if (reply.type === "checked") return listener.checked(reply.id, reply.loaded);
    if (!own) return;
    if (reply.type === "capped") listener.capped(reply.id, reply.loaded);
    else if (reply.type === "result") listener.result(reply.id, reply.loaded, reply.result);
    else if (reply.type === "stopped") listener.stopped(reply.id);
  }

  check(text: string): number {
    const id = this.nextId++;
    this.worker.postMessage({ type: "check", id, text } satisfies Request);
    return id;
  }

  /** Plays `text`, in the place of whatever is being played. */
  run(text: string, cap: number): number {
    const id = this.nextId++;
    this.running = id;
    this.worker.postMessage({ type: "run", id, text, cap } satisfies Request);
    return id;
  }

  stop(): void {
    const id = this.running;
    if (!id) return;
    this.worker.postMessage({ type: "stop", id } satisfies Request);
    setTimeout(() => {
      if (this.running !== id) return;
      this.replace();
      this.listener?.stopped(id);
    }, STOP_PATIENCE_MS);
  }

  /** For those who have a question of their own about the shown run. */
  ask(make: (id: number) => Request): Promise<Answer> {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage(make(id));
    });
  }

  /** A run beside the shown one; null when it was overtaken, refused or too large. It overtakes no run itself. */
  async probe(text: string, set: Record<string, unknown>, cap: number): Promise<RunResult | null> {
    if (this.running) return null;
    const answer = await this.ask((id) => ({ type: "probe", id, text, set, cap }));
    return answer.type === "result" ? answer.result : null;
  }

  async exportAs(format: string): Promise<string> {
    const answer = await this.ask((id) => ({ type: "export", id, format }));
    return answer.type === "exported" ? answer.text : "";
  }

  async schedules(): Promise<string> {
    const answer = await this.ask((id) => ({ type: "schedules", id }));
    return answer.type === "schedules" ? answer.text : "";
  }

  async schema(): Promise<string> {
    const answer = await this.ask((id) => ({ type: "schema", id }));
    return answer.type === "schema" ? answer.text : "";
  }
}
