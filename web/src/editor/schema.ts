// Reading a JSON Schema by path: what may stand at a place, and what it means.
import { signal } from "@preact/signals";

export interface Schema {
  title?: string;
  description?: string;
  type?: string | string[];
  default?: unknown;
  enum?: unknown[];
  examples?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  $ref?: string;
  "x-unit"?: string;
}

/** The scenario's schema, when the module has handed it out. */
export const schema = signal<Schema | null>(null);

/** Follows a reference within the document. */
function resolve(root: Schema, schema: Schema): Schema {
  let at: Schema = schema;
  for (let depth = 0; at.$ref && depth < 16; depth++) {
    let target: unknown = root;
    for (const part of at.$ref.replace(/^#\/?/, "").split("/")) {
      if (part) target = (target as Record<string, unknown> | undefined)?.[decodeURIComponent(part)];
    }
    const { $ref: _ref, ...own } = at;
    at = { ...((target as Schema | undefined) ?? {}), ...own };
  }
  return at;
}

/** The schema itself and every alternative in it. */
export function alternatives(root: Schema, schema: Schema, depth = 0): Schema[] {
  const at = resolve(root, schema);
  if (depth > 8) return [at];
  const inner = [...(at.anyOf ?? []), ...(at.oneOf ?? []), ...(at.allOf ?? [])];
  return [at, ...inner.flatMap((one) => alternatives(root, one, depth + 1))];
}

/** All schemas that could govern the value at `path`. */
export function schemasAt(root: Schema, path: string[]): Schema[] {
  let now = alternatives(root, root);
  for (const key of path) {
    now = now.flatMap((schema) => {
      const next: Schema[] = [];
      if (key === "[]") {
        if (schema.items) next.push(schema.items);
      } else if (schema.properties?.[key]) next.push(schema.properties[key]);
      else if (typeof schema.additionalProperties === "object") next.push(schema.additionalProperties);
      return next.flatMap((one) => alternatives(root, one));
    });
  }
  return now;
}

export interface KeyInfo {
  name: string;
  schema: Schema;
}

export function keysAt(root: Schema, path: string[]): KeyInfo[] {
  const keys = new Map<string, Schema>();
  for (const schema of schemasAt(root, path)) {
    for (const [name, value] of Object.entries(schema.properties ?? {})) {
      if (!keys.has(name)) keys.set(name, resolve(root, value));
    }
  }
  return [...keys].map(([name, schema]) => ({ name, schema }));
}

export interface ValueInfo {
  value: string;
  doc: string;
}

export function valuesAt(root: Schema, path: string[]): ValueInfo[] {
  const values = new Map<string, string>();
  const add = (value: unknown, doc = "") => {
    const text = String(value);
    if (!values.get(text)) values.set(text, doc);
  };
  for (const schema of schemasAt(root, path)) {
    for (const value of [...(schema.enum ?? []), ...(schema.examples ?? [])]) add(value);
    if (schema.const !== undefined) add(schema.const, schema.description);
    if (schema.type === "boolean") for (const value of [true, false]) add(value);
  }
  return [...values].map(([value, doc]) => ({ value, doc }));
}

const kindOf = (schema: Schema): string => {
  const types = [schema.type ?? []].flat();
  if (types.length > 0) return types.join(" or ");
  if (schema.enum) return "name";
  return schema.properties ? "object" : "";
};

/** Type, range and default in a few words. */
export function factsOf(schema: Schema): string {
  const parts = [kindOf(schema)];
  if (schema.minimum !== undefined && schema.maximum !== undefined) {
    parts.push(`${schema.minimum} to ${schema.maximum}`);
  } else if (schema.minimum !== undefined) parts.push(`at least ${schema.minimum}`);
  else if (schema.exclusiveMinimum !== undefined) parts.push(`above ${schema.exclusiveMinimum}`);
  else if (schema.maximum !== undefined) parts.push(`at most ${schema.maximum}`);
  if (schema.default !== undefined) parts.push(`default ${JSON.stringify(schema.default)}`);
  return parts.filter(Boolean).join(", ");
}

/** The first of the schemas that says what it is about. */
export const documented = (schemas: Schema[]): Schema | undefined =>
  schemas.find((schema) => schema.description) ?? schemas[0];
