// A point of a sweep becomes the scenario: its values are written into the text, in one undo step.
import { signal } from "@preact/signals";
import { writeAt } from "../editor/scalar";
import { writeSchedule } from "../editor/schedule";
import { replaceText } from "../state/source";
import * as s from "../state/store";
import { later } from "../text/later";
import { words } from "../text/sweep";

/** What the last press loaded: the text, and the point it is of. */
export const loaded = signal<{ text: string; name: string } | null>(null);

/** `{path: value}` in words: "microbatches 8, schedule gpipe". */
export const nameOf = (paths: string[], values: string[]): string =>
  paths.map((path, i) => `${path.match(/[^.]*$/)?.[0]} ${values[i]}`).join(", ");

/** Puts the values into `text`, the scenario that was swept, and shows it. */
export function load(text: string, paths: string[], values: string[]): void {
  const name = nameOf(paths, values);
  const now = paths.reduce<string | null>(
    (all, path, i) =>
      all === null ? null : path === "pipeline.schedule" ? writeSchedule(all, values[i]) : writeAt(all, path, values[i]),
    text,
  );
  if (now === null) return void (s.toast.value = { text: words.cannotLoad(name) });
  const old = s.text.peek();
  loaded.value = { text: now, name };
  if (now === old) return;
  replaceText(now);
  s.toast.value = { text: words.loaded(name), action: { label: later.undo, run: () => replaceText(old) } };
}
