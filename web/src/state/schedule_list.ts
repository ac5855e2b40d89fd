// The schedules the module knows, read once.
import { signal } from "@preact/signals";
import { worker } from "./run";
import type { ScheduleInfo } from "./schedules";

export const schedules = signal<ScheduleInfo[]>([]);

let asked = false;
export function loadSchedules(): void {
  if (asked) return;
  asked = true;
  worker()
    .schedules()
    .then((text) => {
      if (text) schedules.value = JSON.parse(text) as ScheduleInfo[];
      else asked = false;
    })
    .catch(() => void (asked = false));
}
