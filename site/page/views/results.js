// The figures of a scenario as tables: by Python in columns or in groups of rows, and as ratios for all Pythons.

import { element, name, link } from "../dom.js";
import { legendMark } from "./dotplot.js";
import { responsive } from "./parts.js";
import { ratioParts, resultParts } from "./figures.js";
import { targetTitle, absence, ratio as worded, shortHash } from "../format.js";
import { measureOf, verdict } from "../models/scenarios.js";

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
  return responsive(element("div", { class: "results" }), (width) =>
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
  const absent = line === undefined ? "–" : typeof line.result === "string" ? absence(line.result) : null;
  if (line === undefined || absent !== null) {
    return element("td", { class: "absent" }, absent ?? "");
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

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {number} target
 * @param {number} commit
 */
export function olderCommit(overview, target, commit) {
  const { hash, url } = overview.commits[commit];
  return commit === overview.targets[target].commit ? null : element("span", { class: "detail" }, "older: ", link(url, shortHash(hash)));
}
