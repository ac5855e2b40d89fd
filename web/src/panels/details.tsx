// The tabs below the timeline. What they hold comes in a chunk of its own, after the first picture.
import { useEffect, useRef, useState } from "preact/hooks";
import * as s from "../state/store";
import { en } from "../text/en";

interface Tab {
  id: s.DetailTab;
  label: string;
}

type Panels = typeof import("./detail_panels").panels;

function usePanels(): Panels | null {
  const [loaded, setLoaded] = useState<Panels | null>(null);
  useEffect(() => {
    let wanted = true;
    import("./detail_panels").then(({ panels }) => wanted && setLoaded(panels));
    return () => void (wanted = false);
  }, []);
  return loaded;
}

export function Details() {
  const list = useRef<HTMLDivElement>(null);
  const panels = usePanels();
  const result = s.result.value;
  const hasMemory = result !== null && result.facts.peaks.length > 0;
  const tabs: Tab[] = [
    { id: "inspector", label: en.inspector },
    ...(hasMemory ? [{ id: "memory" as const, label: en.memory }] : []),
    ...(result ? [{ id: "log" as const, label: en.log }] : []),
  ];
  const chosen = tabs.some((tab) => tab.id === s.detailTab.value) ? s.detailTab.value : "inspector";

  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    s.detailTab.value = next.id;
    list.current?.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  };

  return (
    <section class="details" id="details" aria-labelledby="details-heading">
      <h3 class="visually-hidden" id="details-heading">
        {en.details}
      </h3>
      <div class="tabs" role="tablist" aria-label={en.details} ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ id, label }) => (
          <button
            key={id}
            role="tab"
            type="button"
            id={`tab-${id}`}
            aria-controls={`panel-${id}`}
            aria-selected={id === chosen}
            tabIndex={id === chosen ? 0 : -1}
            onClick={() => (s.detailTab.value = id)}
          >
            {label}
          </button>
        ))}
      </div>
      {tabs.map(({ id }) => {
        const Panel = panels?.[id];
        return (
          <div
            key={id}
            class="panel"
            id={`panel-${id}`}
            role="tabpanel"
            aria-labelledby={`tab-${id}`}
            tabIndex={0}
            hidden={id !== chosen}
          >
            {id === chosen && result && Panel && <Panel />}
          </div>
        );
      })}
    </section>
  );
}
