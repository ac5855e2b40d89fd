// A component that is fetched when it is first wanted.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

export function Lazy({ load }: { load: () => Promise<ComponentType> }) {
  const [Loaded, setLoaded] = useState<{ component: ComponentType } | null>(null);
  useEffect(() => {
    let wanted = true;
    load().then((component) => wanted && setLoaded({ component }));
    return () => void (wanted = false);
  }, []);
  return Loaded ? <Loaded.component /> : null;
}
