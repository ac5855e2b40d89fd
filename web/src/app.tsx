// The page's frame. Which parts show in which form (wide, narrow, embedded) is the style sheets' business.
import { useEffect } from "preact/hooks";
import { EditorPane } from "./editor/pane";
import { BottomTabs } from "./panels/bottom_tabs";
import { Details } from "./panels/details";
import { EmbedBar } from "./panels/embed_bar";
import { Insight } from "./panels/insight";
import { Lazy } from "./panels/lazy";
import { Splitter } from "./panels/splitter";
import { Tiles } from "./panels/tiles";
import { Timeline } from "./panels/timeline";
import { Notice, Toast } from "./panels/toast";
import { TopBar } from "./panels/topbar";
import * as s from "./state/store";
import { en } from "./text/en";

const loadLesson = () => import("./lesson/panel").then((m) => m.LessonPanel);
const loadDialogs = () => import("./panels/dialogs").then((m) => m.Dialogs);

function BodyState() {
  const stale = s.stale.value || s.errors.value > 0;
  const error = s.errors.value > 0;
  const tab = s.phoneTab.value;
  useEffect(() => {
    document.body.classList.toggle("stale", stale && s.result.peek() !== null);
    document.body.dataset.state = s.embedded ? "embed" : error ? "error" : "default";
    document.body.dataset.tab = tab;
  }, [stale, error, tab]);
  return null;
}

const Announcer = () => (
  <p class="visually-hidden" role="status" id="announcer">
    {s.announcement.value}
  </p>
);

function Embedded() {
  return (
    <>
      <EmbedBar />
      <main class="workspace" id="workspace">
        <h1 class="visually-hidden">{en.heading}</h1>
        <section class="pane-view" id="results" aria-label={en.results}>
          <Timeline />
        </section>
      </main>
    </>
  );
}

function Whole() {
  return (
    <>
      <a class="skip" href="#results" onClick={skipToResults}>
        {en.skip}
      </a>
      <TopBar />
      <main class="workspace" id="workspace">
        <h1 class="visually-hidden">{en.heading}</h1>
        <EditorPane />
        <Splitter name="left" label={en.editorWidth} controls="pane-edit" min={20} max={60} initial={32} />
        <section class="pane-view" id="results" aria-labelledby="results-heading" tabIndex={-1}>
          <h2 class="visually-hidden" id="results-heading">
            {en.results}
          </h2>
          <Notice />
          <Insight />
          <Tiles />
          <Timeline />
          <Splitter name="bottom" label={en.detailsHeight} controls="details" min={15} max={60} initial={34} />
          <Details />
        </section>
      </main>
      {s.lesson.value && <Lazy load={loadLesson} />}
      <BottomTabs />
      <Toast />
      {s.dialog.value && <Lazy load={loadDialogs} />}
    </>
  );
}

/** The hash belongs to shared scenarios, so the link moves the focus without changing the address. */
function skipToResults(event: Event): void {
  event.preventDefault();
  s.phoneTab.value = "timeline";
  document.getElementById("results")?.focus();
}

export const App = () => (
  <>
    <BodyState />
    {s.embedded ? <Embedded /> : <Whole />}
    <Announcer />
  </>
);
