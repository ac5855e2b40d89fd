// The link as a code to be photographed: one path, black on white in either theme, with the margin that readers need.
import { qrCode } from "./qr";
import { later } from "../text/later";

const MARGIN = 4;

/** One step right for each dark run of a row. */
function pathOf(rows: boolean[][]): string {
  return rows
    .flatMap((row, y) =>
      [...row.map((dark) => (dark ? "1" : "0")).join("").matchAll(/1+/g)].map(
        ({ 0: run, index }) => `M${index + MARGIN} ${y + MARGIN}h${run.length}v1h-${run.length}z`,
      ),
    )
    .join("");
}

export function QrFigure({ text }: { text: string }) {
  const rows = qrCode(text);
  if (!rows) return <p class="muted">{later.qrTooLong}</p>;
  const size = rows.length + 2 * MARGIN;
  return (
    <svg class="qr" id="share-qr" role="img" aria-label={later.qrLabel} viewBox={`0 0 ${size} ${size}`}>
      <rect width={size} height={size} fill="#fff" />
      <path d={pathOf(rows)} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
