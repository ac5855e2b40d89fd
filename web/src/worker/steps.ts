// Step functions over time, thinned for a picture: nothing that a column would show is lost, however many steps fall
// into it. Moments are in order of time; each holds until the next.

/** Last moment at `t` or before; -1 when all come later. */
export function momentAt(times: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Of each column from `t0` on: the moment that holds most while any of the column passes, the first of equals; -1
 * before the first moment. A moment that lasts no time counts as well.
 */
export function mostIn(
  times: ArrayLike<number>,
  values: ArrayLike<number>,
  t0: number,
  width: number,
  columns: number,
): Int32Array {
  const out = new Int32Array(columns);
  // The last one before t0: what begins at t0 comes in the first column, even if it ends there.
  let at = momentAt(times, t0);
  while (at >= 0 && times[at] === t0) at--;
  for (let column = 0; column < columns; column++) {
    const end = t0 + (column + 1) * width;
    let most = times[at + 1] === t0 + column * width ? -1 : at;
    while (at + 1 < times.length && times[at + 1] < end) {
      at++;
      if (most < 0 || values[at] > values[most]) most = at;
    }
    out[column] = most;
  }
  return out;
}

/** Adds to `out` the share of each column in which the value is above 0. */
export function shareIn(
  times: ArrayLike<number>,
  values: ArrayLike<number>,
  t0: number,
  width: number,
  out: Float32Array,
): void {
  const columns = out.length;
  for (let i = Math.max(0, momentAt(times, t0)); i < times.length && times[i] < t0 + width * columns; i++) {
    if (values[i] <= 0) continue;
    const from = Math.max((times[i] - t0) / width, 0);
    const to = Math.min(((times[i + 1] ?? times[i]) - t0) / width, columns);
    const last = Math.min(Math.floor(to), columns - 1);
    for (let column = Math.floor(from); column <= last; column++) {
      out[column] += Math.max(0, Math.min(to, column + 1) - Math.max(from, column));
    }
  }
}
