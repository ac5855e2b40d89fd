// What the page remembers on this machine: sizes, theme, the last draft, and which link was being run.
// An embedded page writes nothing; a browser that refuses storage changes nothing else.
import { embedded } from "./store";

const PREFIX = "sluice:";

export function read(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function write(name: string, value: string | null): void {
  if (embedded) return;
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // Private windows and full disks: the page works without.
  }
}
