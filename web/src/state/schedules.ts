// What the module says of a schedule: its family, parameters and what it asks of a scenario.
export interface Parameter {
  name: string;
  type: string;
  /** May speak of the scenario: "ranks", "ranks - 1". */
  default: string;
  range: [number, number];
  /** Of type "choice": the words. */
  choices?: string[];
  doc: string;
}

export interface ScheduleInfo {
  name: string;
  aliases: string[];
  family: string;
  doc: string;
  parameters: Parameter[];
  constraints: { code: string; text: string }[];
  weights_copies: number;
  split_backward: boolean;
  synchronous: boolean;
  source: string;
}

export const scheduleNamed = (all: ScheduleInfo[], name: string): ScheduleInfo | undefined =>
  all.find((one) => one.name === name || one.aliases.includes(name));

/** Families in the order in which they first come, each with its schedules. */
export function families(all: ScheduleInfo[]): [string, ScheduleInfo[]][] {
  const found = new Map<string, ScheduleInfo[]>();
  for (const one of all) found.set(one.family, [...(found.get(one.family) ?? []), one]);
  return [...found];
}

export const familyTitle = (family: string): string =>
  family.startsWith("hops") ? family.replace("hops", "HOPS") : family[0].toUpperCase() + family.slice(1);

/** A default as a number where it speaks of the ranks, else as it is written. */
export function defaultOf({ default: text }: Parameter, ranks: number): string {
  const match = text.match(/^ranks(?:\s*([-+])\s*(\d+))?$/);
  if (!match || ranks <= 0) return text;
  return `${ranks + Number(`${match[1] ?? "+"}${match[2] ?? 0}`)}`;
}

/** The words that a parameter may be; null where it is a number. */
export const choicesOf = ({ type, choices }: Parameter): string[] | null =>
  type === "boolean" ? ["true", "false"] : (choices ?? null);
