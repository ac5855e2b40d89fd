// Light or dark on the pages beside the app: as the address or the reader's last choice in the app says, else as the
// system does.
function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`sluice:${name}`);
  } catch {
    return null;
  }
}

/** `repaint` is called whenever colours have changed, for what is painted on canvas. */
export function followTheme(repaint: () => void): void {
  const theme = new URLSearchParams(location.search).get("theme") ?? remembered("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  const forced = matchMedia("(forced-colors: active)");
  const follow = () => (forced.matches ? void import("../styles/forced.css").then(repaint) : repaint());
  forced.addEventListener("change", follow);
  if (forced.matches) follow();
}
