// The scenarios: for each the short answer, the dot plot and the table that is its twin.

import { element, name } from "./dom.js";
import { dotPlot, legendMark } from "./dotplot.js";
import { historyLink } from "./history.js";
import { fitted } from "./fitted.js";
import { resultTable } from "./results.js";
import { counted, placeTitle } from "../format.js";
import { groups } from "../model.js";

/**
 * @param {import("../types.js").Overview} overview
 * @param {import("../state.js").State} state
 * @param {readonly number[]} places
 * @returns {HTMLElement[]}
 */
export function scenarioSections(overview, state, places) {
  return overview.scenarios.map((scenario, index) => section(overview, scenario, `scenario-${index}`, state, places));
}

function section(overview, scenario, id, state, places) {
  const table = groups(scenario, state.load, places);
  const head = [
    element("h3", { id }, ...name(scenario.name)),
    element("p", { class: "aside" }, ...name(scenario.benchmark), ` · compared with ${scenario.variants[scenario.reference]} · `, historyLink(overview, scenario.benchmark, loadParameter(scenario, state.load), "history")),
  ];
  if (table.length === 0) {
    return element("section", { class: "scenario", "aria-labelledby": id }, ...head, element("p", { class: "empty" }, "Nothing was measured for this choice."));
  }
  const columns = element(
    "div",
    { class: table.length > 3 ? "twins stacked" : "twins" },
    figure(overview, scenario, table, state),
    resultTable(overview, scenario, table, state.load),
  );
  return element("section", { class: "scenario", "aria-labelledby": id }, ...head, columns);
}

function loadParameter(scenario, load) {
  return { name: "load", value: scenario.loads.find(({ name }) => name === load)?.parameter ?? null };
}

function figure(overview, scenario, table, state) {
  const axis = state.show === "ratio" ? `time compared with ${scenario.variants[scenario.reference]}` : "time";
  const measure = scenario.unit === "seconds" ? axis : axis.replace("time", scenario.unit);
  const node = element("figure", { class: "plot" }, element("div", { class: "canvas" }), caption(overview, table, measure));
  const label = `${scenario.name}, ${state.load}: ${measure}, ${counted(table.length, "Python")}. The table beside it has the figures.`;
  const what = { table, places: overview.places, unit: scenario.unit, show: state.show, label };
  fitted(node.querySelector(".canvas"), (width) => dotPlot(what, width) ?? element("p", { class: "empty" }, "No figure to draw."));
  return node;
}

function caption(overview, table, measure) {
  const items = table.map(({ place }) => element("li", {}, legendMark(place), placeTitle(overview.places[place].name)));
  return element("figcaption", {}, element("span", { class: "axis" }, measure), element("ul", { class: "legend" }, ...items));
}
