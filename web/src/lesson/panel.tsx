// The open lesson beside the page (on small screens a sheet at its foot): text, goal with its live state, hints one by
// one, a solution, and the way to the next.
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../panels/icon";
import { loadScenario } from "../state/source";
import * as s from "../state/store";
import { en } from "../text/en";
import { later } from "../text/later";
import { closeLesson, done, fetchLessons, markDone, openLesson } from "./course";
import { conditionsOf } from "./goal";
import type { Block, Inline, Lesson, LessonCard } from "./lesson";
import "../styles/lesson.css";

const words = later.lesson;

const Words = ({ of }: { of: Inline[] }) => (
  <>
    {of.map((part, i) =>
      typeof part === "string" ? (
        part
      ) : "code" in part ? (
        <code key={i}>{part.code}</code>
      ) : (
        <strong key={i}>{part.strong}</strong>
      ),
    )}
  </>
);

const Blocks = ({ of }: { of: Block[] }) => (
  <>
    {of.map((block, i) =>
      "pre" in block ? (
        <pre key={i} tabIndex={0}>
          {block.pre}
        </pre>
      ) : (
        <p key={i}>
          <Words of={block.p} />
        </p>
      ),
    )}
  </>
);

/** True once, and still after further edits, when the goal was met while the lesson was open. */
function Goal({ lesson }: { lesson: Lesson }) {
  const result = s.result.value;
  const fresh = !s.stale.value && s.errors.value === 0;
  const conditions = conditionsOf(lesson.wanted, result?.summary ?? {});
  const met = fresh && conditions.every(({ passed }) => passed);
  useEffect(() => {
    if (met) markDone(lesson.id);
  }, [met, lesson]);
  return (
    <section class="lesson-goal" aria-labelledby="lesson-goal">
      <h3 id="lesson-goal">{words.goal}</h3>
      <p>
        <Words of={lesson.goal} />
      </p>
      <ul>
        {lesson.conditions.map((condition, i) => {
          const { passed, found } = fresh ? conditions[i] : { passed: undefined, found: "" };
          return (
            <li key={i} class={passed ? "met" : "open"} data-passed={String(passed === true)}>
              <Icon name={passed ? "check" : "dot"} />
              <span>
                <span class="visually-hidden">{passed ? words.reached : words.notYet}</span>
                <Words of={condition} />
                {found && <span class="muted num"> {words.now(found)}</span>}
                {passed === null && <span class="muted"> {words.gone}</span>}
              </span>
            </li>
          );
        })}
      </ul>
      <p class="lesson-state" role="status">
        {met ? words.met : s.errors.value > 0 ? words.broken : fresh ? "" : en.state.editing}
      </p>
    </section>
  );
}

function Help({ lesson }: { lesson: Lesson }) {
  const [hints, setHints] = useState(0);
  const [solved, setSolved] = useState(false);
  const more = hints < lesson.hints.length;
  return (
    <section class="lesson-help" aria-label={words.help}>
      {hints > 0 && (
        <ol id="hints" aria-live="polite">
          {lesson.hints.slice(0, hints).map((hint, i) => (
            <li key={i}>
              <Words of={hint} />
            </li>
          ))}
        </ol>
      )}
      {solved && (
        <div id="solution">
          <h3>{words.solution}</h3>
          <Blocks of={lesson.solution} />
          <button
            type="button"
            class="button"
            id="take-solution"
            onClick={() => loadScenario(lesson.solved, words.solutionOf(lesson.title))}
          >
            {words.take}
          </button>
        </div>
      )}
      <div class="lesson-row">
        {more && (
          <button type="button" class="button" id="hint" onClick={() => setHints(hints + 1)}>
            {words.hint(hints + 1, lesson.hints.length)}
          </button>
        )}
        {!solved && (
          <button type="button" class="button quiet" id="show-solution" onClick={() => setSolved(true)}>
            {words.show}
          </button>
        )}
        <button
          type="button"
          class="button quiet"
          id="restart"
          disabled={s.text.value === lesson.start}
          onClick={() => loadScenario(lesson.start, lesson.title)}
        >
          {words.restart}
        </button>
      </div>
    </section>
  );
}

export function LessonPanel() {
  const lesson = s.lesson.value;
  const [all, setAll] = useState<LessonCard[]>([]);
  const [folded, setFolded] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    fetchLessons().then(setAll, () => undefined);
  }, []);
  useEffect(() => {
    setFolded(false);
    heading.current?.focus();
  }, [lesson]);
  if (!lesson) return null;
  const at = all.findIndex(({ id }) => id === lesson.id);
  const to = (step: number) => all[at + step];
  const go = (card: LessonCard | undefined) => card && void openLesson(card.id);
  const isDone = done.value.includes(lesson.id);
  return (
    <aside class="lesson" id="lesson" aria-labelledby="lesson-heading" data-folded={folded} data-done={isDone}>
      <header class="lesson-head">
        <h2 id="lesson-heading" ref={heading} tabIndex={-1}>
          {lesson.title}
        </h2>
        <span class="muted num">{at >= 0 && words.place(at + 1, all.length)}</span>
        <button
          type="button"
          class="button quiet small lesson-fold"
          aria-expanded={!folded}
          aria-controls="lesson-body"
          onClick={() => setFolded(!folded)}
        >
          {folded ? words.unfold : words.fold}
        </button>
        <button type="button" class="button quiet square" aria-label={words.close} onClick={closeLesson}>
          <Icon name="close" />
        </button>
      </header>
      <div class="lesson-body" id="lesson-body" key={lesson.id} tabIndex={0} role="region" aria-labelledby="lesson-heading">
        <Blocks of={lesson.text} />
        <Goal lesson={lesson} />
        <Help lesson={lesson} />
        <nav class="lesson-row ways" aria-label={words.ways}>
          <button type="button" class="button" disabled={at < 1} onClick={() => go(to(-1))}>
            {words.previous}
          </button>
          <button
            type="button"
            class={isDone ? "button primary" : "button"}
            id="next-lesson"
            disabled={at < 0 || at + 1 === all.length}
            onClick={() => go(to(1))}
          >
            {words.next}
          </button>
        </nav>
      </div>
    </aside>
  );
}
