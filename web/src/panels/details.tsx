// The tabs below the timeline. What they hold comes in a chunk of its own, after the first picture.
import { useEffect, useRef, useState } from "preact/hooks";
import * as s from "../state/store";
import { en } from "../text/en";

const TABS = Object.keys(en.tabs) as s.DetailTab[];

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
  const holds = (id: s.DetailTab): boolean => {
    if (!result || id === "inspector") return id === "inspector";
    if (id === "memory") return result.facts.peaks.length > 0;
    return id !== "links" || result.trace.lanes > result.trace.devices;
  };
  const tabs = TABS.filter(holds);
  const chosen = tabs.includes(s.detailTab.value) ? s.detailTab.value : "inspector";

  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.indexOf(chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    s.detailTab.value = next;
    list.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };

  return (
    <section class="details" id="details" aria-labelledby="details-heading">
      <h3 class="visually-hidden" id="details-heading">
        {en.details}
      </h3>
      <div class="tabs" role="tablist" aria-label={en.details} ref={list} onKeyDown={onKeyDown}>
        {tabs.map((id) => (
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
            {en.tabs[id]}
          </button>
        ))}
      </div>
      {tabs.map((id) => {
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
