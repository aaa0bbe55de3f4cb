// The lines of a benchmark's page: which series are drawn, and along which axis. Does not use the DOM.

import { plain } from "../format.js";

/**
 * One case at one target, oldest first; null is a gap: failed, skipped, or no finite number.
 *
 * @typedef {object} Series
 * @property {number} target
 * @property {readonly string[]} params values of the benchmark's parameters, as asv writes them
 * @property {readonly number[]} commits indices of commits, ascending
 * @property {readonly (number | null)[]} values
 * @property {readonly (number | null)[]} low
 * @property {readonly (number | null)[]} high
 *
 * @typedef {{label: string, hue: number, series: Series, second?: boolean}} Drawn *second*: counts of instructions beside times
 * @typedef {(number | null | undefined)[]} Column undefined: the line has no point here and continues
 * @typedef {{label: string, hue: number, values: Column, low: Column, high: Column, second?: boolean}} Line *second*: with an axis of its own
 */

export const MOST_LINES = 10;
export const ANY = "*";

/**
 * The values of each parameter, in the order of the suite.
 *
 * @param {readonly Series[]} series
 * @param {number} count of parameters
 */
export function valuesOf(series, count) {
  return Array.from({ length: count }, (_, index) => [...new Set(series.map(({ params }) => params[index] ?? ""))]);
}

/**
 * The series that match the choices; ANY matches all. Each line is labelled with what distinguishes it from the others.
 *
 * @param {readonly Series[]} series
 * @param {readonly string[]} params chosen values, or ANY
 * @param {{machine: string, python: string}} target chosen, or ANY
 * @param {readonly {machine: string, python: string, name: string}[]} targets
 * @returns {Drawn[]}
 */
export function chosenSeries(series, params, target, targets) {
  const fits = (/** @type {string} */ chosen, /** @type {string | undefined} */ value) => chosen === ANY || chosen === value;
  const found = series.filter(
    (each) =>
      each.params.every((value, index) => fits(params[index] ?? ANY, value)) &&
      fits(target.machine, targets[each.target]?.machine) &&
      fits(target.python, targets[each.target]?.python),
  );
  const label = labels(found, targets);
  return found.map((each, index) => ({ label: label(each), hue: index, series: each }));
}

/**
 * @param {readonly Series[]} series
 * @param {readonly {name: string}[]} targets
 * @param {number} [axis] a parameter that labels leave out
 * @returns {(series: Series) => string}
 */
function labels(series, targets, axis = -1) {
  const differ = (series[0]?.params ?? []).map((_, index) => index !== axis && new Set(series.map(({ params }) => params[index])).size > 1);
  const where = new Set(series.map(({ target }) => target)).size > 1;
  return (each) => {
    const parts = each.params.filter((_, index) => differ[index]).map(plain);
    const words = [...parts, ...(where ? [targets[each.target]?.name ?? ""] : [])].join(" · ");
    return words || targets[each.target]?.name || "";
  };
}

/**
 * The lines with the hues of the lines of another benchmark that show the same case at the same target.
 *
 * @param {readonly Drawn[]} drawn
 * @param {readonly Drawn[]} others
 * @returns {Drawn[]}
 */
export function sameHues(drawn, others) {
  const name = (/** @type {Series} */ { params, target }) => JSON.stringify([params, target]);
  const hues = new Map(others.map(({ series, hue }) => [name(series), hue]));
  return drawn.map((each) => ({ ...each, hue: hues.get(name(each.series)) ?? each.hue }));
}

/**
 * All series on one axis of commits. A commit that a series does not have is not a gap.
 *
 * @param {readonly Drawn[]} drawn
 * @param {boolean} relative to each line's first value
 * @returns {{commits: number[], lines: Line[]}}
 */
export function aligned(drawn, relative) {
  const commits = [...new Set(drawn.flatMap(({ series }) => series.commits))].sort((one, other) => one - other);
  const at = new Map(commits.map((commit, index) => [commit, index]));
  const lines = drawn.map(({ label, hue, series, second = false }) => {
    const base = relative ? (series.values.find((value) => value !== null && value !== 0) ?? 1) : 1;
    return { label, hue, second, ...spread(series, at, commits.length, base) };
  });
  return { commits, lines };
}

/** @param {Series} series @param {Map<number, number>} at @param {number} length @param {number} base */
function spread(series, at, length, base) {
  const { values, low, high } = emptyLine("", 0, length);
  series.commits.forEach((commit, index) => {
    const position = at.get(commit) ?? 0;
    values[position] = scaled(series.values[index], base);
    low[position] = scaled(series.low[index], base);
    high[position] = scaled(series.high[index], base);
  });
  return { values, low, high };
}

/** @param {number | null | undefined} value @param {number} base */
function scaled(value, base) {
  return value === null || value === undefined ? null : value / base;
}

/** Whether the values can be drawn on a logarithmic axis. @param {readonly Line[]} lines */
export function positive(lines) {
  return lines.every(({ values }) => values.every((value) => value === null || value === undefined || value > 0));
}

/**
 * The newest value of each case against one numeric or other parameter: a line for each combination of the others.
 *
 * @param {readonly Drawn[]} drawn
 * @param {number} axis index of the parameter
 * @param {readonly string[]} values of it, in order
 * @param {readonly {name: string}[]} targets
 * @returns {Line[]}
 */
export function sweep(drawn, axis, values, targets) {
  const label = labels(drawn.map(({ series }) => series), targets, axis);
  /** @type {Map<string, Line>} */
  const lines = new Map();
  for (const { series } of drawn) {
    const key = JSON.stringify([series.params.toSpliced(axis, 1), series.target]);
    const line = lines.get(key) ?? emptyLine(label(series), lines.size, values.length);
    lines.set(key, line);
    const last = series.values.findLastIndex((value) => value !== null);
    const at = values.indexOf(series.params[axis] ?? "");
    if (last >= 0 && at >= 0) {
      line.values[at] = series.values[last] ?? null;
      line.low[at] = series.low[last] ?? null;
      line.high[at] = series.high[last] ?? null;
    }
  }
  return [...lines.values()];
}

/** @param {string} label @param {number} hue @param {number} length @returns {Line} */
function emptyLine(label, hue, length) {
  const empty = () => /** @type {Column} */ (new Array(length).fill(undefined));
  return { label, hue, values: empty(), low: empty(), high: empty() };
}
