// The list of benchmarks: the search, and the tree of modules.

import { wordsOf } from "./choices.js";

/** @typedef {import("./types.js").Listed} Listed */
/** @typedef {{name: string, path: string, count: number, branches: Branch[], leaves: Listed[]}} Branch */

/**
 * A search that computes lower-case names once, so that a key press is fast.
 *
 * @param {readonly Listed[]} benchmarks
 * @returns {(text: string, module: string) => Listed[]}
 */
export function searcher(benchmarks) {
  const names = benchmarks.map(({ name }) => name.toLowerCase());
  return (text, module) => {
    const words = wordsOf(text);
    return benchmarks.filter((each, index) => inside(each.name, module) && words.every((word) => names[index].includes(word)));
  };
}

/** @param {string} name @param {string} module */
function inside(name, module) {
  return module === "" || name === module || name.startsWith(`${module}.`);
}

export const ORDERS = ["name", "slower", "faster", "value"];

/** @param {readonly Listed[]} found @param {string} order */
export function ordered(found, order) {
  const worst = (/** @type {Listed} */ each) => each.trend ?? -Infinity;
  const best = (/** @type {Listed} */ each) => each.trend ?? Infinity;
  const value = (/** @type {Listed} */ each) => each.last ?? -Infinity;
  const by = new Map([["slower", (/** @type {Listed} */ one, /** @type {Listed} */ other) => worst(other) - worst(one) || 0], ["faster", (one, other) => best(one) - best(other) || 0], ["value", (one, other) => value(other) - value(one) || 0]]);
  const compare = by.get(order);
  return compare ? found.toSorted(compare) : found;
}

/**
 * Modules as a tree; a module with a single module in it is shown as one.
 *
 * @param {readonly Listed[]} benchmarks
 * @returns {Branch}
 */
export function treeOf(benchmarks) {
  /** @type {Branch} */
  const root = { name: "", path: "", count: 0, branches: [], leaves: [] };
  for (const each of benchmarks) {
    let branch = root;
    root.count += 1;
    for (const part of each.name.split(".").slice(0, -1)) {
      branch = child(branch, part);
      branch.count += 1;
    }
    branch.leaves.push(each);
  }
  return root;
}

/** @param {Branch} branch @param {string} name @returns {Branch} */
function child(branch, name) {
  const found = branch.branches.find((each) => each.name === name);
  if (found) {
    return found;
  }
  const made = { name, path: branch.path ? `${branch.path}.${name}` : name, count: 0, branches: [], leaves: [] };
  branch.branches.push(made);
  return made;
}
