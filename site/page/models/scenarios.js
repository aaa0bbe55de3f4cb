// What the pages show of scenarios: for each way its values and its ratios to the reference. Does not use the DOM.

/**
 * @typedef {import("../types.js").OverviewData} Overview
 * @typedef {import("../types.js").ScenarioData} Scenario
 * @typedef {import("../types.js").ScenarioCase} Case
 * @typedef {import("../types.js").BoardSettings} Board
 *
 * @typedef {object} Way a variant of a scenario at one load
 * @property {string} variant
 * @property {string} name for readers
 * @property {boolean} reference
 * @property {{target: number, case: Case}[]} cases of each target
 *
 * @typedef {{scenario: Scenario, name: string, load: string, small: boolean, ways: Way[], best: Way[], faster: Way[], open: Way[], slower: Way[], few: boolean}} Job *small*: no advice follows from its load; *best*: the fastest way that is clearly below the reference, and those that equal it; *faster*: other ways clearly below it; *slower*: clearly above; *open*: neither; *few*: no target has an interval
 */

/** The smallest ratio between ways that differ; closer ones are alike. */
const LEAST = 1.03;

/** The name for readers of a scenario, or of one of its variants; a configuration names its class, its variants there, or variants anywhere. @param {Board | null} board @param {Pick<Scenario, "name" | "benchmark">} scenario @param {string} [variant] */
export function nameOf(board, { name, benchmark }, variant) {
  const names = new Map(Object.entries(board?.names ?? {}));
  const path = benchmark.slice(0, Math.max(0, benchmark.lastIndexOf(".")));
  const known = variant === undefined ? [path, name] : [`${path}.${variant}`, variant];
  return known.map((each) => names.get(each)).find((each) => each !== undefined) ?? variant ?? name;
}

/** The load with the most figures. @param {Scenario} scenario */
export function usualLoad({ cases, loads }) {
  const count = (/** @type {number} */ load) => cases.filter((each) => each.load === load && typeof each.result !== "string").length;
  return loads.map((_, index) => index).reduce((best, load) => (count(load) > count(best) ? load : best), 0);
}

/** Those of which two ways have a figure, the ones with a clear answer first, each in the order of the configured names. @param {Overview} overview @param {Board | null} board @returns {Job[]} */
export function jobsOf(overview, board) {
  const all = overview.scenarios.map((scenario) => jobOf(scenario, board, usualLoad(scenario)));
  const order = Object.keys(board?.names ?? {});
  const place = (/** @type {Job} */ { scenario: { benchmark }, best }) => {
    const at = order.indexOf(benchmark.slice(0, Math.max(0, benchmark.lastIndexOf("."))));
    return (best.length ? 0 : 2 * order.length) + (at < 0 ? order.length : at);
  };
  return all.filter(({ ways }) => ways.filter(({ cases }) => valuesOf(cases).length > 0).length > 1).toSorted((one, other) => place(one) - place(other));
}

/** @param {Scenario} scenario @param {Board | null} board @param {number} load @returns {Job} */
export function jobOf(scenario, board, load) {
  const ways = scenario.variants.map((variant, index) => ({
    variant,
    name: nameOf(board, scenario, variant),
    reference: index === scenario.reference,
    cases: scenario.cases.filter((each) => each.load === load && each.variant === index).map((each) => ({ target: each.target, case: each })),
  }));
  const { name } = scenario.loads[load];
  const shown = ways.filter(({ cases }) => cases.some((each) => each.case.result === "failed" || typeof each.case.result !== "string")); // not those that a run left out
  const others = shown.filter(({ reference, cases }) => !reference && ratiosOf(cases).length > 0);
  const [below, slower] = [-1, 1].map((side) => others.filter(({ cases }) => isClear(cases, side)));
  const best = equals(below);
  const faster = below.filter((way) => !best.includes(way));
  const open = others.filter((way) => ![...below, ...slower].includes(way));
  return { scenario, name: nameOf(board, scenario), load: name, small: (board?.never ?? []).includes(name), ways: shown, best, faster, open, slower, few: !others.some(({ cases }) => decidable(cases).length > 0) };
}

/** The ratios that have an interval: others have too few samples to say anything. @param {Way["cases"]} cases */
function decidable(cases) {
  return cases.flatMap(({ case: { ratio } }) => (ratio?.interval == null ? [] : [{ value: ratio.value, interval: ratio.interval }]));
}

/** Whether a way is below (-1) or above (1) the reference at all targets that have an interval. @param {Way["cases"]} cases @param {number} side */
function isClear(cases, side) {
  const found = decidable(cases);
  return found.length > 0 && cases.every(({ case: { ratio } }) => ratio !== null) && found.every(({ value, interval }) => (side < 0 ? interval[1] < 1 && value * LEAST <= 1 : interval[0] > 1 && value >= LEAST));
}

/** The fastest of some ways, and those that equal it: at every target their intervals overlap, or the values hardly differ. @param {readonly Way[]} ways @returns {Way[]} */
function equals(ways) {
  const least = ways.toSorted((one, other) => middle(one) - middle(other))[0];
  return ways.filter((way) => way.cases.every((each) => least.cases.every((own) => each.target !== own.target || isAlike(own.case.result, each.case.result))));
}

/** @param {Case["result"]} least @param {Case["result"]} other */
function isAlike(least, other) {
  return typeof least !== "string" && typeof other !== "string" && (other.value <= least.value * LEAST || (least.interval !== null && other.interval !== null && other.interval[0] <= least.interval[1]));
}

/** The ratio of a way in the middle of its targets. @param {Way} way */
export function middle({ cases }) {
  const ratios = ratiosOf(cases).sort((one, other) => one - other);
  return ratios[ratios.length >> 1] ?? 1;
}

/** @param {Way["cases"]} cases */
export function ratiosOf(cases) {
  return cases.flatMap(({ case: { ratio } }) => (ratio ? [ratio.value] : []));
}

/** @param {Way["cases"]} cases */
export function valuesOf(cases) {
  return cases.flatMap(({ case: { result } }) => (typeof result === "string" ? [] : [result.value]));
}

/** A share in words: “a third”. @param {number} ratio below 1 */
export function shareWords(ratio) {
  const known = /** @type {[number, string][]} */ ([[2, "half"], [3, "a third"], [4, "a quarter"], [5, "a fifth"], [10, "a tenth"]]).find(([parts]) => Math.abs(ratio * parts - 1) < 0.06);
  return known?.[1] ?? `${Number((ratio * 100).toPrecision(2))} %`;
}
