// What a job used from its beginning to its end, process by process.

/** @typedef {ReturnType<typeof import("./scenarios.js").groups>} Table */
/** @typedef {{variant: string, hue: number, target: number, processes: readonly (readonly number[])[]}} Course */

/**
 * @param {Table} table
 * @returns {Course[]} of each variant at each target that has one
 */
export function courses(table) {
  const variants = [...new Set(table.flatMap(({ rows }) => rows.map(({ variant }) => variant)))];
  return table.flatMap(({ target, rows }) =>
    rows.flatMap(({ variant, profiles }) => {
      const processes = profiles.filter((each) => each.length > 1);
      return processes.length ? [{ variant, hue: variants.indexOf(variant), target, processes }] : [];
    }),
  );
}

/**
 * The process that used most: where it began, its most and when that was (a share of the job), and where it ended.
 *
 * @param {Course} course
 */
export function summary({ processes }) {
  const most = (/** @type {readonly number[]} */ each) => each.reduce((found, value) => Math.max(found, value), -Infinity);
  const highest = processes.reduce((found, each) => (most(each) > most(found) ? each : found));
  const at = highest.indexOf(most(highest));
  return { begin: highest[0], most: highest[at], when: at / (highest.length - 1), end: highest[highest.length - 1] };
}
