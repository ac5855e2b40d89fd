// Which lesson is open, which were done, and how one is opened: by a press, or by an address that ends in #lesson=.
import { signal } from "@preact/signals";
import { fetchData } from "../state/data";
import { firstScenario, loadScenario, showText } from "../state/source";
import { read, write } from "../state/storage";
import * as s from "../state/store";
import { later } from "../text/later";
import type { Lesson, LessonCard } from "./lesson";

const MARK = "#lesson=";

/** Ids of the lessons whose goal was met on this machine. */
export const done = signal<string[]>((read("lessons") ?? "").split(",").filter(Boolean));

export const fetchLessons = (): Promise<LessonCard[]> => fetchData<LessonCard[]>("lessons/list.json");
const fetchLesson = (id: string): Promise<Lesson> => fetchData<Lesson>(`lessons/${encodeURIComponent(id)}.json`);

export function markDone(id: string): void {
  if (done.peek().includes(id)) return;
  done.value = [...done.peek(), id];
  write("lessons", done.value.join(","));
}

/** The address names the open lesson, so that it can be sent and found again; no step back leads to it. */
const address = (hash: string) => history.replaceState(null, "", `${location.pathname}${location.search}${hash}`);

/** Opens a lesson and loads its scenario in one step that can be undone. */
export async function openLesson(id: string): Promise<void> {
  const lesson = await fetchLesson(id).catch(() => null);
  if (!lesson) {
    s.notice.value = later.lesson.missing;
    return;
  }
  s.lesson.value = lesson;
  address(MARK + id);
  // Who comes by an address has nothing to undo, and may have been offered a draft.
  if (s.text.peek() === firstScenario) showText(lesson.start);
  else loadScenario(lesson.start, lesson.title);
}

export function closeLesson(): void {
  s.lesson.value = null;
  address("");
}

async function follow(): Promise<void> {
  if (location.hash.startsWith(MARK)) await openLesson(location.hash.slice(MARK.length));
}

export function wireLessons(): void {
  addEventListener("hashchange", () => void follow());
  void follow();
}
