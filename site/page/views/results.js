// The figures of a scenario. Several Pythons are columns where there is room, else each is a group of rows.

import { olderCommit } from "./older.js";
import { element, name } from "../dom.js";
import { legendMark } from "./dotplot.js";
import { fitted } from "./fitted.js";
import { ratioParts, resultParts } from "./figures.js";
import { targetTitle } from "../format.js";
import { measureOf } from "../models/scenarios.js";

const COLUMN = 140;

/** @typedef {ReturnType<typeof import("../models/scenarios.js").groups>} Table */
/** @typedef {Table[number]} Group */

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../types.js").ScenarioData} scenario
 * @param {ReturnType<typeof import("../models/scenarios.js").groups>} table
 * @param {string} load
 */
export function resultTable(overview, scenario, table, load) {
  const caption = () => element("caption", {}, `${scenario.name}, ${load}: median and ratio to ${scenario.variants[scenario.reference]}, each with its interval`);
  return fitted(element("div", { class: "results" }), (width) =>
    table.length > 1 && width >= COLUMN * (table.length + 1) ? columns(overview, scenario, table, caption()) : rows(overview, scenario, table, caption()),
  );
}

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../types.js").ScenarioData} scenario
 * @param {Table} table
 * @param {HTMLElement} caption
 */
function columns(overview, scenario, table, caption) {
  const variants = [...new Set(table.flatMap(({ rows: lines }) => lines.map(({ variant }) => variant)))];
  const heads = table.map(({ target, commit }) => element("th", { scope: "col" }, ...targetHead(overview, target, commit)));
  const cell = (/** @type {string} */ variant) => (/** @type {Group} */ { rows: lines }) => {
    const line = lines.find((each) => each.variant === variant);
    return element("td", { class: "figure" }, ...(line ? [...resultParts(line.result, scenario.unit), element("span", { class: "ratio" }, ...ratioParts(line, scenario.unit))] : ["–"]));
  };
  return element(
    "table",
    { class: "figures by-column" },
    caption,
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "variant"), ...heads)),
    element("tbody", {}, ...variants.map((variant) => element("tr", {}, element("th", { scope: "row" }, ...name(variant)), ...table.map(cell(variant))))),
  );
}

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../types.js").ScenarioData} scenario
 * @param {Table} table
 * @param {HTMLElement} caption
 */
function rows(overview, scenario, table, caption) {
  const reference = scenario.variants[scenario.reference];
  const header = ["variant", measureOf(scenario), `compared with ${reference}`];
  const line = (/** @type {Group["rows"][number]} */ row) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, ...name(row.variant)),
      element("td", { class: "figure" }, ...resultParts(row.result, scenario.unit)),
      element("td", { class: "figure" }, ...ratioParts(row, scenario.unit)),
    );
  const group = (/** @type {Group} */ { target, commit, rows: lines }) =>
    element("tbody", {}, element("tr", { class: "group" }, element("th", { scope: "rowgroup", colspan: 3 }, ...targetHead(overview, target, commit))), ...lines.map(line));
  return element("table", { class: "figures" }, caption, element("thead", {}, element("tr", {}, ...header.map((text) => element("th", { scope: "col" }, text)))), ...table.map(group));
}

/** @param {import("../types.js").OverviewData} overview @param {number} target @param {number} commit */
function targetHead(overview, target, commit) {
  return [legendMark(target), targetTitle(overview.targets[target].name), olderCommit(overview, target, commit)];
}
