// Long work that a form starts: its button, and how far it is.
import { en } from "../text/en";

interface ButtonProps {
  /** Ids are this with "-start" and "-cancel" behind it. */
  id: string;
  running: boolean;
  start: string;
  cancel: string;
  onCancel(): void;
}

/** Two buttons, not one that changes: a press that began on Cancel must not start anew. */
export const WorkButton = ({ id, running, start, cancel, onCancel }: ButtonProps) =>
  running ? (
    <button key="cancel" type="button" class="button" id={`${id}-cancel`} onClick={onCancel}>
      {cancel}
    </button>
  ) : (
    <button key="start" type="submit" class="button primary" id={`${id}-start`}>
      {start}
    </button>
  );

interface ProgressProps {
  name: string;
  done: number;
  /** 0 where it is not known yet. */
  total: number;
  /** When it began, as performance.now() counts. */
  since: number;
  text: string;
}

export function WorkProgress({ name, done, total, since, text }: ProgressProps) {
  const spent = (performance.now() - since) / 1000;
  return (
    <p class="run-state busy">
      <progress max={total || 1} value={done} aria-label={name} />
      <span class="num">{text}</span>
      {done > 0 && <span class="muted">{en.left((spent * Math.max(0, total - done)) / done)}</span>}
    </p>
  );
}
