// What was found in the text, each with its place and, where there is one, the edit that mends it.
import { applyFix, jump } from "../state/source";
import * as s from "../state/store";
import { en } from "../text/en";
import type { Diagnostic } from "../worker/protocol";
import { Icon } from "./icon";

/** The module writes messages as compilers do; here they stand alone, so they begin like a sentence. */
const sentence = (text: string): string => (/^[a-z][a-z]* /.test(text) ? text[0].toUpperCase() + text.slice(1) : text);

/** Names between backticks as code. */
const Words = ({ text }: { text: string }) => (
  <>{text.split("`").map((part, i) => (i % 2 ? <code key={part}>{part}</code> : part))}</>
);

const go = (d: Diagnostic) => {
  if (d.line > 0) jump.value = { line: d.line, column: d.column };
};

function Problem({ d }: { d: Diagnostic }) {
  const current = s.checkedText.value === s.text.value;
  return (
    <li class={d.severity}>
      <button type="button" class="problem" onClick={() => go(d)}>
        <Icon name={d.severity === "error" ? "error" : "warning"} />
        <span class="problem-text">
          <span class="visually-hidden">{en.severity[d.severity]}: </span>
          <Words text={sentence(d.message)} />
          {d.hint && (
            <span class="problem-hint">
              <Words text={sentence(d.hint)} />
            </span>
          )}
        </span>
        {d.line > 0 && (
          <span class="problem-place num">
            {d.line}:{d.column}
          </span>
        )}
      </button>
      {d.fix && d.line > 0 && (
        <button
          type="button"
          class="button small"
          disabled={!current}
          aria-label={`${en.fix(d.fix)}: ${sentence(d.message)}`}
          onClick={() => applyFix(d)}
        >
          {en.fix(d.fix)}
        </button>
      )}
    </li>
  );
}

export function Problems() {
  const all = s.diagnostics.value;
  const number = (severity: Diagnostic["severity"]) => all.filter((d) => d.severity === severity).length;
  const parts = [
    number("error") && en.errors(number("error")),
    number("warning") && en.warnings(number("warning")),
    number("info") && en.notes(number("info")),
  ].filter(Boolean);
  return (
    <section class="problems" aria-labelledby="problems-heading">
      <h3 id="problems-heading">
        {parts.length > 0 ? parts.join(", ") : en.noProblems}
        {all.length > 0 && <kbd>F8</kbd>}
      </h3>
      {all.length > 0 && (
        <ul id="problem-list">
          {all.map((d, i) => (
            <Problem d={d} key={`${i}/${d.code}`} />
          ))}
        </ul>
      )}
    </section>
  );
}
