// From the line and column of a diagnostic to a position in the text, and back. Both start at 1; a column counts
// characters as readers do, so one outside the basic plane (two units in a string) counts once.

/** Offset of column `column` in a line of text. */
export function unitOffset(line: string, column: number): number {
  let units = 0;
  for (let left = column - 1; left > 0 && units < line.length; left--) {
    units += (line.codePointAt(units) as number) > 0xffff ? 2 : 1;
  }
  return units;
}

/** Position of line and column in `text`, pulled into it when it lies outside. */
export function positionOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let left = line - 1; left > 0; left--) {
    const end = text.indexOf("\n", start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  const end = text.indexOf("\n", start);
  return start + unitOffset(text.slice(start, end < 0 ? text.length : end), column);
}
