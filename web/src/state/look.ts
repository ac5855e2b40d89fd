// How the timeline looks: colours and unit of time, remembered here and carried by links.
import { effect } from "@preact/signals";
import { type Look, readLook, writeLook } from "../share/look";
import { read, write } from "./storage";
import * as s from "./store";

/** Causes and versions are questions to this run, no look that a figure keeps. */
const now = (): Look => {
  const colours = s.colourMode.value;
  return { colours: colours === "cause" || colours === "version" ? "kind" : colours, units: s.unitTime.value };
};

/** The look as a link has it; "" when it is the usual one. */
export const lookOfLink = (): string => writeLook(now());

export function setLook(text: string): void {
  const look = readLook(text);
  if (!look) return;
  s.colourMode.value = look.colours;
  s.unitTime.value = look.units;
}

/** A link's look comes before what is remembered; an embedded figure looks as its link says and not as its reader. */
export function startLook(linked: string): void {
  setLook(linked || (s.embedded ? "" : (read("look") ?? "")));
  let first = true;
  effect(() => {
    const text = writeLook(now());
    if (!first) write("look", text || null);
    first = false;
  });
}
