// Keeps the site for times without a network. A new version is told, and taken when the reader says so.
import { whenIdle } from "../state/idle";
import * as s from "../state/store";
import { later } from "../text/later";

const LATEST_MS = 3000;

let offered = false;

/** Tells that a version is waiting; only a page that another version serves has something to be replaced. */
function offer(registration: ServiceWorkerRegistration): void {
  if (offered || !registration.waiting || !navigator.serviceWorker.controller) return;
  offered = true;
  // What is being said, an offer of the last draft perhaps, may not be taken away.
  const stop = s.toast.subscribe((toast) => {
    if (toast) return;
    queueMicrotask(() => {
      stop();
      s.toast.value = {
        text: later.newVersion,
        action: { label: later.reload, run: () => registration.waiting?.postMessage("take-over") },
      };
    });
  });
}

export async function keepOffline(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  // Keeping the site means fetching all of it: after everything that the reader came for.
  await whenIdle(LATEST_MS);
  const had = navigator.serviceWorker.controller !== null;
  navigator.serviceWorker.addEventListener("controllerchange", () => had && location.reload());
  // Private windows and some hosts refuse: the page works without.
  const registration = await navigator.serviceWorker.register("sw.js", { updateViaCache: "none" }).catch(() => null);
  if (!registration) return;
  offer(registration);
  registration.addEventListener("updatefound", () =>
    registration.installing?.addEventListener("statechange", () => offer(registration)),
  );
}
