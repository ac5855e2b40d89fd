// What the page can do beyond its first picture, wired when that stands.
import { wireDrop } from "./import/drop";
import { wireGlobalKeys } from "./keys";
import { wireLessons } from "./lesson/course";
import { keepOffline } from "./offline/register";
import { wirePrint } from "./print/sheet";
import * as s from "./state/store";
import { definitions } from "./text/definitions";

/** A link may hold a second run to compare with. */
const followPair = (): void => {
  if (location.hash.includes("&a=")) void import("./pair/pinned").then((pair) => pair.pinLinked());
};

s.definitions.value = definitions;
wireDrop();
wireGlobalKeys();
wirePrint();
followPair();
addEventListener("hashchange", followPair);
wireLessons();
void keepOffline();
