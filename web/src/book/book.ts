// The picture book: draws each figure when it comes into sight, from a run of its own, all to one scale of time.
import { readFacts } from "../state/facts";
import { openCanvas, paintAxis, paintEnd, paintGrid, paintRows, type Scene } from "../timeline/paint";
import { PAPER, readPalette } from "../timeline/palette";
import { layRows } from "../timeline/rows";
import { encode } from "../share/codec";
import { percent, trim } from "../text/format";
import { Aside } from "../worker/aside";
import type { RunResult } from "../worker/protocol";
import { followTheme } from "./theme";
import { figureText, LOOK, type Sizes, USUAL } from "./scenario";
import "../styles/tokens.css";
import "../styles/base.css";
import "../styles/controls.css";
import "./book.css";
import "./docs.css";

const AXIS = 20;
const LANE = 24;
const SPLIT_LANE = 38;
const NAMES = 20;
/** On a phone a figure scrolls rather than be squeezed. */
const NARROWEST = 640;
const CAP = 200_000;
/** Units that a figure's width stands for: what GPipe takes. What takes longer is wider, and scrolls. */
const widthInUnits = ({ ranks, microbatches }: Sizes): number => 3 * (microbatches + ranks - 1);

const aside = new Aside();
const field = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
let palette = readPalette();

interface Figure {
  node: HTMLElement;
  schedule: string;
  /** As the build found them. */
  own: Sizes;
  run: RunResult | null;
  off: AbortController | null;
  seen: boolean;
}

const figures: Figure[] = [...document.querySelectorAll<HTMLElement>("figure[data-schedule]")].map((node) => ({
  node,
  schedule: node.dataset.schedule ?? "",
  own: { ranks: Number(node.dataset.ranks), microbatches: Number(node.dataset.microbatches) },
  run: null,
  off: null,
  seen: false,
}));

/** What the reader asked for, within bounds. */
function wanted(): Sizes {
  const read = (id: string, usual: number) => {
    const { value, min, max } = field<HTMLInputElement>(id);
    return Math.min(Math.max(Math.round(Number(value)) || usual, Number(min)), Number(max));
  };
  return { ranks: read("ranks", USUAL.ranks), microbatches: read("microbatches", USUAL.microbatches) };
}

/** The sizes of a figure: those asked for, but its own while those are the usual ones. */
function sizesOf({ own }: Figure): Sizes {
  const sizes = wanted();
  const usual = sizes.ranks === USUAL.ranks && sizes.microbatches === USUAL.microbatches;
  return usual ? own : sizes;
}

function paint({ node, run }: Figure): void {
  const canvas = node.querySelector("canvas") as HTMLCanvasElement;
  const view = node.querySelector(".figure-view") as HTMLElement;
  if (!run) return;
  const { trace, plan, pyramid, forward } = run;
  const { rows, height } = layRows(
    trace,
    { axis: 0, lane: trace.halves ? SPLIT_LANE : LANE, link: 0, more: 0 },
    false,
  );
  const room = Math.max(view.clientWidth, NARROWEST) - NAMES;
  const all = widthInUnits({ ranks: plan.ranks.length, microbatches: plan.microbatches }) * forward;
  // Longer than the rest: at the same scale, so wider than the page.
  const share = Math.max(1, trace.end / all);
  const width = Math.round(room * share);
  canvas.style.width = `${width + NAMES}px`;
  canvas.style.height = `${height + AXIS}px`;
  const surface = openCanvas(canvas, width + NAMES, height + AXIS);
  const { g, ratio } = surface;
  const scene: Scene = {
    trace,
    plan,
    pyramid,
    mode: field<HTMLSelectElement>("colours").value === "kind" ? "kind" : "paper",
    labels: true,
    palette,
    unit: forward,
    t0: 0,
    t1: all * share,
  };
  const at = (x: number, y: number) => g.setTransform(ratio, 0, 0, ratio, x * ratio, y * ratio);
  at(0, AXIS);
  g.font = `11px ${palette.font}`;
  g.fillStyle = palette.plain["text-muted"];
  g.textAlign = "left";
  for (const row of rows) g.fillText(`${row.lane}`, 2, row.y + row.h / 2 + 0.5);
  at(NAMES, AXIS);
  const lanes = { ...surface, width, height };
  paintRows(lanes, scene, rows);
  paintGrid(lanes, scene, 0, height);
  paintEnd(lanes, scene, 0, height);
  at(NAMES, 0);
  paintAxis({ ...surface, width, height: AXIS }, scene, AXIS);
}

function describe({ node, schedule, run }: Figure, refusal: string): void {
  const caption = node.querySelector("figcaption") as HTMLElement;
  const canvas = node.querySelector("canvas") as HTMLCanvasElement;
  node.classList.toggle("refused", refusal !== "");
  if (!run) {
    caption.textContent = refusal;
    return;
  }
  const { plan, summary, trace, forward } = run;
  const facts = readFacts(summary);
  const flight =
    facts.inFlight.length > 0 ? `, at most ${Number(trim(Math.max(...facts.inFlight)))} in flight on a rank` : "";
  const parts = [
    `${Number(trim(trace.end / forward))} units`,
    trace.end > widthInUnits({ ranks: plan.ranks.length, microbatches: plan.microbatches }) * forward * 1.001
      ? " (longer than the others: the figure scrolls)"
      : "",
    facts.bubble === null ? "" : `, bubble ${percent(facts.bubble)}`,
    flight,
    `, ${facts.weightCopies === 1 ? "one copy" : `${facts.weightCopies} copies`} of the weights`,
  ];
  caption.textContent = parts.join("");
  canvas.setAttribute(
    "aria-label",
    `Timeline of ${schedule}: ${plan.ranks.length} ranks, ${plan.microbatches} microbatches, ${parts.join("")}`,
  );
}

async function play(figure: Figure): Promise<void> {
  figure.off?.abort();
  const off = new AbortController();
  figure.off = off;
  const text = figureText(figure.schedule, sizesOf(figure));
  const reply = await aside.ask({ type: "probe", text, set: {}, cap: CAP }, off.signal);
  if (off.signal.aborted || !reply) return;
  figure.run = reply.type === "result" ? reply.result : null;
  const first =
    reply.type === "checked" ? (reply.loaded.diagnostics.find((d) => d.severity === "error")?.message ?? "") : "";
  describe(figure, figure.run ? "" : `Not at this size. ${first}`);
  paint(figure);
  const link = figure.node.parentElement?.querySelector<HTMLAnchorElement>(".source a");
  if (link) link.href = `../${await encode({ text, view: null, look: LOOK, engine: "" })}`;
}

const SHOWN = ["f", "b", "i", "w"] as const;
const WORDS = { f: "forward", b: "backward", i: "input gradient", w: "weight gradient" };

function showLegend(): void {
  const kind = field<HTMLSelectElement>("colours").value === "kind";
  const entry = (name: string, fill: string, words: string) => {
    const item = document.createElement("li");
    item.className = "legend-item";
    const swatch = document.createElement("span");
    swatch.className = `swatch ${name}`;
    if (fill) Object.assign(swatch.style, { background: fill, borderColor: fill });
    item.append(swatch, words);
    return item;
  };
  field("legend").replaceChildren(
    ...SHOWN.map((name) => entry(kind ? name : "", kind ? "" : PAPER[name].fill, WORDS[name])),
    entry(kind ? "idle" : "idle-plain", "", "idle"),
    entry("chunks", "", "later stage of the rank, or other direction"),
  );
}

function repaint(): void {
  palette = readPalette();
  showLegend();
  for (const figure of figures) if (figure.seen) paint(figure);
}

const TOOLS = { ranks: `${USUAL.ranks}`, microbatches: `${USUAL.microbatches}`, colours: "paper" };

/** The address says what is drawn, so that a lecture can link to it. */
function readAddress(query: URLSearchParams): void {
  for (const id of Object.keys(TOOLS)) {
    const value = query.get(id);
    const node = field<HTMLInputElement | HTMLSelectElement>(id);
    if (value === null) continue;
    const old = node.value;
    node.value = value;
    // A select that has no such choice becomes empty.
    if (node.value === "") node.value = old;
  }
}

function writeAddress(): void {
  const url = new URL(location.href);
  for (const [id, usual] of Object.entries(TOOLS)) {
    const { value } = field<HTMLInputElement | HTMLSelectElement>(id);
    if (value === usual) url.searchParams.delete(id);
    else url.searchParams.set(id, value);
  }
  history.replaceState(null, "", url);
}

function start(): void {
  readAddress(new URLSearchParams(location.search));
  followTheme(repaint);
  palette = readPalette();
  field("tools").hidden = false;
  showLegend();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        const figure = figures.find((one) => one.node === target);
        if (!isIntersecting || !figure || figure.seen) continue;
        figure.seen = true;
        void play(figure);
      }
    },
    { rootMargin: "400px" },
  );
  for (const figure of figures) observer.observe(figure.node);
  let timer = 0;
  for (const id of ["ranks", "microbatches"]) {
    field(id).addEventListener("input", () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        writeAddress();
        for (const figure of figures) if (figure.seen) void play(figure);
      }, 150);
    });
  }
  field("tools").addEventListener("submit", (event) => event.preventDefault());
  field("colours").addEventListener("change", () => {
    writeAddress();
    repaint();
  });
  addEventListener("resize", () => requestAnimationFrame(repaint));
  addEventListener("beforeprint", () => {
    for (const figure of figures) {
      if (figure.seen) continue;
      figure.seen = true;
      void play(figure);
    }
  });
}

start();
