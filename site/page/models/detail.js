// Which older commits of a history are shown one by one. Does not use the DOM.

/** Commits in a zoomed range, at most, for which each older commit is loaded. */
export const MOST_DETAIL = 512;

/** @typedef {import("./types.js").Site} Site */

/**
 * The indices of the commits in a range of the axis.
 *
 * @param {Site} site
 * @param {[number, number] | null} zoom positions, or seconds since 1970
 * @param {boolean} dates
 * @returns {[number, number] | null}
 */
export function commitRange({ commits: { date } }, zoom, dates) {
  if (zoom === null || !dates) {
    return zoom === null ? null : [Math.max(0, Math.floor(zoom[0])), Math.max(0, Math.ceil(zoom[1]))];
  }
  const from = date.findIndex((each) => each !== null && each >= zoom[0]);
  const to = date.findLastIndex((each) => each !== null && each <= zoom[1]);
  return from < 0 || to < from ? null : [from, to];
}

/**
 * The range where it has older commits that share points and is short enough to load each of them; null otherwise.
 *
 * @param {Pick<import("./types.js").BenchmarkFile, "exact_from" | "detailed">} benchmark
 * @param {[number, number] | null} range
 * @returns {[number, number] | null}
 */
export function missing({ exact_from, detailed }, range) {
  if (range === null || range[0] >= exact_from || range[1] - range[0] > MOST_DETAIL) {
    return null;
  }
  const last = Math.min(range[1], exact_from - 1);
  return detailed !== null && detailed[0] <= range[0] && last < detailed[1] ? null : [range[0], last];
}

/** Whether the point at a commit stands for several. @param {Pick<import("./types.js").BenchmarkFile, "exact_from" | "detailed">} benchmark @param {number} commit */
export function isShared({ exact_from, detailed }, commit) {
  return commit < exact_from && !(detailed !== null && detailed[0] <= commit && commit < detailed[1]);
}
