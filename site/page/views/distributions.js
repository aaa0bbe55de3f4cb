// How samples are distributed: strips (the box is the middle half, the line 5 to 95 %, the dots are 99 % and the
// maximum), and a table with the same figures.

import { rowPlot, hitArea } from "../charts/rows.js";
import { element, svg, table as tableOf } from "../dom.js";
import { targetTitle, quantity, tick } from "../format.js";
import { levelName, shownLevels, distributions, strips } from "../models/samples.js";
import { legendMark } from "./dotplot.js";
import { responsive } from "./parts.js";

const HALF = 5;

/** @typedef {import("../models/samples.js").VariantDistribution} VariantDistribution */
/** @typedef {ReturnType<typeof distributions>} Lines */

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../types.js").ScenarioData} scenario
 * @param {import("../models/samples.js").Table} table
 * @param {string} load
 * @returns {Node[]}
 */
export function distributionParts(overview, scenario, table, load) {
  const lines = distributions(table, overview.levels);
  if (lines.length === 0) {
    return [element("p", { class: "empty" }, "No samples were recorded for this choice.")];
  }
  const canvas = responsive(element("div", { class: "dots" }), (width) => strip(overview, scenario, lines, width));
  const targets = [...new Set(lines.flatMap(({ marks }) => marks.map(({ target }) => target)))];
  const legend = element("ul", { class: "legend" }, ...targets.map((target) => element("li", {}, legendMark(target), targetTitle(overview.targets[target].name))));
  const words = "box: the middle half, with the median; line: 5 to 95 %; small dots: 99 % and the maximum";
  return [element("figure", { class: "plot" }, canvas, element("figcaption", {}, element("span", {}, words), legend)), figureTable(overview, scenario, lines, load)];
}

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../types.js").ScenarioData} scenario
 * @param {Lines} lines
 * @param {number} width
 */
function strip({ levels, targets }, { name, unit }, lines, width) {
  const drawn = {
    variants: lines.map(({ variant }) => variant),
    rows: (/** @type {number} */ ticks) => strips(lines, levels, unit, ticks),
    tick: (/** @type {number} */ value) => tick(value, unit),
    strong: null,
    label: `${name}: the distribution of each variant's samples. The table below has the figures.`,
    draw: (/** @type {VariantDistribution} */ each, /** @type {import("../charts/rows.js").Spot} */ spot) => box(each, spot, `${targetTitle(targets[each.target].name)}: ${words(each, unit)}`),
  };
  return rowPlot(drawn, width) ?? element("p", { class: "empty" }, "No figure to draw.");
}

/** @param {VariantDistribution} spread @param {string} unit */
function words({ at }, unit) {
  const parts = [0.5, 0.95, 0.99].flatMap((level) => {
    const value = at(level);
    return value === null ? [] : [`${levelName(level)} ${quantity(value, null, unit).value}`];
  });
  return parts.join(", ");
}

/** @param {VariantDistribution} spread @param {import("../charts/rows.js").Spot} spot @param {string} title */
function box({ target, at }, spot, title) {
  const { x, y } = spot;
  const from = (/** @type {number} */ level) => {
    const value = at(level);
    return value === null ? null : x(value);
  };
  const [low, first, middle, third, high] = [0.05, 0.25, 0.5, 0.75, 0.95].map(from);
  const dots = [0, 0.99, 1].map(from).filter((each) => each !== null);
  return svg(
    "g",
    { class: `mark series-${target % 8}` },
    svg("title", {}, title),
    hitArea(spot),
    low === null || high === null ? null : svg("path", { class: "whisker", d: `M${low} ${y}H${high}` }),
    first === null || third === null ? null : svg("rect", { class: "box", x: first, y: y - HALF, width: Math.max(1, third - first), height: 2 * HALF }),
    middle === null ? null : svg("path", { class: "middle", d: `M${middle} ${y - HALF - 1}V${y + HALF + 1}` }),
    ...dots.map((each) => svg("circle", { class: "far", cx: each, cy: y, r: 1.8 })),
  );
}

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../types.js").ScenarioData} scenario
 * @param {Lines} lines
 * @param {string} load
 */
function figureTable({ targets }, { name, kind, unit }, lines, load) {
  const levels = shownLevels(kind);
  const figure = (/** @type {number | null} */ value) => [value === null ? element("span", { class: "absent" }, "unknown") : quantity(value, null, unit).value];
  const rows = lines.flatMap(({ variant, marks }) =>
    marks.map((each) => [[variant, element("span", { class: "detail" }, targetTitle(targets[each.target].name))], ...levels.map((level) => figure(each.at(level))), [counts(each)]]),
  );
  const caption = `${name}, ${load}: quantiles of the samples`;
  return element("div", { class: "wide", role: "region", tabindex: 0, "aria-label": caption }, tableOf({ caption, kind: "distribution", head: ["variant", ...levels.map(levelName), "samples"], rows }));
}

/** @param {VariantDistribution} spread */
function counts({ samples, processes }) {
  const of = processes === null ? "" : ` of ${processes === 1 ? "1 process" : `${processes} processes`}`;
  return samples === null ? "unknown" : `${samples}${of}`;
}
