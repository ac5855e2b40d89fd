// What the tabs below the timeline hold, in one chunk.
import { Pair } from "../pair/panel";
import { Learn } from "./convergence";
import { Figures } from "./figures";
import { Inspector } from "./inspector";
import { Links } from "./links";
import { Log } from "./log";
import { Memory } from "./memory";
import { Schedules } from "./schedules";
import { Panel as Sweep } from "../sweep/panel";
import { Panel as Tune } from "../tune/panel";
import { startVeil } from "../timeline/veil";
import "../styles/panels.css";

startVeil();

export const panels = {
  inspector: Inspector,
  schedules: Schedules,
  pair: Pair,
  sweep: Sweep,
  tune: Tune,
  learn: Learn,
  memory: Memory,
  links: Links,
  figures: Figures,
  log: Log,
};
