// The list of benchmarks: the search, and the facets that narrow it.

import { wordsOf } from "./choices.js";

/** @typedef {import("./types.js").Listed} Listed */
/** @typedef {"module" | "parameter" | "python" | "unit"} Facet */
/** @typedef {Record<Facet, string>} Chosen the empty string: all */

/** @type {readonly Facet[]} */
export const FACETS = ["module", "parameter", "python", "unit"];

/**
 * A search in names, parameters and units that computes lower-case texts once, so that a key press is fast.
 *
 * @param {readonly Listed[]} benchmarks
 * @param {readonly {python: string}[]} targets
 * @returns {(text: string, chosen: Chosen) => Listed[]}
 */
export function searcher(benchmarks, targets) {
  const texts = benchmarks.map(({ name, params, unit }) => [name, ...params, unit].join(" ").toLowerCase());
  return (text, chosen) => {
    const words = wordsOf(text);
    const found = benchmarks.filter((_, index) => words.every((word) => texts[index].includes(word)));
    return found.filter((each) => FACETS.every((facet) => fits(each, facet, chosen[facet], targets)));
  };
}

/** @param {Listed} listed @param {Facet} facet @param {string} value @param {readonly {python: string}[]} targets */
function fits(listed, facet, value, targets) {
  return value === "" || valuesOf(listed, facet, targets).includes(value);
}

/**
 * The values of a benchmark: its modules from the outermost on, the names of its parameters, its Pythons, its unit.
 *
 * @param {Listed} listed
 * @param {Facet} facet
 * @param {readonly {python: string}[]} targets
 * @returns {readonly string[]}
 */
function valuesOf({ name, params, targets: own, unit }, facet, targets) {
  if (facet === "module") {
    const parts = name.split(".").slice(0, -1);
    return parts.map((_, at) => parts.slice(0, at + 1).join("."));
  }
  return facet === "parameter" ? params : facet === "python" ? [...new Set(own.map((each) => targets[each].python))] : [unit];
}

/**
 * The values of a facet with the number of benchmarks that have them and fit the other choices.
 *
 * @param {(chosen: Chosen) => readonly Listed[]} search
 * @param {Facet} facet
 * @param {Chosen} chosen
 * @param {readonly {python: string}[]} targets
 * @returns {[string, number][]}
 */
export function counts(search, facet, chosen, targets) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const value of search({ ...chosen, [facet]: "" }).flatMap((each) => valuesOf(each, facet, targets))) {
    found.set(value, (found.get(value) ?? 0) + 1);
  }
  return [...found].sort(([one], [other]) => one.localeCompare(other, "en", { numeric: true }));
}

export const ORDERS = ["change", "name", "value"];

/** @param {readonly Listed[]} found @param {string} order */
export function ordered(found, order) {
  const size = (/** @type {Listed} */ { trend }) => Math.abs(Math.log1p(Math.max(-0.999, trend ?? 0)));
  const value = (/** @type {Listed} */ each) => each.last ?? -Infinity;
  return order === "name" ? found : found.toSorted((one, other) => (order === "value" ? value(other) - value(one) : size(other) - size(one)) || 0);
}
