// A plan as it lies on the cluster: nodes with what their devices hold, and each pipeline as a chain of its stages, as
// wide as they take time. What a stage is can be had in words, one by one or as a table.
import { signal } from "@preact/signals";
import { percent } from "../text/format";
import { words } from "../text/plan";
import { moveLayer } from "./edit";
import { deviceName } from "./question";
import { type ClusterRow, clusterOf, EDIT, isOver, type Pipeline, type Shown, type Stage } from "./report";
import { gib, nameOf, ofMs, spelled } from "./say";
import { cluster, edit } from "./state";

/** The stage that is looked at: plan, pipeline, stage. */
const looked = signal("");
/** The one under the pointer, or with the focus. */
const pointed = signal("");

/** Colours go round. */
const COLOURS = 8;
const hue = (pipeline: number) => `hue-${pipeline % COLOURS}`;
/** Later stages are paler. */
const shade = (stage: number, all: number) => ({ "--shade": `${(stage / Math.max(1, all - 1)) * 60}%` });
const keyOf = (id: string, pipeline: number, stage: number) => [id, pipeline, stage].join();

function Row({ row, plan }: { row: ClusterRow; plan: Shown }) {
  const type = deviceName(row.gpu);
  return (
    <div class="plan-row">
      <h3>
        {type} <span class="muted">{words.nodesOf(row.nodes.length, row.devices)}</span>
      </h3>
      <ul class="plan-nodes">
        {row.nodes.map((holds, n) => {
          const held = holds.map(({ pipeline, stage }) => `${words.pipeline(pipeline)}.${stage}`);
          return (
            <li key={n} class="plan-node" title={words.node(type, n, held.join(", "))}>
              {holds.map(({ pipeline, stage, devices }, i) => (
                <span
                  key={i}
                  class={`plan-hold ${hue(pipeline)}${pointed.value === keyOf(plan.id, pipeline, stage) ? " on" : ""}`}
                  style={{ ...shade(stage, plan.pipelines[pipeline].stages.length), "--n": devices }}
                >
                  <span class="num">{held[i]}</span>
                  <span class="plan-chips" aria-hidden="true">
                    {Array.from({ length: devices }, (_, d) => (
                      <i key={d} />
                    ))}
                  </span>
                </span>
              ))}
              {holds.length === 0 && <span class="muted">{words.unused}</span>}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** "LN1+AD" may break behind each sign. */
const breakable = (label: string) => label.split(/(?<=[+ ])/).flatMap((part) => [part, <wbr />]);

interface StageProps {
  plan: Shown;
  p: number;
  s: number;
  stage: Stage;
}

function StageBox({ plan, p, s, stage }: StageProps) {
  const key = keyOf(plan.id, p, s);
  const { stages } = plan.pipelines[p];
  const over = isOver(stage);
  const share = stage.memory_GiB / stage.device_memory_GiB;
  const needs = words.memory(gib(stage.memory_GiB), gib(stage.device_memory_GiB));
  const move = (by: -1 | 1, name: string) => (
    <button
      type="button"
      class="button small"
      aria-label={name}
      title={name}
      disabled={!moveLayer(plan, p, s, by)}
      onClick={() => edit(moveLayer(plan, p, s, by))}
    >
      {by < 0 ? "◂" : "▸"}
    </button>
  );
  const point = () => (pointed.value = key);
  return (
    <li class={`plan-stage ${hue(p)}`} style={{ "--ms": stage.time_ms }} onMouseEnter={point} onMouseLeave={() => (pointed.value = "")}>
      <button
        type="button"
        aria-expanded={looked.value === key}
        onFocus={point}
        onClick={() => (looked.value = looked.value === key ? "" : key)}
      >
        <span class="plan-band num" style={shade(s, stages.length)}>
          {`p${p}.${s}`}
        </span>
        <span>
          {stage.devices} × {deviceName(stage.gpu)}
        </span>
        <span>{words.layers(stage.layers)}</span>
        <span class="muted">{words.split(stage.tensor_parallel, stage.data_parallel)}</span>
        {stage.recompute !== "none" && <span class="muted again">↻ {breakable(stage.recompute)}</span>}
        <strong class="num">{ofMs(stage.time_ms)}</strong>
        <span class={`plan-bar${over ? " over" : ""}`} style={{ "--share": Math.min(1, share) }} />
        <span class={`num need${over ? " over" : ""}`}>{needs}</span>
        {over && <strong class="num more over">{words.over(gib(stage.memory_GiB - stage.device_memory_GiB))}</strong>}
      </button>
      {plan.id === EDIT && (
        <span class="plan-moves">
          {move(-1, words.moveBack(s))}
          {move(1, words.moveOn(s))}
        </span>
      )}
    </li>
  );
}

function Detail({ stage }: { stage: Stage }) {
  const { detail } = words;
  const forward = stage.forward_ms;
  const rows = [
    [detail.devices, `${stage.devices} × ${deviceName(stage.gpu)}, ${words.layers(stage.layers)}`],
    [detail.split, detail.splitOf(stage.tensor_parallel, stage.data_parallel)],
    [detail.again, spelled(stage.recompute)],
    [
      detail.time,
      detail.timeOf(
        ofMs(stage.time_ms),
        forward === undefined ? "" : ofMs(forward),
        forward === undefined ? "" : ofMs(stage.time_ms - forward),
      ),
    ],
    [
      detail.memory,
      detail.memoryOf(
        gib(stage.memory_GiB),
        gib(stage.device_memory_GiB),
        percent(stage.memory_GiB / stage.device_memory_GiB, 0),
      ),
    ],
  ];
  return (
    <dl class="plan-detail">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Chain({ plan, p, pipeline }: { plan: Shown; p: number; pipeline: Pipeline }) {
  const { stages } = pipeline;
  const at = stages.findIndex((_, s) => looked.value === keyOf(plan.id, p, s));
  return (
    <div class="plan-pipeline">
      <h3>
        <span class={`swatch ${hue(p)}`} aria-hidden="true" /> {words.pipeline(p)}{" "}
        <span class="muted num">
          {words.batchOf(pipeline.local_batch, pipeline.microbatches, pipeline.micro_batch_size, ofMs(pipeline.iteration_ms))}
        </span>
      </h3>
      <ol class="plan-chain" aria-label={words.stages(p)}>
        {stages.map((stage, s) => (
          <StageBox key={s} plan={plan} p={p} s={s} stage={stage} />
        ))}
      </ol>
      {at >= 0 && <Detail stage={stages[at]} />}
    </div>
  );
}

function Twin({ plan }: { plan: Shown }) {
  return (
    <details class="plan-twin">
      <summary>{words.table}</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label={`${nameOf(plan.id)}, ${words.table}`}>
        <table class="data">
          <thead>
            <tr>
              {words.columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {plan.pipelines.flatMap(({ stages }, p) =>
              stages.map((stage, s) => {
                const { forward_ms: forward, time_ms: both } = stage;
                return (
                  <tr key={keyOf("", p, s)}>
                    <th scope="row">{words.pipeline(p)}</th>
                    <td>{s}</td>
                    <td>
                      {stage.devices} × {deviceName(stage.gpu)}
                    </td>
                    <td>{stage.tensor_parallel}</td>
                    <td>{stage.data_parallel}</td>
                    <td>{stage.layers}</td>
                    <td>{stage.recompute}</td>
                    <td>{forward === undefined ? "–" : ofMs(forward)}</td>
                    <td>{forward === undefined ? "–" : ofMs(both - forward)}</td>
                    <td class={isOver(stage) ? "over" : ""}>{gib(stage.memory_GiB)}</td>
                    <td>{gib(stage.device_memory_GiB)}</td>
                  </tr>
                );
              }),
            )}
          </tbody>
        </table>
      </div>
    </details>
  );
}

export function Drawing({ plan }: { plan: Shown }) {
  return (
    <>
      <div class="plan-rows" role="group" aria-label={words.clusterOf}>
        {clusterOf(cluster.value, plan).map((row, i) => (
          <Row key={i} row={row} plan={plan} />
        ))}
      </div>
      {plan.pipelines.map((pipeline, p) => (
        <Chain key={p} plan={plan} p={p} pipeline={pipeline} />
      ))}
      <Twin plan={plan} />
    </>
  );
}
