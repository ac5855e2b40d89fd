// Work that nobody waits for: done when the browser has nothing else to do.

/** Resolves when the page is idle, at the latest after `latest` ms. */
export const whenIdle = (latest: number): Promise<void> =>
  new Promise((resolve) => {
    if ("requestIdleCallback" in window) window.requestIdleCallback(() => resolve(), { timeout: latest });
    else setTimeout(resolve, latest);
  });
