// Files made in the browser: named after the scenario, handed over as downloads, never sent anywhere.
import { titleOf } from "../state/source";
import * as s from "../state/store";

/** The title as a file name: lower case, words joined by hyphens. */
export function fileName(title: string, extension: string): string {
  const stem = title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  return `${stem || "scenario"}.${extension}`;
}

export function download(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export const currentName = (extension: string): string =>
  fileName(titleOf(s.result.peek()?.text ?? s.text.peek()), extension);

export function downloadYaml(): void {
  const text = s.text.peek();
  download(new Blob([text], { type: "text/yaml" }), fileName(titleOf(text), "yaml"));
}
