// What the views of scenarios show; does not use the DOM.

import { one } from "./choices.js";
import { scaleOf } from "../charts/scale.js";

export const ALL = "all";
export const SHOWS = ["ratio", "time"];

/**
 * @typedef {object} Chosen
 * @property {string} python name of a target, or ALL
 * @property {string} load name of a load
 * @property {string} show the axis of the plots: the ratio to the reference, or the time
 */

/**
 * @param {URLSearchParams} choices
 * @param {ReturnType<typeof choicesOf>} allowed
 * @returns {Chosen}
 */
export function chosenOf(choices, allowed) {
  return {
    python: one(choices, "python", allowed.targets, ALL),
    load: one(choices, "load", allowed.loads, allowed.load),
    show: one(choices, "show", SHOWS, "ratio"),
  };
}

/**
 * The possible choices, and the load that is shown first: the one with the most figures.
 *
 * @param {import("../types.js").OverviewData} overview
 */
export function choicesOf(overview) {
  const counts = new Map();
  for (const scenario of overview.scenarios) {
    for (const { load, result } of scenario.cases) {
      const name = scenario.loads[load].name;
      counts.set(name, (counts.get(name) ?? 0) + (typeof result === "string" ? 0 : 1));
    }
  }
  const loads = [...counts.keys()];
  return {
    targets: overview.targets.map(({ name }) => name),
    loads,
    load: loads.reduce((best, name) => (counts.get(name) > (counts.get(best) ?? -1) ? name : best), ""),
  };
}

/**
 * The indices of the targets that match the choices.
 *
 * @param {import("../types.js").OverviewData} overview
 * @param {Chosen} state
 */
export function shown(overview, state) {
  return overview.targets.flatMap(({ name }, index) => (state.python === ALL || state.python === name ? [index] : []));
}

/**
 * The cases of one scenario and load, target by target, each with its variants in the suite's order.
 *
 * @param {import("../types.js").ScenarioData} scenario
 * @param {string} load
 * @param {readonly number[]} targets
 */
export function groups(scenario, load, targets) {
  const cases = scenario.cases.filter((each) => scenario.loads[each.load].name === load);
  return targets.flatMap((target) => {
    const rows = scenario.variants.flatMap((variant, index) => {
      const found = cases.find((each) => each.target === target && each.variant === index);
      return found ? [{ ...found, variant, reference: index === scenario.reference }] : [];
    });
    return rows.length ? [{ target, commit: rows[0].commit, rows }] : [];
  });
}

/**
 * The fastest variants: targets with the same variants share a line.
 *
 * @param {import("../types.js").ScenarioData} scenario
 * @param {string} load
 * @param {readonly number[]} targets
 */
export function answers(scenario, load, targets) {
  /** @type {Map<string, {variants: number[], targets: number[], ratios: import("../types.js").Ratio[]}>} */
  const lines = new Map();
  for (const { target, variants, load: index } of scenario.fastest) {
    if (targets.includes(target) && scenario.loads[index].name === load) {
      const members = [...variants].sort((one, other) => one - other);
      const key = members.join();
      const line = lines.get(key) ?? { variants: members, targets: [], ratios: [] };
      line.targets.push(target);
      line.ratios.push(...ratiosOf(scenario, target, index, variants));
      lines.set(key, line);
    }
  }
  return [...lines.values()].map((line) => ({
    names: line.variants.map((each) => scenario.variants[each]),
    targets: line.targets,
    reference: line.variants.includes(scenario.reference),
    span: span(line.ratios),
  }));
}

/** The name of the measured quantity. @param {Pick<import("../types.js").ScenarioData, "kind" | "unit">} scenario */
export function measureOf({ kind, unit }) {
  const words = new Map([["seconds", kind === "latency" ? "latency" : "time"], ["bytes", "memory"]]);
  return words.get(unit) ?? unit;
}

/**
 * The verdict on a ratio: the side of 1 that contains its whole interval.
 *
 * @param {import("../types.js").Ratio | null} ratio
 * @returns {"less" | "more" | "open" | "unknown"}
 */
export function verdict(ratio) {
  if (ratio?.interval == null) {
    return "unknown";
  }
  const [low, high] = ratio.interval;
  return high < 1 ? "less" : low > 1 ? "more" : "open";
}

/**
 * The content of a dot plot, with positions from 0 to 1.
 *
 * @param {ReturnType<typeof groups>} table
 * @param {string} show
 * @param {number} ticks the maximum number
 * @param {string} [unit]
 */
export function plot(table, show, ticks, unit = "unit") {
  const figures = table.flatMap(({ target, rows }) => rows.map((row) => ({ target, variant: row.variant, ...figure(row, show) })));
  const values = figures.flatMap(({ value, interval }) => (value === null ? [] : [value, ...(interval ?? [])]));
  if (values.length === 0) {
    return null;
  }
  const scale = scaleOf(show === "ratio" ? [...values, 1] : values, ticks, show === "ratio" ? undefined : unit);
  const variants = [...new Set(figures.map(({ variant }) => variant))];
  return {
    scale,
    lines: variants.map((variant) => ({ variant, marks: figures.filter((each) => each.variant === variant) })),
  };
}

/**
 * @param {Pick<import("../types.js").ScenarioCase, "result" | "ratio"> & {reference: boolean}} row
 * @param {string} show
 * @returns {{state: string, value: number | null, interval: [number, number] | null}}
 */
function figure({ result, ratio, reference }, show) {
  if (typeof result === "string") {
    return { state: result, value: null, interval: null };
  }
  if (show === "time") {
    return { state: "measured", value: result.value, interval: result.interval };
  }
  if (reference) {
    return { state: "reference", value: 1, interval: null };
  }
  return { state: ratio ? "measured" : "unrelated", value: ratio?.value ?? null, interval: ratio?.interval ?? null };
}

/**
 * @param {import("../types.js").ScenarioData} scenario
 * @param {number} target
 * @param {number} load
 * @param {readonly number[]} variants
 */
function ratiosOf(scenario, target, load, variants) {
  return scenario.cases
    .filter((each) => each.target === target && each.load === load && variants.includes(each.variant))
    .map(({ ratio }) => ratio)
    .filter((ratio) => ratio !== null);
}

/**
 * The lowest and the highest limit of all intervals; null where one of them is unknown.
 *
 * @param {readonly import("../types.js").Ratio[]} ratios
 * @returns {[number, number] | null}
 */
function span(ratios) {
  const intervals = ratios.map(({ interval }) => interval).filter((each) => each !== null);
  if (ratios.length === 0 || intervals.length < ratios.length) {
    return null;
  }
  return [Math.min(...intervals.map(([low]) => low)), Math.max(...intervals.map(([, high]) => high))];
}
