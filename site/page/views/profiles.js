// Values over the time of a job: a line for each process of each variant, and a table with the same figures.

import { scaleOf } from "../charts/scale.js";
import { element, svg, table as tableOf } from "../dom.js";
import { counted, targetTitle, quantity, tick } from "../format.js";
import { processProfiles, summary } from "../models/samples.js";
import { responsive, swatch } from "./parts.js";

const HEIGHT = 240;
const ROOM = { left: 74, right: 24, top: 10, bottom: 26 };

/** @typedef {import("../models/samples.js").Profile} Profile */

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../types.js").ScenarioData} scenario
 * @param {import("../models/samples.js").Table} table
 * @param {string} load
 * @returns {Node[]}
 */
export function profileParts(overview, scenario, table, load) {
  const all = processProfiles(table);
  if (all.length === 0) {
    return [element("p", { class: "empty" }, "No values over time were recorded for this choice.")];
  }
  const targets = [...new Set(all.map(({ target }) => target))];
  const figures = targets.map((target) => figure(scenario, targetTitle(overview.targets[target].name), all.filter((each) => each.target === target)));
  return [element("div", { class: "profiles" }, ...figures), figureTable(overview, scenario, all, load)];
}

/** @param {import("../types.js").ScenarioData} scenario @param {string} target @param {readonly Profile[]} lines */
function figure({ name, unit }, target, lines) {
  const canvas = responsive(element("div", { class: "dots" }), (width) => drawing(lines, unit, `${name} from beginning to end on ${target}, ${counted(lines.length, "variant")}. The table below has the figures.`, width));
  const legend = lines.map(({ variant, hue }) => element("li", {}, swatch(hue), variant));
  return element("figure", { class: "plot" }, canvas, element("figcaption", {}, element("span", {}, `${target}: from the beginning of the job to its end`), element("ul", { class: "legend" }, ...legend)));
}

/** @param {readonly Profile[]} lines @param {string} unit @param {string} label @param {number} width */
function drawing(lines, unit, label, width) {
  const scale = scaleOf([0, ...lines.flatMap(({ processes }) => processes.flat())], 5, unit);
  const [across, down] = [width - ROOM.left - ROOM.right, HEIGHT - ROOM.top - ROOM.bottom];
  const x = (/** @type {number} */ share) => ROOM.left + share * across;
  const y = (/** @type {number} */ value) => ROOM.top + (1 - scale.position(value)) * down;
  const path = (/** @type {readonly number[]} */ values) => values.map((value, index) => `${index ? "L" : "M"}${x(index / (values.length - 1)).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const grid = (/** @type {number} */ value) => svg("g", { class: "grid" }, svg("line", { x1: ROOM.left, x2: width - ROOM.right, y1: y(value), y2: y(value) }), svg("text", { x: ROOM.left - 8, y: y(value) + 4, "text-anchor": "end" }, tick(value, unit)));
  const share = (/** @type {number} */ each) => svg("g", { class: "grid" }, svg("text", { x: x(each), y: HEIGHT - 8, "text-anchor": "middle" }, `${each * 100} %`));
  return svg(
    "svg",
    { class: "dotplot", width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label },
    ...scale.ticks.filter((value) => value >= 0).map(grid),
    ...[0, 0.25, 0.5, 0.75, 1].map(share),
    ...lines.flatMap(({ hue, processes }) => processes.map((each) => svg("path", { class: `profile series-${hue % 8}${hue < 8 ? "" : " dashed"}`, d: path(each) }))),
  );
}

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../types.js").ScenarioData} scenario
 * @param {readonly Profile[]} all
 * @param {string} load
 */
function figureTable({ targets }, { name, unit }, all, load) {
  const words = (/** @type {number} */ value) => [quantity(value, null, unit).value];
  const rows = all.map((each) => {
    const { begin, most, when, end } = summary(each);
    return [[each.variant, element("span", { class: "detail" }, targetTitle(targets[each.target].name))], words(begin), words(most), [`${Math.round(when * 100)} %`], words(end), [String(each.processes.length)]];
  });
  const caption = `${name}, ${load}: the process with the highest maximum, from the beginning of the job to its end`;
  return element("div", { class: "wide", role: "region", tabindex: 0, "aria-label": caption }, tableOf({ caption, kind: "profile", head: ["variant", "at the beginning", "maximum", "reached at", "at the end", "processes"], rows }));
}
