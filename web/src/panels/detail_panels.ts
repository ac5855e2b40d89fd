// What the tabs below the timeline hold, in one chunk.
import { Inspector } from "./inspector";
import { Log } from "./log";
import { Memory } from "./memory";

export const panels = { inspector: Inspector, memory: Memory, log: Log };
