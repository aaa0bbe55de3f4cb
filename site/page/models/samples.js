// How the samples of each variant are distributed, and how they change over the time of a job.

import { scaleOf } from "../charts/scale.js";

/** @typedef {ReturnType<typeof import("./scenarios.js").groups>} Table */

/**
 * @typedef {object} VariantDistribution
 * @property {number} target
 * @property {(level: number) => number | null} at the quantile at a level; null where it is unknown
 * @property {number | null} samples
 * @property {number | null} processes
 */

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

/**
 * @param {Table} table
 * @param {readonly number[]} levels of the file
 * @returns {{variant: string, marks: VariantDistribution[]}[]} variants in the suite's order, those with samples
 */
export function distributions(table, levels) {
  const variants = [...new Set(table.flatMap(({ rows }) => rows.map(({ variant }) => variant)))];
  return variants.flatMap((variant) => {
    const marks = table.flatMap(({ target, rows }) => rows.flatMap((row) => (row.variant === variant && row.distribution ? [spread(target, row.distribution, row.result, levels)] : [])));
    return marks.length ? [{ variant, marks }] : [];
  });
}

/**
 * @param {number} target
 * @param {import("../types.js").Distribution} distribution
 * @param {import("../types.js").ScenarioCase["result"]} result
 * @param {readonly number[]} levels
 * @returns {VariantDistribution}
 */
function spread(target, { quantiles, processes }, result, levels) {
  return {
    target,
    at: (level) => quantiles[levels.indexOf(level)] ?? null,
    samples: typeof result === "string" ? null : result.samples,
    processes,
  };
}

/**
 * The strips with their axis; null without samples.
 *
 * @param {ReturnType<typeof distributions>} lines
 * @param {readonly number[]} levels
 * @param {string} unit
 * @param {number} ticks
 */
export function strips(lines, levels, unit, ticks) {
  const values = lines.flatMap(({ marks }) => marks.flatMap(({ at }) => levels.map(at))).filter((value) => value !== null);
  return values.length ? { lines, scale: scaleOf(values, ticks, unit) } : null;
}

/** @typedef {{variant: string, hue: number, target: number, processes: readonly (readonly number[])[]}} Profile */

/**
 * @param {Table} table
 * @returns {Profile[]} of each variant at each target that has one
 */
export function processProfiles(table) {
  const variants = [...new Set(table.flatMap(({ rows }) => rows.map(({ variant }) => variant)))];
  return table.flatMap(({ target, rows }) =>
    rows.flatMap(({ variant, profiles }) => {
      const processes = profiles.filter((each) => each.length > 1);
      return processes.length ? [{ variant, hue: variants.indexOf(variant), target, processes }] : [];
    }),
  );
}

/**
 * The process with the highest maximum: its first value, its maximum, the time of the maximum (a share of the job), and
 * its last value.
 *
 * @param {Profile} course
 */
export function summary({ processes }) {
  const most = (/** @type {readonly number[]} */ each) => each.reduce((found, value) => Math.max(found, value), -Infinity);
  const highest = processes.reduce((found, each) => (most(each) > most(found) ? each : found));
  const at = highest.indexOf(most(highest));
  return { begin: highest[0], most: highest[at], when: at / (highest.length - 1), end: highest[highest.length - 1] };
}
