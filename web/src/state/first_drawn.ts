// When the first picture stands: what is not part of it is fetched after that.
import * as s from "./store";

/** When nothing comes of the first run, the rest must not wait for it. */
const LATEST_MS = 1500;

export function whenFirstDrawn(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, LATEST_MS);
    const stop = s.phase.subscribe(({ kind }) => {
      if (kind !== "starting" && kind !== "running") requestAnimationFrame(() => setTimeout(done));
    });
    function done() {
      clearTimeout(timer);
      queueMicrotask(() => stop());
      resolve();
    }
  });
}
