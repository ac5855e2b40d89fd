// A table of numbers: the first cell of a row names it, and those from the column `text` on are numbers.
interface Props {
  id: string;
  caption: string;
  head: string[];
  rows: string[][];
  /** Columns of words. */
  text?: number;
}

export const DataTable = ({ id, caption, head, rows, text = 1 }: Props) => {
  const side = (column: number) => (column < text ? "" : "num");
  return (
    <table class="data" id={id}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {head.map((label, i) => (
            <th key={i} scope="col" class={side(i)}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, key) => (
          <tr key={key}>
            {row.map((cell, i) =>
              i === 0 ? (
                <th key={i} scope="row">
                  {cell}
                </th>
              ) : (
                <td key={i} class={side(i)}>
                  {cell}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
};
