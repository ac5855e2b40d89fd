// What the export menu offers; what makes the files is fetched with the first of them.
import type { MenuItem } from "../panels/menu";
import { en } from "../text/en";

export const exportItems = (): MenuItem[] =>
  (Object.keys(en.exports) as (keyof typeof en.exports)[]).map((what) => ({
    label: en.exports[what],
    run: () => void import("./save").then(({ save }) => save(what)),
  }));
