// The scenarios: for each the short answer, the dot plot and the table with the same figures.

import { address, element, name } from "../dom.js";
import { profileParts } from "./profiles.js";
import { dotPlot, legendMark } from "./dotplot.js";
import { responsive, disclosure } from "./parts.js";
import { heatMap, resultTable } from "./results.js";
import { sentence } from "./answers.js";
import { distributionParts } from "./distributions.js";
import { counted, targetTitle } from "../format.js";
import { keyByName } from "../models/benchmark.js";
import { groups, measureOf } from "../models/scenarios.js";

/** @typedef {ReturnType<typeof groups>} Table */

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../models/scenarios.js").Chosen} state
 * @param {readonly number[]} targets
 * @returns {HTMLElement[]}
 */
export function scenarioSections(overview, state, targets) {
  return overview.scenarios.map((scenario, index) => section(overview, scenario, `scenario-${index}`, state, targets));
}

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../types.js").ScenarioData} scenario
 * @param {string} id
 * @param {import("../models/scenarios.js").Chosen} state
 * @param {readonly number[]} targets
 */
function section(overview, scenario, id, state, targets) {
  const table = groups(scenario, state.load, targets);
  const head = [
    element("h3", { id }, ...name(scenario.name)),
    element("p", { class: "aside" }, ...name(scenario.benchmark), ` · compared with ${scenario.variants[scenario.reference]} · `, element("a", { href: address("benchmark", { name: scenario.benchmark, ...loadChoice(scenario, state.load) }) }, "history", element("span", { class: "unseen" }, ` of ${scenario.name}`))),
  ];
  if (table.length === 0) {
    return element("section", { class: "scenario", "aria-labelledby": id }, ...head, element("p", { class: "empty" }, "Nothing was measured for this choice."));
  }
  const columns = element(
    "div",
    { class: table.length > 3 ? "side-by-side stacked" : "side-by-side" },
    figure(overview, scenario, table, state),
    resultTable(overview, scenario, table, state.load),
  );
  const heat = table.length > 1 ? disclosure(`Every Python at once: ${scenario.name}`, () => [heatMap(overview, scenario, table, state.load)]) : null;
  return element("section", { class: "scenario", "aria-labelledby": id }, ...head, sentence(overview, scenario, state.load, targets), columns, heat, ...inside(overview, scenario, table, state.load));
}

/**
 * The details of a scenario: the distribution of its samples, or its values over time. For latencies and profiles they
 * are open from the start.
 *
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../types.js").ScenarioData} scenario
 * @param {Table} table
 * @param {string} load
 */
function inside(overview, scenario, table, load) {
  if (scenario.kind === "profile") {
    return [disclosure(`${scenario.unit === "bytes" ? "Memory" : "Values"} over time: ${scenario.name}`, () => profileParts(overview, scenario, table, load), true)];
  }
  const latency = scenario.kind === "latency";
  const words = latency ? "Latency percentiles" : "Distribution of the samples";
  return [disclosure(`${words}: ${scenario.name}`, () => [element("div", { class: "side-by-side stacked" }, ...distributionParts(overview, scenario, table, load))], latency)];
}

/** The choice of a load in the address of a benchmark. @param {import("../types.js").ScenarioData} scenario @param {string} load */
function loadChoice({ loads, load_parameter }, load) {
  const parameter = loads.find(({ name: each }) => each === load)?.parameter ?? null;
  return load_parameter === null ? {} : { [keyByName(load_parameter)]: parameter };
}

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../types.js").ScenarioData} scenario
 * @param {Table} table
 * @param {import("../models/scenarios.js").Chosen} state
 */
function figure(overview, scenario, table, state) {
  const measure = state.show === "ratio" ? `${measureOf(scenario)} compared with ${scenario.variants[scenario.reference]}` : measureOf(scenario);
  const canvas = element("div", { class: "dots" });
  const label = `${scenario.name}, ${state.load}: ${measure}, ${counted(table.length, "Python")}. The table beside it has the figures.`;
  const what = { table, targets: overview.targets, unit: scenario.unit, show: state.show, label };
  responsive(canvas, (width) => dotPlot(what, width) ?? element("p", { class: "empty" }, "No figure to draw."));
  return element("figure", { class: "plot" }, canvas, caption(overview, table, measure));
}

/** @param {import("../types.js").OverviewData} overview @param {Table} table @param {string} measure */
function caption(overview, table, measure) {
  const items = table.map(({ target }) => element("li", {}, legendMark(target), targetTitle(overview.targets[target].name)));
  return element("figcaption", {}, element("span", { class: "axis" }, measure), element("ul", { class: "legend" }, ...items));
}
