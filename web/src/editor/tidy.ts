// Formatting that cannot change what a text means: blanks at line ends, tabs before a key, runs of empty lines, the
// line break at the end. Text blocks (| and >) are left as they are.

const BLOCK_TEXT = /[:-]\s+[|>][+-]?\d?\s*$/;

export function tidied(text: string): string {
  const out: string[] = [];
  /** Indent of the key whose text block is being passed; -1 outside. */
  let block = -1;
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    const indent = line.search(/\S|$/);
    if (block >= 0 && (line.trim() === "" || indent > block)) {
      out.push(line);
      continue;
    }
    block = -1;
    const clean = line.trimEnd().replace(/^[ \t]+/, (blanks) => blanks.replaceAll("\t", "  "));
    if (clean === "" && (out.length === 0 || out.at(-1) === "")) continue;
    if (BLOCK_TEXT.test(clean)) block = indent;
    out.push(clean);
  }
  while (out.length > 0 && out.at(-1)?.trim() === "") out.pop();
  return out.length > 0 ? `${out.join("\n")}\n` : "";
}
