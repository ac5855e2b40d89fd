// What was played, by which engine, under which hashes, and the scenario as the engine understood it.
import * as s from "../state/store";
import { en } from "../text/en";
import { later } from "../text/later";
import { time } from "../text/format";

export function Log() {
  const result = s.result.value;
  if (!result) return null;
  const { facts, trace, plan } = result;
  const lines = later.logLines;
  const operations = trace.offsets[trace.devices];
  const entries = [
    lines.engine(facts.engine || s.engine.value),
    lines.plan(facts.schedule, operations, trace.devices),
    lines.transfers(trace.start.length - operations, trace.lanes - trace.devices),
    facts.lowerBoundMs === null ? "" : lines.lower(time(facts.lowerBoundMs * 1e9)),
    lines.scenarioHash(facts.scenarioHash),
    lines.traceHash(facts.traceHash),
    lines.took(result.milliseconds.toFixed(1)),
    ...s.diagnostics.value.map((d) => `${d.line}:${d.column} ${en.severity[d.severity]}: ${d.message} [${d.code}]`),
  ].filter(Boolean);
  return (
    <>
      <ol class="log" data-trace-hash={facts.traceHash} data-batches={plan.batches}>
        {entries.map((entry) => (
          <li key={entry}>{entry}</li>
        ))}
      </ol>
      <details class="resolved">
        <summary>{later.logResolved}</summary>
        <pre>{result.resolved}</pre>
      </details>
    </>
  );
}
