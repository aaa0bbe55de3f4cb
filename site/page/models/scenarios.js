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
 * @typedef {{scenario: Scenario, name: string, load: string, small: boolean, ways: Way[], best: Way | null, few: boolean}} Job *small*: no advice follows from its load; *best*: clearly below the reference at all targets that have an interval; *few*: no target has one
 */

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

/** Those of which two ways have a figure, the ones with a clear answer first. @param {Overview} overview @param {Board | null} board @returns {Job[]} */
export function jobsOf(overview, board) {
  const all = overview.scenarios.map((scenario) => jobOf(scenario, board, usualLoad(scenario)));
  return all.filter(({ ways }) => ways.filter(({ cases }) => valuesOf(cases).length > 0).length > 1).toSorted((one, other) => Number(one.best === null) - Number(other.best === null));
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
  return { scenario, name: nameOf(board, scenario), load: name, small: (board?.never ?? []).includes(name), ways: shown, best: bestOf(shown), few: !shown.some(({ reference, cases }) => !reference && decidable(cases).length > 0) };
}

/** The ratios that have an interval: others have too few samples to say anything. @param {Way["cases"]} cases */
function decidable(cases) {
  return cases.flatMap(({ case: { ratio } }) => (ratio?.interval == null ? [] : [{ value: ratio.value, high: ratio.interval[1] }]));
}

/** @param {readonly Way[]} ways @returns {Way | null} */
function bestOf(ways) {
  const clear = ways.filter(({ reference, cases }) => !reference && cases.every(({ case: { ratio } }) => ratio !== null) && decidable(cases).length > 0 && decidable(cases).every(({ value, high }) => high < 1 && value <= 0.97));
  return clear.reduce((best, each) => (best === null || middle(each) < middle(best) ? each : best), /** @type {Way | null} */ (null));
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
