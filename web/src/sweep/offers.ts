// What of a scenario can be swept, found in its text, and which values of it are worth a look.
import { idOf, isShared, isSingle, written } from "../editor/scalar";
import { documented, type Schema, schemasAt, valuesAt } from "../editor/schema";
import { type Node, shapeOf } from "../editor/yaml";
import { readNumber } from "./axis";

export interface Offer {
  path: string;
  /** As it stands in the text. */
  value: string;
  /** A list or a range, as it is typed. */
  values: string;
}

const MOST = 200;
const SCHEDULE = /^pipeline\.schedule(\.name)?$/;
/** From the value that stands there. */
const FACTORS = [0.25, 0.5, 1, 2, 4];

function valuesFor(value: number, own: Schema): string {
  const { minimum, maximum = Number.POSITIVE_INFINITY, exclusiveMinimum } = own;
  if ((minimum ?? exclusiveMinimum) === 0 && maximum === 1) return minimum === 0 ? "0:1:0.1" : "0.1:1:0.1";
  if (value === 0) return "0,1,2,4";
  const whole = own.type === "integer";
  const near = FACTORS.map((factor) => (whole ? Math.round(value * factor) : Number((value * factor).toPrecision(3))));
  const fit = near.filter((x) => x >= (minimum ?? exclusiveMinimum ?? x) && x !== exclusiveMinimum && x <= maximum);
  return [...new Set(fit)].join(",");
}

/** Numbers and names in the order of the text; `schedules` are the names that a schedule may have. */
export function offersOf(text: string, root: Schema, schedules: string[]): Offer[] {
  const offers: Offer[] = [];
  const known = new Map<string, Schema[]>();
  const schemas = (keys: string[]): Schema[] => {
    const name = keys.join(".");
    const found = known.get(name) ?? schemasAt(root, keys);
    known.set(name, found);
    return found;
  };
  const visit = (node: Node | null, path: string, keys: string[]): void => {
    if (!node || isShared(text, node) || offers.length >= MOST) return;
    for (const { key, value } of node.pairs) visit(value, path ? `${path}.${key}` : key, [...keys, key]);
    node.items.forEach(({ value }, i) => {
      const id = idOf(text, value);
      visit(value, `${path}[${/^\D[^\]]*$/.test(id) ? id : i}]`, [...keys, "[]"]);
    });
    if (!isSingle(text, node)) return;
    const value = written(text, node);
    const number = readNumber(value);
    const numeric = schemas(keys).filter(({ type }) => /number|integer/.test([type ?? []].flat().join()));
    const own = documented(numeric);
    if (SCHEDULE.test(path)) offers.push({ path, value, values: schedules.join() });
    else if (own && !Number.isNaN(number)) offers.push({ path, value, values: valuesFor(number, own) });
    else if (own === undefined) {
      const names = valuesAt(root, keys).map(({ value: name }) => name);
      if (names.length > 1) offers.push({ path, value, values: names.join() });
    }
  };
  visit(shapeOf(text).top, "", []);
  return offers;
}
