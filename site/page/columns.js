// Unpacks the columns of series.

/** A series that is unpacked when its values are asked for: a page draws few of many. @param {import("./types.js").SeriesData} packed @returns {import("./models/history.js").Series} */
export function seriesOf(packed) {
  /** @type {number[] | undefined} */
  let commits;
  /** @type {ReturnType<typeof unpacked> | undefined} */
  let whole;
  const columns = () => (whole ??= unpacked(packed));
  return {
    target: packed.target,
    params: packed.params,
    get commits() {
      return (commits ??= /** @type {number[]} */ (walked(packed.commits))); // a page counts the points of all series
    },
    get values() {
      return columns().values;
    },
    get low() {
      return columns().low;
    },
    get high() {
      return columns().high;
    },
  };
}

/** @param {Omit<import("./types.js").SeriesData, "target">} packed @param {number} [start] what its commits are counted from */
export function unpacked({ params, digits, commits, values, below, above }, start) {
  const steps = walked(values);
  const value = (/** @type {number | null} */ count) => (count === null ? null : digits >= 0 ? count / 10 ** digits : count * 10 ** -digits);
  const limit = (/** @type {(number | null)[]} */ widths, /** @type {number} */ sign) =>
    steps.map((count, index) => (count === null || widths[index] === null || widths[index] === undefined ? null : value(count + sign * widths[index])));
  return { params, commits: /** @type {number[]} */ (walked(commits, start)), values: steps.map(value), low: limit(below, -1), high: limit(above, 1) };
}

/** The sums of the differences so far; a gap is skipped. @param {readonly (number | null)[]} column @param {number} [start] @returns {(number | null)[]} */
export function walked(column, start = 0) {
  let total = start;
  return column.map((step) => (step === null ? null : (total += step)));
}

/** @param {number | null} low @param {number | null} high @returns {[number, number] | null} */
export function limits(low, high) {
  return low === null || high === null ? null : [low, high];
}

/**
 * A column of a case at the places of some runs; null where a run has no value.
 *
 * @param {readonly (Omit<import("./types.js").SeriesData, "target"> & {start: number})[]} parts *start*: what the commits are counted from
 * @param {-1 | 0 | 1} side the lower limits, the values, the upper limits
 * @param {{count: number, positions: ReadonlyMap<number, number>}} runs the place of each commit
 * @returns {(number | null)[]}
 */
export function placed(parts, side, { count, positions }) {
  const found = new Array(count).fill(null);
  for (const { start, digits, commits, values, below, above } of parts) {
    const factor = 10 ** Math.abs(digits);
    const widths = side < 0 ? below : above;
    let commit = start;
    let total = 0;
    values.forEach((step, at) => {
      commit += commits[at];
      total += step ?? 0;
      const position = positions.get(commit);
      const width = side === 0 ? 0 : (widths[at] ?? null);
      if (position !== undefined && step !== null && width !== null) {
        const steps = total + side * width;
        found[position] = digits >= 0 ? steps / factor : steps * factor;
      }
    });
  }
  return found;
}
