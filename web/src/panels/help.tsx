// Every key there is, by the name on this reader's keyboard where the browser tells.
import { useEffect, useState } from "preact/hooks";
import * as s from "../state/store";
import { later } from "../text/later";
import { Dialog } from "./dialog";

type Keys = [codes: string[], what: string];

const TIMELINE: Keys[] = [
  [["ArrowLeft", "ArrowRight"], "previous and next operation or gap"],
  [["ArrowUp", "ArrowDown"], "the lane above and below"],
  [["Enter"], "details of the selection"],
  [["Shift + ←", "Shift + →"], "move the operation in its rank's order, after Edit order"],
  [["Space"], "play and pause"],
  [["KeyW", "KeyS"], "zoom in and out"],
  [["KeyA", "KeyD"], "move left and right, with Shift farther"],
  [["KeyF"], "fit the selection"],
  [["KeyC"], "dim all but the critical path"],
  [["KeyP"], "pin the run as A, to compare it with what comes next"],
  [["Digit0"], "fit the whole run"],
  [["Ctrl + wheel"], "zoom about the pointer"],
  [["Shift + wheel"], "move left and right; dragging does the same"],
];

const EDITOR: Keys[] = [
  [["Ctrl + Space"], "what can stand here"],
  [["F8", "Shift + F8"], "next and previous problem"],
  [["Shift + Alt + F"], "tidy up blanks and empty lines"],
  [["Ctrl + /"], "comment or uncomment"],
  [["Ctrl + Z"], "undo, also across scenarios loaded from the gallery"],
  [["Escape, Tab"], "leave the editor"],
];

const ANYWHERE: Keys[] = [
  [["Ctrl + Enter"], "run"],
  [["Ctrl + S"], "save the scenario as a file"],
];

const NAMES: Record<string, string> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
};

interface Layout {
  get(code: string): string | undefined;
}
interface KeyboardApi {
  getLayoutMap(): Promise<Layout>;
}

/** The letters of this keyboard: the keys work by place, so their names differ from layout to layout. */
function useLayout(): Layout | null {
  const [layout, setLayout] = useState<Layout | null>(null);
  useEffect(() => {
    const keyboard = (navigator as { keyboard?: KeyboardApi }).keyboard;
    keyboard?.getLayoutMap().then(setLayout, () => undefined);
  }, []);
  return layout;
}

function List({ heading, keys, layout }: { heading: string; keys: Keys[]; layout: Layout | null }) {
  const nameOf = (code: string) =>
    NAMES[code] ?? (layout?.get(code)?.toUpperCase() || code.replace(/^(Key|Digit)/, ""));
  return (
    <section>
      <h3>{heading}</h3>
      <dl class="keys">
        {keys.map(([codes, what]) => (
          <div key={what}>
            <dt>
              {codes.map((code) => (
                <kbd key={code}>{nameOf(code)}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function Help() {
  const layout = useLayout();
  return (
    <Dialog id="help" heading={later.helpHeading} note={later.helpIntro}>
      <div class="dialog-body help-body" tabIndex={0} role="region" aria-label={later.helpHeading}>
        <List heading={later.helpTimeline} keys={TIMELINE} layout={layout} />
        <div>
          <List heading={later.helpEditor} keys={EDITOR} layout={layout} />
          <List heading={later.helpAnywhere} keys={ANYWHERE} layout={layout} />
          <p>
            <a class="help-link" href="plan.html" target="_blank" rel="noopener">
              {later.helpPlan}
            </a>{" "}
            <a class="help-link" href="docs/schedules.html" target="_blank" rel="noopener">
              {later.helpBook}
            </a>{" "}
            <a class="help-link" href="docs/" target="_blank" rel="noopener">
              {later.helpDocs}
            </a>
          </p>
          <p class="muted">{later.helpVersion(s.engine.value)}</p>
        </div>
      </div>
    </Dialog>
  );
}
