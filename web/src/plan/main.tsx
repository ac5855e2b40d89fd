// The Plan page: a question, and pipelines that answer it.
import { render } from "preact";
import { followTheme } from "../book/theme";
import { words } from "../text/plan";
import { Form } from "./form";
import { Result } from "./result";
import { repaints, start } from "./state";
import "../styles/tokens.css";
import "../styles/base.css";
import "../styles/controls.css";
import "../styles/plan.css";

followTheme(() => repaints.value++);
void start();
const root = document.getElementById("app") as HTMLElement;
root.replaceChildren();
render(
  <>
    <Form />
    <Result />
  </>,
  root,
);
document.title = `Sluice: ${words.heading.toLowerCase()}`;
