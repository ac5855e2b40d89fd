// The left pane: the text, shown plainly at once and as an editor as soon as the first timeline stands.
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../panels/icon";
import { whenFirstDrawn } from "../state/first_drawn";
import * as s from "../state/store";
import { en } from "../text/en";

export function EditorPane() {
  const host = useRef<HTMLDivElement>(null);
  const [parts, setParts] = useState<{ Problems: ComponentType; QuickControls: ComponentType } | null>(null);
  const mounted = parts !== null;
  useEffect(() => {
    let dispose: (() => void) | null = null;
    let wanted = true;
    whenFirstDrawn()
      .then(() => import("./editor"))
      .then(({ mountEditor, Problems, QuickControls }) => {
        if (!wanted || !host.current) return;
        dispose = mountEditor(host.current);
        setParts({ Problems, QuickControls });
      });
    return () => {
      wanted = false;
      dispose?.();
    };
  }, []);
  return (
    <section class="pane-edit" id="pane-edit" aria-labelledby="edit-heading">
      <h2 class="visually-hidden" id="edit-heading">
        {en.scenario}
      </h2>
      <div class="editor-head">
        <span class="file">{en.file}</span>
        <button
          type="button"
          class="button small"
          id="choose-schedule"
          aria-label={en.chooseSchedule(s.result.value?.facts.schedule || en.schedule)}
          onClick={() => (s.dialog.value = "picker")}
        >
          <Icon name="lanes" />
          {s.result.value?.facts.schedule || en.schedule}
        </button>
      </div>
      {parts && <parts.QuickControls />}
      <div class="editor" id="editor">
        {!mounted && (
          <pre class="editor-plain" tabIndex={0} aria-label={en.editorLabel} role="region">
            {s.text.value}
          </pre>
        )}
        <div class="editor-host" ref={host} hidden={!mounted} />
      </div>
      {parts ? (
        <parts.Problems />
      ) : (
        <div class="problems">
          <h3>{en.noProblems}</h3>
        </div>
      )}
    </section>
  );
}
