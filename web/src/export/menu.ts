// What the export menu offers. The module writes all of it but the scenario itself and the picture.
import type { MenuItem } from "../panels/menu";
import { worker } from "../state/run";
import * as s from "../state/store";
import { en } from "../text/en";
import type { ExportFormat } from "../worker/protocol";
import { currentName, download, downloadYaml } from "./files";

const TYPES: Record<ExportFormat, [extension: string, type: string]> = {
  summary_json: ["summary.json", "application/json"],
  trace_csv: ["trace.csv", "text/csv"],
  chrome_trace: ["chrome-trace.json", "application/json"],
  svg: ["svg", "image/svg+xml"],
};

async function fromModule(format: ExportFormat): Promise<void> {
  if (!s.result.peek()) return void (s.toast.value = { text: en.exportStale });
  const [extension, type] = TYPES[format];
  const name = currentName(extension);
  const text = await worker()
    .exportAs(format)
    .catch(() => "");
  if (text) download(new Blob([text], { type }), name);
  else s.toast.value = { text: en.exportFailed };
}

async function picture(): Promise<void> {
  if (!s.result.peek()) return void (s.toast.value = { text: en.exportStale });
  const { timelinePng } = await import("./png");
  download(await timelinePng(), currentName("png"));
}

export const exportItems = (): MenuItem[] => [
  { label: en.exports.yaml, run: downloadYaml },
  ...(["summary_json", "trace_csv", "chrome_trace", "svg"] as const).map((format) => ({
    label: en.exports[format],
    run: () => void fromModule(format),
  })),
  { label: en.exports.png, run: () => void picture() },
];
