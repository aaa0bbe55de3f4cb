// Python × variant as a table of ratios: the figure is in each cell, the colour only repeats it.

import { element, name } from "../dom.js";
import { absence, targetTitle, ratio as worded } from "../format.js";
import { verdict } from "../models/scenarios.js";

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../types.js").ScenarioData} scenario
 * @param {ReturnType<typeof import("../models/scenarios.js").groups>} table
 * @param {string} load
 */
export function heatMap(overview, scenario, table, load) {
  const targets = table.map(({ target }) => targetTitle(overview.targets[target].name));
  const head = ["variant", ...targets].map((text) => element("th", { scope: "col" }, text));
  const rows = scenario.variants.map((variant, index) => element("tr", {}, element("th", { scope: "row" }, ...name(variant)), ...table.map(({ rows: lines }) => cell(lines.find((each) => each.variant === variant), index === scenario.reference))));
  const caption = element("caption", {}, `${scenario.name}, ${load}: ratio to ${scenario.variants[scenario.reference]} on every Python`);
  return element("div", { class: "wide", role: "region", tabindex: 0, "aria-label": `${scenario.name} on every Python` }, element("table", { class: "heat" }, caption, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)));
}

/**
 * @param {ReturnType<typeof import("../models/scenarios.js").groups>[number]["rows"][number] | undefined} line
 * @param {boolean} reference
 */
function cell(line, reference) {
  if (line === undefined || line.result.state !== "measured") {
    return element("td", { class: "absent" }, line === undefined ? "–" : absence(line.result.state));
  }
  if (reference || line.ratio === null) {
    return element("td", {}, reference ? "1×" : "no ratio");
  }
  return element("td", { class: `heat-${depth(line.ratio)}` }, worded(line.ratio.value, null).value);
}

/** How deep the colour is: by factors of two, and none where nothing is clear. @param {import("../types.js").Ratio} ratio */
function depth(ratio) {
  const side = verdict(ratio);
  if (side !== "less" && side !== "more") {
    return "open";
  }
  const steps = ratio.value > 0 ? Math.min(3, Math.max(1, Math.ceil(Math.abs(Math.log2(ratio.value))))) : 3;
  return `${side}-${steps}`;
}
