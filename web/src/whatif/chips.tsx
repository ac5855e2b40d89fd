// What the step would take if one thing were otherwise: played again in the second worker, one question after another.
import { useEffect, useState } from "preact/hooks";
import { whenIdle } from "../state/idle";
import * as s from "../state/store";
import { time } from "../text/format";
import { later } from "../text/later";
import { aside } from "../worker/aside";
import { type Question, questionsOf } from "./questions";

const CAP = 200_000;
/** A reader who walks through the timeline asks nothing yet. */
const PATIENCE_MS = 250;
/** Nor do these come before what is still being fetched. */
const LATEST_MS = 2000;

/** Milliseconds, or null for what cannot be answered. */
type Answer = number | null;

/** Answers of a run, by question. */
const known = new WeakMap<s.Result, Map<string, Answer>>();

async function ask({ text, set }: Pick<Question, "text" | "set">, signal: AbortSignal): Promise<Answer> {
  const reply = await aside().ask({ type: "probe", text, set, cap: CAP }, signal);
  if (reply?.type !== "result") return null;
  return (reply.result.summary.time_ms as { makespan_ms: number }).makespan_ms;
}

/** Questions of a selection, asked when the page has time for them, and what is known of their answers. */
function useAnswered(result: s.Result, selection: s.Selection, stale: boolean): [Question, number][] {
  const [found, setFound] = useState<{ of: s.Result; questions: Question[] }>({ of: result, questions: [] });
  let answers = known.get(result);
  if (!answers) known.set(result, (answers = new Map()));
  const own = answers;
  useEffect(() => {
    if (stale || result.trace.start.length > CAP) return;
    const calling = new AbortController();
    const timer = setTimeout(async () => {
      await whenIdle(LATEST_MS);
      if (calling.signal.aborted) return;
      const questions = questionsOf(result, selection);
      setFound({ of: result, questions });
      // The resolved text has to be the run that is shown, or its variants say nothing about it.
      for (const question of [{ id: "", text: result.resolved, set: {} }, ...questions]) {
        if (own.has(question.id)) continue;
        if (question.id !== "" && own.get("") !== result.facts.stepMs) return;
        const answer = await ask(question, calling.signal);
        if (calling.signal.aborted) return;
        own.set(question.id, answer);
        setFound({ of: result, questions });
      }
    }, PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      calling.abort();
    };
  }, [result, selection, stale]);
  if (stale || found.of !== result) return [];
  return found.questions.flatMap((question): [Question, number][] => {
    const answer = own.get(question.id);
    return answer == null ? [] : [[question, answer]];
  });
}

function Gain({ ms, now }: { ms: number; now: number }) {
  const change = ms - now;
  if (Math.abs(change) < now * 1e-6) return <span class="muted">{later.whatIf.nothing}</span>;
  const better = change < 0;
  return (
    <span class={better ? "better" : "worse"}>
      <span aria-hidden="true">{better ? "▼" : "▲"}</span>{" "}
      {later.whatIf.gain(time(Math.abs(change) * 1e9), better)}
    </span>
  );
}

export function WhatIf({ result, selection }: { result: s.Result; selection: s.Selection }) {
  const answered = useAnswered(result, selection, s.stale.value);
  const now = result.facts.stepMs;
  if (now === null || answered.length === 0) return null;
  return (
    <section class="what-if" aria-label={later.whatIf.heading}>
      <h4>{later.whatIf.heading}</h4>
      <ul>
        {answered.map(([{ id, label }, ms]) => (
          <li key={id} class="chip">
            {label} <strong class="num"><Gain ms={ms} now={now} /></strong>
          </li>
        ))}
      </ul>
    </section>
  );
}
