// Where the page starts: the worker first, so that the module loads while the rest is drawn.
import { render } from "preact";
import { App } from "./app";
import { startRuns, startWorker } from "./state/run";
import { startSource } from "./state/source";
import * as s from "./state/store";
import { startTheme } from "./state/theme";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/shell.css";
import "./styles/editor.css";
import "./styles/results.css";
import "./styles/timeline.css";
import "./styles/details.css";
import "./styles/floats.css";
import "./styles/embed.css";
import "./styles/narrow.css";

startWorker();
startTheme();
const { text, view, auto } = await startSource();
s.text.value = text;
document.body.dataset.state = s.embedded ? "embed" : "default";
document.body.dataset.tab = s.phoneTab.value;
startRuns({ auto, view });
const root = document.getElementById("app") as HTMLElement;
root.replaceChildren();
render(<App />, root);
