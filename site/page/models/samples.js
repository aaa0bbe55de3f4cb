// How the samples of a way are distributed, and how its values change over the time of a job.

// For latencies the tail matters; for other kinds the middle and the limits.
const SHOWN = { latency: [0.5, 0.9, 0.95, 0.99, 1], other: [0, 0.25, 0.5, 0.75, 0.95, 1] };

/** The quantiles that a table has for a kind of benchmark. @param {string} kind asv's type */
export function shownLevels(kind) {
  return kind === "latency" ? SHOWN.latency : SHOWN.other;
}

/** @param {number} level */
export function levelName(level) {
  return new Map([[0, "minimum"], [0.5, "median"], [1, "maximum"]]).get(level) ?? `${Number((level * 100).toPrecision(6))} %`;
}

/** @typedef {{name: string, hue: number, target: number, processes: readonly (readonly number[])[]}} Profile */

/** The profiles of each way at each target that has some. @param {readonly import("./scenarios.js").Way[]} ways @returns {Profile[]} */
export function processProfiles(ways) {
  return ways.flatMap(({ name, cases }, hue) =>
    cases.flatMap(({ target, case: { profiles } }) => {
      const processes = profiles.filter((each) => each.length > 1);
      return processes.length ? [{ name, hue: hue < 6 ? hue : -1, target, processes }] : [];
    }),
  );
}

/**
 * The process with the highest maximum: its first value, its maximum, the time of the maximum (a share of the job), and
 * its last value.
 *
 * @param {Pick<Profile, "processes">} course
 */
export function summary({ processes }) {
  const most = (/** @type {readonly number[]} */ each) => each.reduce((found, value) => Math.max(found, value), -Infinity);
  const highest = processes.reduce((found, each) => (most(each) > most(found) ? each : found));
  const at = highest.indexOf(most(highest));
  return { begin: highest[0], most: highest[at], when: at / (highest.length - 1), end: highest[highest.length - 1] };
}
