// The bar at the top: what this is, the run button with its state, and what can be done with a scenario.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { exportItems } from "../export/menu";
import { runNow, stop } from "../state/run";
import { setTitle, titleOf } from "../state/source";
import * as s from "../state/store";
import { nextTheme, theme } from "../state/theme";
import { en } from "../text/en";
import { percent } from "../text/format";
import { Icon } from "./icon";
import { Menu } from "./menu";

function RunState() {
  const phase = s.phase.value;
  if (s.errors.value > 0 && phase.kind !== "running") {
    return (
      <div class="run-state bad">
        <Icon name="error" />
        {en.errors(s.errors.value)}
      </div>
    );
  }
  if (phase.kind === "running") {
    if (!phase.visible) {
      return <div class="run-state busy">{s.result.value ? en.state.editing : en.state.starting}</div>;
    }
    const share = phase.total > 0 ? phase.done / phase.total : 0;
    const spent = (performance.now() - phase.since) / 1000;
    return (
      <div class="run-state busy">
        <progress max={100} value={share * 100} aria-label={en.run} />
        <span class="num">{percent(share, 0)}</span>
        {share > 0.02 && <span class="muted long">{en.left((spent * (1 - share)) / share)}</span>}
      </div>
    );
  }
  if (phase.kind === "done") {
    if (s.stale.value) return <div class="run-state">{en.state.editing}</div>;
    return (
      <div class="run-state done">
        <Icon name="check" />
        {en.state.done}
      </div>
    );
  }
  if (phase.kind === "error") return <div class="run-state" />;
  return <div class="run-state">{en.state[phase.kind]}</div>;
}

function RunButton() {
  const phase = s.phase.value;
  const running = phase.kind === "running" && phase.visible;
  if (running) {
    return (
      <button id="run" class="button primary" type="button" onClick={stop}>
        <Icon name="stop" />
        <span>{en.stop}</span>
      </button>
    );
  }
  const unavailable = phase.kind === "unavailable";
  return (
    <button id="run" class="button primary" type="button" disabled={unavailable} onClick={() => runNow(true)}>
      <Icon name="run" />
      <span>{en.run}</span>
    </button>
  );
}

/** Typed freely; written into the text when it is left or Enter is pressed. */
function TitleField() {
  const typed = useSignal<string | null>(null);
  const title = titleOf(s.text.value);
  useEffect(() => {
    document.title = title ? `Sluice: ${title}` : "Sluice";
  }, [title]);
  const commit = () => {
    if (typed.value !== null) setTitle(typed.value);
    typed.value = null;
  };
  return (
    <label class="title-field">
      <span class="visually-hidden">{en.scenarioTitle}</span>
      <input
        id="title"
        type="text"
        value={typed.value ?? title}
        placeholder={en.untitled}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => (typed.value = event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
          if (event.key === "Escape") {
            typed.value = null;
            event.currentTarget.value = title;
          }
        }}
      />
    </label>
  );
}

const open = (name: s.DialogName) => () => (s.dialog.value = name);

export function TopBar() {
  const themeName = en.theme(theme.value);
  return (
    <header class="topbar">
      <a class="brand" href="?" aria-label={en.startPage}>
        <Icon name="logo" className="logo" />
        <span class="wordmark">sluice</span>
      </a>
      <TitleField />
      <div class="run-group">
        <RunButton />
        <RunState />
      </div>
      <nav class="actions" aria-label={en.actions}>
        <button class="button quiet" type="button" onClick={open("gallery")}>
          <Icon name="grid" />
          {en.gallery}
        </button>
        <button class="button quiet" type="button" onClick={open("learn")}>
          <Icon name="learn" />
          {en.learn}
        </button>
        <button class="button quiet" type="button" onClick={open("share")}>
          <Icon name="share" />
          {en.share}
        </button>
        <Menu label={en.export} icon="export" className="button quiet" items={exportItems()} />
        <span class="rule" aria-hidden="true" />
        <button
          id="theme"
          class="button quiet square"
          type="button"
          aria-label={themeName}
          title={themeName}
          onClick={nextTheme}
        >
          <Icon name="theme" />
        </button>
        <button class="button quiet square" type="button" aria-label={en.help} title={en.help} onClick={open("help")}>
          <Icon name="help" />
        </button>
      </nav>
      <div class="more">
        <Menu
          label={en.more}
          icon="more"
          iconOnly
          className="button quiet square"
          items={[
            { label: en.gallery, icon: "grid", run: open("gallery") },
            { label: en.learn, icon: "learn", run: open("learn") },
            { label: en.share, icon: "share", run: open("share") },
            ...exportItems(),
            { label: themeName, icon: "theme", run: nextTheme },
            { label: en.help, icon: "help", run: open("help") },
          ]}
        />
      </div>
    </header>
  );
}
