// The lines of a benchmark's page: which series are drawn, along which axis, at which levels. Does not use the DOM.

import { parameterText } from "../format.js";
import { levelsOf, movedBy } from "./levels.js";

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
 * @typedef {{label: string, brief: string, series: Series}} Drawn *brief*: without names of parameters
 * @typedef {(number | null | undefined)[]} Column undefined: the line has no point here and continues
 * @typedef {{label: string, brief: string, key: string, hue: number, values: Column, low: Column, high: Column, base: number, levels: import("./levels.js").Level[], moved: number | null, series: Series}} Line *hue*: -1 is grey; *base*: what values are divided by; *moved*: the last level in relation to the first
 * @typedef {ReadonlyMap<number, ReadonlyMap<number, number>>} Factors what moved all times of a run alike, by target and commit
 */

/** Lines in colour, and all lines. */
export const MOST_COLOURED = 6;
export const MOST_LINES = 60;
export const ANY = "*";

/** The values of each parameter, in the order of the suite. @param {readonly Series[]} series @param {number} count of parameters */
export function valuesOf(series, count) {
  return Array.from({ length: count }, (_, index) => [...new Set(series.map(({ params }) => params[index] ?? ""))]);
}

/**
 * The series that match the choices; ANY matches all. Each is labelled with what distinguishes it from the others.
 *
 * @param {readonly Series[]} series
 * @param {readonly string[]} params chosen values, or ANY
 * @param {{machine: string, python: string}} target chosen, or ANY
 * @param {readonly {machine: string, python: string, name: string}[]} targets
 * @param {readonly string[]} [names] of parameters
 * @returns {Drawn[]}
 */
export function chosenSeries(series, params, target, targets, names = []) {
  const fits = (/** @type {string} */ chosen, /** @type {string | undefined} */ value) => chosen === ANY || chosen === value;
  const found = series.filter(
    (each) =>
      each.params.every((value, index) => fits(params[index] ?? ANY, value)) &&
      fits(target.machine, targets[each.target]?.machine) &&
      fits(target.python, targets[each.target]?.python),
  );
  const [label, brief] = [labels(found, targets, names), labels(found, targets)];
  return found.map((each) => ({ label: label(each), brief: brief(each), series: each }));
}

/**
 * A line for each branch: without this, one line would jump between branches. Commits that are on none stand with the first.
 *
 * @param {readonly Drawn[]} drawn
 * @param {readonly (number | null)[]} branchOf the branch of each commit
 * @param {readonly {name: string}[]} branches
 * @returns {Drawn[]}
 */
export function byBranch(drawn, branchOf, branches) {
  return drawn.flatMap(({ label, brief, series }) => {
    const parts = branches.flatMap(({ name }, branch) => {
      const own = series.commits.map((commit) => (branchOf[commit] ?? 0) === branch);
      const of = (/** @type {readonly any[]} */ column) => column.filter((_, at) => own[at]);
      return own.includes(true) ? [{ label: `${label}, ${name}`, brief: `${brief}, ${name}`, series: { ...series, commits: of(series.commits), values: of(series.values), low: of(series.low), high: of(series.high) } }] : [];
    });
    return /** @type {Drawn[]} */ (parts.length > 1 ? parts : [{ label, brief, series }]);
  });
}

/**
 * @param {readonly Series[]} series
 * @param {readonly {name: string}[]} targets
 * @param {readonly string[]} [names] of parameters, which numbers need
 * @param {number} [axis] a parameter that labels leave out
 * @returns {(series: Series) => string}
 */
function labels(series, targets, names = [], axis = -1) {
  const differ = (series[0]?.params ?? []).map((_, index) => index !== axis && new Set(series.map(({ params }) => params[index])).size > 1);
  const where = new Set(series.map(({ target }) => target)).size > 1;
  return (each) => {
    const parts = each.params.flatMap((value, index) => (differ[index] ? [parameterText(names[index] ?? "", value)] : []));
    const words = [...parts, ...(where ? [targets[each.target]?.name ?? ""] : [])].join(", ");
    return words || targets[each.target]?.name || "";
  };
}

/**
 * All series on one axis of commits, those in grey first. A commit that a series does not have is not a gap.
 *
 * @param {readonly Drawn[]} drawn
 * @param {object} how
 * @param {boolean} how.relative to the first level of each
 * @param {(series: Series) => readonly number[]} how.changed the commits at which its level changed
 * @param {(series: Series) => ReadonlyMap<number, number> | undefined} how.factors what the machine did, by commit; undefined: as measured
 * @param {readonly string[]} [how.ticked] keys of the series in colour; by default those that moved most
 * @returns {{commits: number[], lines: Line[]}}
 */
export function aligned(drawn, { relative, changed, factors, ticked = [] }) {
  const commits = [...new Set(drawn.flatMap(({ series }) => series.commits))].sort((one, other) => one - other);
  const at = new Map(commits.map((commit, index) => [commit, index]));
  const lines = drawn.map(({ label, brief, series }) => {
    const own = factors(series);
    const values = own === undefined ? series : corrected(series, own);
    const levels = levelsOf(values, changed(series));
    const base = relative ? levels[0]?.value || 1 : 1;
    const place = (/** @type {number} */ index) => at.get(series.commits[index]) ?? 0;
    return { label, brief, key: `${label}~${series.target}`, hue: -1, ...spread(values, at, commits.length, base), base, levels: levels.map(({ from, to, value }) => ({ from: place(from), to: place(to), value: value / base })), moved: levels.length ? movedBy(levels) : null, series };
  });
  const wanted = ticked.length ? lines.filter(({ key }) => ticked.includes(key)) : lines.toSorted((one, other) => reach(other) - reach(one));
  const chosen = new Set(wanted.slice(0, MOST_COLOURED));
  [...chosen].forEach((each, index) => (each.hue = index));
  return { commits, lines: lines.toSorted((one, other) => (one.hue < 0 ? 99 : one.hue) - (other.hue < 0 ? 99 : other.hue)).reverse() };
}

/** How far the levels of a line are apart. @param {Line} line */
function reach({ levels }) {
  const logs = levels.flatMap(({ value }) => (value > 0 ? [Math.log(value)] : []));
  return logs.length ? Math.max(...logs) - Math.min(...logs) : -1;
}

/** @param {Series} series @param {ReadonlyMap<number, number>} factors by commit @returns {Series} */
function corrected(series, factors) {
  const divided = (/** @type {readonly (number | null)[]} */ column) => column.map((value, index) => (value === null ? null : value / (factors.get(series.commits[index]) ?? 1)));
  return { ...series, commits: series.commits, values: divided(series.values), low: divided(series.low), high: divided(series.high) };
}

/** @param {Series} series @param {Map<number, number>} at @param {number} length @param {number} base */
function spread(series, at, length, base) {
  const { values, low, high } = emptyLine(length);
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
  const label = labels(drawn.map(({ series }) => series), targets, [], axis);
  /** @type {Map<string, Line>} */
  const lines = new Map();
  for (const { series } of drawn) {
    const key = JSON.stringify([series.params.toSpliced(axis, 1), series.target]);
    const line = lines.get(key) ?? { label: label(series), brief: label(series), key, hue: lines.size < MOST_COLOURED ? lines.size : -1, ...emptyLine(values.length), base: 1, levels: [], moved: null, series };
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

/** @param {number} length */
function emptyLine(length) {
  const empty = () => /** @type {Column} */ (new Array(length).fill(undefined));
  return { values: empty(), low: empty(), high: empty() };
}
