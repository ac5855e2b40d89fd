// The files of the export menu. The module writes all of them but the scenario itself, the order and the picture.
import { saveShownCsv } from "../order/save";
import { lookOfLink } from "../state/look";
import { worker } from "../state/run";
import * as s from "../state/store";
import type { en } from "../text/en";
import { later } from "../text/later";
import type { ExportFormat } from "../worker/protocol";
import { currentName, download, downloadYaml } from "./files";

const TYPES: Record<ExportFormat, [extension: string, type: string]> = {
  summary_json: ["summary.json", "application/json"],
  trace_csv: ["trace.csv", "text/csv"],
  chrome_trace: ["chrome-trace.json", "application/json"],
  svg: ["svg", "image/svg+xml"],
};

/** The picture looks as the timeline does. */
function asShown(format: ExportFormat): string {
  const look = lookOfLink();
  return format === "svg" && look ? `svg:${look}` : format;
}

async function fromModule(format: ExportFormat): Promise<void> {
  const [extension, type] = TYPES[format];
  const name = currentName(extension);
  const text = await worker()
    .exportAs(asShown(format))
    .catch(() => "");
  if (text) download(new Blob([text], { type }), name);
  else s.toast.value = { text: later.exportFailed };
}

async function picture(): Promise<void> {
  const { timelinePng } = await import("./png");
  download(await timelinePng(), currentName("png"));
}

export function save(what: keyof typeof en.exports): void {
  if (what === "yaml") return downloadYaml();
  if (!s.result.peek()) return void (s.toast.value = { text: later.exportStale });
  if (what === "order") saveShownCsv();
  else if (what === "png") void picture();
  else void fromModule(what);
}
