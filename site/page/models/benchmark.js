// The choices on the page of a benchmark.

import { keyByName, one } from "./choices.js";
import { ANY, MOST_LINES, valuesOf } from "./history.js";

/** Lines from which on a chart begins with the newest Python alone. */
const MANY_LINES = 12;

/**
 * @typedef {object} Chosen
 * @property {string} machine or ANY
 * @property {string} python or ANY
 * @property {string[]} params a value or ANY for each
 * @property {string} axis "commits", "dates", or a parameter as p0, p1 …
 * @property {boolean} log
 * @property {boolean | null} relative to the first level; null: from two series on
 * @property {boolean} raw with what the machine did to all times of a run
 * @property {string[]} ticked series in colour; empty for those that moved most
 */

/** The name of a parameter's choice in the address. @param {number} index */
export function key(index) {
  return `p${index}`;
}

/**
 * The names and values that can be chosen.
 *
 * @param {readonly import("./history.js").Series[]} series
 * @param {readonly string[]} names of parameters
 * @param {readonly {machine: string, python: string}[]} targets
 */
export function offered(series, names, targets) {
  const here = [...new Set(series.map(({ target }) => target))].map((index) => targets[index]);
  return {
    machines: [...new Set(here.map(({ machine }) => machine))],
    pythons: [...new Set(here.map(({ python }) => python))],
    names,
    params: valuesOf(series, names.length),
  };
}

/**
 * @param {URLSearchParams} choices
 * @param {ReturnType<typeof offered>} can
 * @param {readonly import("./history.js").Series[]} series
 * @param {readonly {machine: string, python: string}[]} targets
 * @returns {Chosen}
 */
export function chosenIn(choices, can, series, targets) {
  const first = readable(can, series, targets);
  return {
    machine: one(choices, "machine", [ANY, ...can.machines], first.machine),
    python: one(choices, "python", [ANY, ...can.pythons], first.python),
    params: can.params.map((values, index) => one(choices, key(index), [ANY, ...values], one(choices, keyByName(can.names[index]), values, first.params[index]))),
    axis: one(choices, "axis", ["commits", "dates", ...can.params.map((_, index) => key(index))], "commits"),
    log: choices.get("scale") !== "linear",
    relative: choices.has("relative") ? choices.get("relative") === "yes" : null,
    raw: choices.get("raw") === "yes",
    ticked: choices.getAll("tick").flatMap((each) => each.split("|")).filter(Boolean),
  };
}

/**
 * The default choices: the machine with the most points; a line for each Python and parameter while the lines are few
 * enough, otherwise the newest Python and one value of the last parameters.
 *
 * @param {ReturnType<typeof offered>} can
 * @param {readonly import("./history.js").Series[]} series
 * @param {readonly {machine: string, python: string}[]} targets
 */
function readable(can, series, targets) {
  const points = (/** @type {string} */ machine) =>
    series.reduce((sum, each) => sum + (targets[each.target].machine === machine ? each.commits.length : 0), 0);
  const machine = can.machines.length > 1 ? can.machines.reduce((best, each) => (points(each) > points(best) ? each : best)) : ANY;
  const params = can.params.map(() => ANY);
  let lines = can.params.reduce((product, values) => product * values.length, 1);
  for (let index = params.length - 1; index >= 0 && lines > MOST_LINES; index -= 1) {
    params[index] = can.params[index][0] ?? ANY;
    lines /= can.params[index].length;
  }
  const python = lines * can.pythons.length > MANY_LINES ? (newest(can.pythons) ?? ANY) : ANY;
  return { machine, python, params };
}

/** @param {readonly string[]} pythons */
function newest(pythons) {
  return pythons.toSorted((one, other) => one.localeCompare(other, "en", { numeric: true })).at(-1);
}
