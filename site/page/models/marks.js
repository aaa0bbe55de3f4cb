// The axes of a history and its marks.

import { logarithmic, scaleOf } from "../charts/scale.js";
import { date as dayOf, sizeWords } from "../words.js";
import { size } from "./changes.js";

/** @typedef {import("../charts/history.js").Mark} Mark */
/** @typedef {import("./types.js").Site} Site */

/**
 * The axis: positions in the branch, or author dates. Dates can run backwards; then each is at least the one
 * before, so that a line never turns back.
 *
 * @param {Site} site
 * @param {readonly number[]} commits
 * @param {boolean} dates
 */
export function axisOf(site, commits, dates) {
  if (!dates || commits.some((commit) => site.commits.date[commit] === null)) {
    return { xs: commits, dates: false, labelOf: (/** @type {number} */ x) => dated(site, x) };
  }
  let latest = -Infinity;
  const xs = commits.map((commit) => (latest = Math.max(latest + 1e-3, site.commits.date[commit] ?? latest)));
  return { xs, dates: true, labelOf: dayOf };
}

/**
 * The vertical axis: all levels and nearly all values; intervals do not stretch it. Logarithmic unless a value is not positive.
 *
 * @param {readonly {values: import("./history.js").Column, levels: readonly import("./levels.js").Level[]}[]} lines
 * @param {boolean} log
 * @param {string} [unit] asv's word
 */
export function verticalScale(lines, log, unit) {
  const known = lines.flatMap(({ values }) => values).filter((value) => typeof value === "number").sort((one, other) => one - other);
  const edge = Math.floor(known.length / 100);
  const shown = [...lines.flatMap(({ levels }) => levels.map(({ value }) => value)), ...known.slice(edge, known.length - edge)];
  const [low, high] = [shown.reduce((one, other) => Math.min(one, other), Infinity), shown.reduce((one, other) => Math.max(one, other), -Infinity)];
  if (shown.length === 0 || !log || low <= 0) {
    return scaleOf(shown.length ? shown : [0, 1], 6, unit);
  }
  const wide = high / low < 1.2 ? Math.sqrt(1.2 / (high / low)) : 1; // what hardly moves is not blown up until its noise fills the page
  const scale = logarithmic(low / wide, high * wide, 7, 0.03);
  return scale.ticks.length > 1 ? scale : { ...scale, ticks: scaleOf([low / wide, high * wide], 6, unit).ticks };
}

/** @param {Site} site @param {number} index */
function dated(site, index) {
  const date = site.commits.date[Math.round(index)];
  return typeof date === "number" ? dayOf(date) : (site.commits.hash[Math.round(index)] ?? "").slice(0, 7);
}

/**
 * The changes of the series that are drawn.
 *
 * @param {readonly import("../types.js").Change[]} changes
 * @param {readonly import("./history.js").Drawn[]} drawn
 * @param {readonly import("../types.js").SiteTarget[]} targets
 */
export function changesOf(changes, drawn, targets) {
  const keys = new Set(drawn.map(({ series: { params, target } }) => JSON.stringify([params, targets[target].machine, targets[target].environment])));
  return changes.filter(({ params, machine, environment }) => keys.has(JSON.stringify([params, machine, environment])));
}

/**
 * Change points and releases, each at the first commit of the axis that has it.
 *
 * @param {Site} site
 * @param {readonly number[]} commits
 * @param {readonly import("../types.js").Change[]} changes
 * @param {readonly import("../types.js").RunMark[]} [others] what else changed there
 * @returns {Mark[]}
 */
export function marksOf(site, commits, changes, others = []) {
  const indices = new Map(site.commits.hash.map((hash, index) => [hash, index]));
  const first = (/** @type {number | undefined} */ commit) => (commit === undefined || commit < (commits[0] ?? 0) ? -1 : commits.findIndex((each) => each >= commit));
  const points = changes.toSorted((one, other) => size(one) - size(other)).map((each) => ({ at: first(indices.get(each.commit)), kind: each.direction, label: sizeWords(each.relative_change, each.unit ?? "unit") }));
  const beside = others.map(({ commit, label, url }) => ({ at: first(commit), kind: /** @type {const} */ ("beside"), label, ...(url ? { url } : {}) }));
  const releases = site.releases.map(({ name, commit }) => ({ at: first(commit), kind: /** @type {const} */ ("release"), label: name }));
  return [...releases, ...beside, ...once(points)].filter(({ at }) => at >= 0);
}

/**
 * What else changed for the lines that are drawn.
 *
 * @param {readonly import("../types.js").RunMark[]} marks
 * @param {string} benchmark
 * @param {readonly import("./history.js").Drawn[]} drawn
 */
export function besideOf(marks, benchmark, drawn) {
  const targets = new Set(drawn.map(({ series }) => series.target));
  return marks.filter((each) => ["", benchmark].includes(each.benchmark) && (each.targets.length === 0 || each.targets.some((target) => targets.has(target))));
}

/** One mark for each commit: the last one, which is the largest. @param {Mark[]} points */
function once(points) {
  return [...new Map(points.map((each) => [each.at, each])).values()];
}
