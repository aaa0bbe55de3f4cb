// The dot plot: values with intervals on one axis, a row for each variant and a mark for each Python. The table beside
// it has the same figures.

import { rowPlot, hitArea } from "../charts/rows.js";
import { svg } from "../dom.js";
import { absence, quantity, ratio as worded, tick } from "../format.js";
import { plot } from "../models/scenarios.js";

const RADIUS = 4.5;

/** @typedef {NonNullable<ReturnType<typeof plot>>["lines"][number]["marks"][number]} Mark */
/** @typedef {(mark: {value: number, interval: [number, number] | null}) => {value: string, interval: string | null}} Words */

/**
 * @param {object} what
 * @param {ReturnType<typeof import("../models/scenarios.js").groups>} what.table
 * @param {readonly import("../types.js").OverviewTarget[]} what.targets
 * @param {string} what.unit
 * @param {string} what.show
 * @param {string} what.label
 * @param {number} width in CSS pixels
 * @returns {SVGElement | null} null without a figure to draw
 */
export function dotPlot({ table, targets, unit, show, label }, width) {
  /** @type {Words} */
  const words = (mark) => (show === "ratio" ? worded(mark.value, mark.interval) : quantity(mark.value, mark.interval, unit));
  const drawn = {
    variants: table.flatMap(({ rows }) => rows.map(({ variant }) => variant)),
    rows: (/** @type {number} */ ticks) => plot(table, show, ticks, unit),
    tick: (/** @type {number} */ value) => tick(value, show === "ratio" ? null : unit),
    strong: show === "ratio" ? 1 : null,
    label,
    draw: (/** @type {Mark} */ each, /** @type {import("../charts/rows.js").Spot} */ spot) => mark(each, spot, targets[each.target], words),
  };
  return rowPlot(drawn, width);
}

/** The mark of the legend. @param {number} index of the target */
export function legendMark(index) {
  return svg("svg", { class: "legend-mark", width: 14, height: 14, viewBox: "-7 -7 14 14", "aria-hidden": "true" }, shape(index, 0, 0, false));
}

/**
 * @param {Mark} each
 * @param {import("../charts/rows.js").Spot} spot
 * @param {import("../types.js").OverviewTarget} target
 * @param {Words} words
 */
function mark(each, spot, target, words) {
  const { x, y, left } = spot;
  if (each.value === null) {
    return svg("text", { class: `gap ${each.state}`, x: left, y: y + 4 }, `${target.name}: ${absence(each.state)}`);
  }
  const { value, interval } = words({ value: each.value, interval: each.interval });
  const title = `${target.name}: ${value}${interval ? ` (${interval})` : each.state === "reference" ? " (reference)" : " (interval unknown)"}`;
  return svg(
    "g",
    { class: `mark series-${each.target % 8}` },
    svg("title", {}, title),
    hitArea(spot),
    each.interval ? svg("path", { class: "whisker", d: whisker(x(each.interval[0]), x(each.interval[1]), y) }) : null,
    shape(each.target, x(each.value), y, each.interval === null && each.state !== "reference"),
  );
}

/** @param {number} from @param {number} to @param {number} y */
function whisker(from, to, y) {
  return `M${from} ${y - 4}V${y + 4}M${from} ${y}H${to}M${to} ${y - 4}V${y + 4}`;
}

/**
 * A shape for each target, so that targets differ not in colour alone; hollow where the interval is unknown.
 *
 * @param {number} index
 * @param {number} x
 * @param {number} y
 * @param {boolean} hollow
 */
function shape(index, x, y, hollow) {
  const r = RADIUS;
  const shapes = [
    `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
    `M${x - r + 0.5} ${y - r + 0.5}h${2 * r - 1}v${2 * r - 1}h${-2 * r + 1}Z`,
    `M${x} ${y - r - 0.5}L${x + r + 0.5} ${y + r - 0.5}H${x - r - 0.5}Z`,
    `M${x} ${y - r - 1}L${x + r + 1} ${y}L${x} ${y + r + 1}L${x - r - 1} ${y}Z`,
    `M${x} ${y + r + 0.5}L${x + r + 0.5} ${y - r + 0.5}H${x - r - 0.5}Z`,
    `M${x - r} ${y - 1.5}h${r - 1.5}v${-r + 1.5}h3v${r - 1.5}h${r - 1.5}v3h${-r + 1.5}v${r - 1.5}h-3v${-r + 1.5}h${-r + 1.5}Z`,
    `M${x - r} ${y - 2.5}h${2 * r}v5h${-2 * r}Z`,
    `M${x - 2.5} ${y - r}h5v${2 * r}h-5Z`,
  ];
  return svg("path", { class: `dot series-${index % 8}${hollow ? " hollow" : ""}`, d: shapes[index % shapes.length] });
}
