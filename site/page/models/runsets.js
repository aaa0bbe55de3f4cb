// Sets of runs at one target, of all branches or of one: which runs belong to them, and which lie around.

import { isOn, namedCommit } from "./commits.js";
import { logs, median, rank } from "./evidence.js";

/** @typedef {import("./types.js").Run} Run */
/** @typedef {import("./types.js").Reading} Reading */

/**
 * @typedef {object} Side a set of runs at one target
 * @property {readonly Run[]} runs newest first, the set and others near it
 * @property {number} from index of the newest run of the set
 * @property {number} count runs of the set
 * @property {number} branch of the runs; -1 for all
 * @property {readonly Reading[]} readings of each case, in the order of *runs*
 */

/** Sizes of sets that are offered; twenty against twenty are 400 differences a case. */
export const SIZES = ["1", "5", "10", "20"];
/** Runs around a set that show how much neighbouring runs differ; fewer where each has many values to load. */
const [SPAN, SHORT_SPAN] = [120, 40];
/** Cases that are too many to be compared without being asked for: each has as many values as there are runs. */
export const MANY_CASES = 5000;
/** Cases from which what moved all of them alike is taken as the machine's. */
const FEWEST_CASES = 8;

/** All modules, in the address. */
export const EVERYTHING = "*";

/**
 * The modules of the suite with their numbers of cases: the outermost ones that differ.
 *
 * @param {readonly {name: string, cases: number}[]} benchmarks
 * @returns {[string, number][]}
 */
export function modulesOf(benchmarks) {
  const parts = benchmarks.map(({ name }) => name.split(".").slice(0, -1));
  const depths = [1, 2, 3, 4].map((depth) => new Set(parts.map((each) => each.slice(0, depth).join("."))));
  const at = depths.findIndex(({ size }) => size > 1);
  /** @type {Map<string, number>} */
  const found = new Map();
  benchmarks.forEach(({ cases }, index) => {
    const name = parts[index].slice(0, Math.max(0, at) + 1).join(".");
    found.set(name, (found.get(name) ?? 0) + cases);
  });
  return [...found].sort(([one], [other]) => one.localeCompare(other, "en", { numeric: true }));
}

/** Whether a benchmark is in a module. @param {string} benchmark @param {string} module the empty string and EVERYTHING: all */
export function isIn(benchmark, module) {
  return module === "" || module === EVERYTHING || benchmark.startsWith(`${module}.`);
}

/** The choices of each side in the address. */
export const FIRST = { branch: "base-branch", commit: "base", target: "against", variant: "from" };
export const SECOND = { branch: "head-branch", commit: "head", target: "on", variant: "to" };

/**
 * @typedef {object} Place where a side is
 * @property {number} branch -1 for all
 * @property {number} target
 * @property {number} commit at which the set ends; -1 for the newest
 * @property {readonly Run[]} runs of the branch at all targets, newest first
 */

/**
 * The place that the address names. Commits of its branch are loaded until the set and the runs around it are known; a branch
 * without results counts as none.
 *
 * @param {{choices: URLSearchParams, data: Pick<import("../data.js").Data, "branch" | "commit">}} context
 * @param {import("./types.js").Site} site
 * @param {readonly Run[]} runs newest first
 * @param {typeof FIRST} keys
 * @param {number} usual the target where the address names none
 * @returns {Promise<Place>}
 */
export async function locate({ choices, data }, site, runs, keys, usual) {
  const text = choices.get(keys.commit) ?? "";
  const asked = site.branches.findIndex(({ name }) => name === choices.get(keys.branch));
  const named = site.targets.findIndex(({ name }) => name === choices.get(keys.target));
  const wanted = named < 0 ? usual : named;
  const placeOn = (/** @type {number} */ branch) => {
    const own = runs.filter(({ commit }) => isOn(site.commits, commit, branch));
    const target = own.some((each) => each.target === wanted) ? wanted : (own[0]?.target ?? usual);
    return { branch, target, commit: namedCommit(site, text, branch), runs: own };
  };
  const isEnough = () => {
    const { target, commit, runs: own } = placeOn(asked);
    const there = own.filter((each) => each.target === (named < 0 ? target : named));
    const at = text === "" ? 0 : there.findIndex((each) => each.commit <= commit);
    return at >= 0 && there.length >= at + SPAN;
  };
  if (asked >= 0) {
    await data.branch(asked, isEnough);
  }
  const found = placeOn(asked);
  const place = found.runs.length > 0 ? found : placeOn(-1);
  const isUnknown = place.branch < 0 && place.commit < 0 && /^[0-9a-f]{4,40}$/.test(text);
  return isUnknown ? { ...place, commit: await data.commit(text) } : place; // of a long history, not all commits are loaded
}

/**
 * The set of *count* runs that ends at *commit*, among the runs around it.
 *
 * @param {readonly Run[]} runs newest first
 * @param {number} target
 * @param {number} commit the nearest run at or before it is taken
 * @param {number} count
 * @param {number} cases of the suite
 */
export function setOf(runs, target, commit, count, cases) {
  const span = cases > MANY_CASES ? SHORT_SPAN : SPAN;
  const there = runs.filter((each) => each.target === target);
  const found = there.findIndex((each) => each.commit <= commit);
  const at = found < 0 ? Math.max(0, there.length - 1) : found;
  const first = Math.max(0, Math.min(at, there.length - span));
  const around = there.slice(first, Math.max(first + span, at + count));
  return { runs: around, from: at - first, count: Math.min(count, around.length - at + first) };
}

/** The set without the runs around it. @param {Omit<Side, "readings" | "branch">} set @returns {Omit<Side, "readings" | "branch">} */
export function alone({ runs, from, count }) {
  return { runs: runs.slice(from, from + count), from: 0, count };
}

/** Whether so many runs of each side decide without others around them. @param {number} count */
export function decides(count) {
  return count > 0 && rank(count, count) > 0;
}

/** Whether that holds for each case of a set that has a ratio. @param {readonly Reading[]} readings of the set alone */
export function allDecide(readings) {
  return readings.every(({ values }) => {
    const known = values.filter((value) => value !== null && value > 0).length;
    return known === 0 || decides(known);
  });
}

/** The run before a set, -1 for none. @param {{runs: readonly Run[], from: number, count: number}} set */
export function before({ runs, from, count }) {
  return runs[from + count]?.commit ?? -1;
}

/**
 * The side without what moved the times of all its cases alike from run to run: the median of value / level over the cases.
 *
 * @param {Side} side
 * @returns {Side}
 */
export function withoutMachine(side) {
  const timed = side.readings.filter(({ unit }) => unit === "seconds").map(({ values }) => logs(values));
  const levels = timed.map((each) => median(each.filter((value) => value !== null)));
  const factors = side.runs.map((_, run) => {
    const moved = timed.flatMap((each, at) => (each[run] === null ? [] : [/** @type {number} */ (each[run]) - levels[at]]));
    return moved.length < FEWEST_CASES ? 1 : Math.exp(median(moved));
  });
  const divided = (/** @type {readonly (number | null)[]} */ values) => values.map((value, run) => (value === null ? null : value / factors[run]));
  return { ...side, readings: side.readings.map((each) => (each.unit === "seconds" ? { ...each, values: divided(each.values), low: divided(each.low), high: divided(each.high) } : each)) };
}
