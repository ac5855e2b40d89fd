// Light, dark or as the system says. The attribute on <html> sets `color-scheme`; tokens.css does the rest.
import { signal } from "@preact/signals";
import { read, write } from "./storage";

export type Theme = "auto" | "light" | "dark";
const ORDER: Theme[] = ["auto", "light", "dark"];

const wanted = new URLSearchParams(location.search).get("theme") ?? read("theme");
export const theme = signal<Theme>(ORDER.find((t) => t === wanted) ?? "auto");
/** Counts up whenever colours changed, for what is painted on canvas. */
export const paletteVersion = signal(0);

function apply(): void {
  if (theme.value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
  paletteVersion.value++;
}

export function startTheme(): void {
  apply();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  const forced = matchMedia("(forced-colors: active)");
  const follow = () => (forced.matches ? void import("../styles/forced.css").then(apply) : apply());
  forced.addEventListener("change", follow);
  if (forced.matches) follow();
}

export function nextTheme(): void {
  theme.value = ORDER[(ORDER.indexOf(theme.value) + 1) % ORDER.length];
  write("theme", theme.value === "auto" ? null : theme.value);
  apply();
}
