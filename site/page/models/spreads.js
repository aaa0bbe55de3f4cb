// How the samples of each variant are spread: quantiles for a strip and for the table that is its twin.

import { scaleOf } from "../charts/scale.js";

/** @typedef {ReturnType<typeof import("./scenarios.js").groups>} Table */

/**
 * @typedef {object} Spread
 * @property {number} target
 * @property {(level: number) => number | null} at the quantile of that share; null where nobody recorded it
 * @property {number | null} samples
 * @property {number | null} processes
 */

// Latencies are asked for their tail, all else for its middle and its limits.
const SHOWN = { latency: [0.5, 0.9, 0.95, 0.99, 1], other: [0, 0.25, 0.5, 0.75, 0.95, 1] };

/** The quantiles that a table has for a kind of benchmark. @param {string} kind asv's type */
export function shownLevels(kind) {
  return kind === "latency" ? SHOWN.latency : SHOWN.other;
}

/** @param {number} level */
export function levelName(level) {
  return new Map([[0, "least"], [0.5, "median"], [1, "greatest"]]).get(level) ?? `${Number((level * 100).toPrecision(6))} %`;
}

/**
 * @param {Table} table
 * @param {readonly number[]} levels of the file
 * @returns {{variant: string, marks: Spread[]}[]} variants in the suite's order; those of which something is known
 */
export function spreads(table, levels) {
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
 * @returns {Spread}
 */
function spread(target, { quantiles, processes }, result, levels) {
  return {
    target,
    at: (level) => quantiles[levels.indexOf(level)] ?? null,
    samples: result.state === "measured" ? result.samples : null,
    processes,
  };
}

/**
 * The strips with an axis for all that they show; null where nothing is known.
 *
 * @param {ReturnType<typeof spreads>} lines
 * @param {readonly number[]} levels
 * @param {string} unit
 * @param {number} ticks
 */
export function strips(lines, levels, unit, ticks) {
  const values = lines.flatMap(({ marks }) => marks.flatMap(({ at }) => levels.map(at))).filter((value) => value !== null);
  return values.length ? { lines, scale: scaleOf(values, ticks, unit) } : null;
}
