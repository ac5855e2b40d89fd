// What the worker says of memory and links over the visible range: asked anew when the range, the run or the question
// changes, one question at a time, the newest next.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Series, SeriesRequest } from "../worker/protocol";
import { worker } from "./run";
import * as s from "./store";

/** The newest answer, or null before the first. Between a question and its answer the last one stays. */
export function useSeries<T extends Series>(ask: SeriesRequest | null): T | null {
  const [answer, setAnswer] = useState<T | null>(null);
  const key = JSON.stringify(ask);
  const wanted = useRef<{ ask: SeriesRequest | null } | null>(null);
  wanted.current = useMemo(() => ({ ask }), [key, s.result.value]);
  const asking = useRef(false);
  useEffect(() => () => void (wanted.current = null), []);
  useEffect(() => {
    if (asking.current) return;
    asking.current = true;
    void (async () => {
      for (let done = null; wanted.current && done !== wanted.current; ) {
        done = wanted.current;
        const { ask: now } = done;
        const reply = now && (await worker().ask((id) => ({ type: "series", id, ask: now })).catch(() => null));
        if (wanted.current && reply?.type === "series" && reply.series) setAnswer(reply.series as T);
      }
      asking.current = false;
    })();
  }, [wanted.current]);
  return answer;
}
