// Everything the page shows, as signals. Who changes them: run.ts (results), source.ts (text), the panels (the rest).
import { computed, signal } from "@preact/signals";
import type { Diagnostic, Plan, Pyramid, Trace } from "../worker/protocol";
import type { Row } from "../timeline/rows";
import type { Scene, Surface } from "../timeline/paint";
import type { Lesson } from "../lesson/lesson";
import type { Facts } from "./facts";

export type Phase =
  | { kind: "starting" }
  | { kind: "idle" }
  | { kind: "running"; done: number; total: number; visible: boolean; since: number; microbatches: number }
  | { kind: "done" }
  | { kind: "error" }
  | { kind: "capped"; events: number }
  /** The last load of this link did not finish; it waits for a press of Run. */
  | { kind: "guarded" }
  | { kind: "stopped" }
  | { kind: "crashed"; message: string }
  | { kind: "unavailable"; message: string };

export interface Result {
  text: string;
  summary: Record<string, unknown>;
  facts: Facts;
  plan: Plan;
  resolved: string;
  trace: Trace;
  pyramid: Pyramid | null;
  forward: number;
  milliseconds: number;
}

export interface View {
  t0: number;
  t1: number;
}

export type Selection =
  | { type: "slice"; index: number }
  /** The gap before slice `next` of a lane; `next` is the lane's end when nothing follows. */
  | { type: "gap"; lane: number; next: number; start: number; end: number };

export interface Toast {
  text: string;
  action?: { label: string; run(): void };
}

export type DialogName = "share" | "gallery" | "learn" | "help" | "table" | "picker" | "stacked" | "measured";
export type ColourMode = "kind" | "microbatch" | "version" | "paper" | "cause";
export type PhoneTab = "edit" | "timeline" | "metrics";
export type DetailTab =
  | "inspector"
  | "schedules"
  | "pair"
  | "sweep"
  | "tune"
  | "learn"
  | "memory"
  | "links"
  | "figures"
  | "log";

export const text = signal("");
export const diagnostics = signal<Diagnostic[]>([]);
/** The text the diagnostics speak of. */
export const checkedText = signal("");
export const phase = signal<Phase>({ kind: "starting" });
export const result = signal<Result | null>(null);
export const before = signal<Facts | null>(null);
export const engine = signal("");
export const view = signal<View>({ t0: 0, t1: 1 });
export const selection = signal<Selection | null>(null);
export const colourMode = signal<ColourMode>("kind");
/** The mode that this run can be shown in: only some have versions of the weights. */
export const colours = computed(() =>
  colourMode.value === "version" && !result.value?.trace.readForward ? "kind" : colourMode.value,
);
/** What is painted over the lanes beyond their colours, and what its colours mean; fetched after the first picture. */
export const veil = signal<((surface: Surface, scene: Scene, rows: Row[]) => void) | null>(null);
export const veilColours = signal<{ name: string; colour: string }[]>([]);
/** All but the critical path is dimmed. */
export const onlyPath = signal(false);
/** Time is counted in forwards, as in the papers. */
export const unitTime = signal(false);
/** What stands above the lanes: the order edited by hand, or the run played. */
export const tool = signal<"order" | "play" | null>(null);
export const allLinks = signal(false);
export const dialog = signal<DialogName | null>(null);
/** The open lesson. */
export const lesson = signal<Lesson | null>(null);
export const phoneTab = signal<PhoneTab>("timeline");
/** Of the tiles' figures; fetched after the first picture. */
export const definitions = signal<Record<string, string>>({});
export const detailTab = signal<DetailTab>("inspector");
export const toast = signal<Toast | null>(null);
export const notice = signal("");
export const announcement = signal("");
/** What another run says about one change, offered as a button. */
export const offer = signal<{ microbatches: number; bubble: number; faster: boolean } | null>(null);

export const errors = computed(() => diagnostics.value.filter((d) => d.severity === "error").length);
export const stale = computed(() => result.value !== null && result.value.text !== text.value);

const query = new URLSearchParams(location.search);
export const embedded = query.get("embed") === "timeline";
