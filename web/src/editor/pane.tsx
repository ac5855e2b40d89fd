// The left pane: the text, shown plainly at once and as an editor as soon as the first timeline stands.
import { useEffect, useRef, useState } from "preact/hooks";
import { Problems } from "../panels/problems";
import * as s from "../state/store";
import { en } from "../text/en";

/** When nothing comes of the first run, the editor must not wait for it. */
const LATEST_MS = 1500;

function whenFirstDrawn(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, LATEST_MS);
    const stop = s.phase.subscribe(({ kind }) => {
      if (kind !== "starting" && kind !== "running") requestAnimationFrame(() => setTimeout(done));
    });
    function done() {
      clearTimeout(timer);
      queueMicrotask(() => stop());
      resolve();
    }
  });
}

export function EditorPane() {
  const host = useRef<HTMLDivElement>(null);
  const [mounted, setMounted] = useState(false);
  useEffect(() => {
    let dispose: (() => void) | null = null;
    let wanted = true;
    whenFirstDrawn()
      .then(() => import("./editor"))
      .then(({ mountEditor }) => {
        if (!wanted || !host.current) return;
        dispose = mountEditor(host.current);
        setMounted(true);
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
      </div>
      <div class="editor" id="editor">
        {!mounted && (
          <pre class="editor-plain" tabIndex={0} aria-label={en.editorLabel} role="region">
            {s.text.value}
          </pre>
        )}
        <div class="editor-host" ref={host} hidden={!mounted} />
      </div>
      <Problems />
    </section>
  );
}
