// The course: all lessons in their order, with those marked whose goal was met here.
import { closeDialog, Dialog } from "../panels/dialog";
import { Icon } from "../panels/icon";
import { useData } from "../state/data";
import { later } from "../text/later";
import { done, openLesson } from "./course";
import type { LessonCard } from "./lesson";
import "../styles/lesson.css";

const words = later.lesson;

export function Learn() {
  const lessons = useData<LessonCard[]>("lessons/list.json") ?? [];
  const met = lessons.filter(({ id }) => done.value.includes(id)).length;
  const start = (id: string) => {
    closeDialog();
    void openLesson(id);
  };
  return (
    <Dialog id="learn" heading={words.heading} note={words.note}>
      <ol class="dialog-body lessons" tabIndex={0} role="list" aria-label={words.heading}>
        {lessons.map(({ id, title, minutes, about }, i) => (
          <li key={id} class="card lesson-card">
            <span class="lesson-number num" aria-hidden="true">
              {i + 1}
            </span>
            <div>
              <h3>
                <button type="button" class="card-link" onClick={() => start(id)}>
                  {title}
                </button>
              </h3>
              <p>{about}</p>
              <p class="card-facts num">
                <span>{later.minutes(minutes)}</span>
                {done.value.includes(id) && (
                  <span class="lesson-done">
                    <Icon name="check" />
                    {words.done}
                  </span>
                )}
              </p>
            </div>
          </li>
        ))}
      </ol>
      <p class="muted lessons-sum" role="status">
        {lessons.length > 0 && words.sum(met, lessons.length)}
      </p>
    </Dialog>
  );
}
