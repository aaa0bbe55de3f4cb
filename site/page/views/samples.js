// The samples of a job: their quantiles, and values over its time, a line for each process of each way.

import { scaleOf } from "../charts/scale.js";
import { element, svg, table } from "../dom.js";
import { counted, targetTitle, quantity, tick } from "../format.js";
import { levelName, processProfiles, shownLevels, summary } from "../models/samples.js";
import { swatch, wide } from "./parts.js";

const [WIDTH, HEIGHT, FOOT] = [1000, 220, 24];

/** @typedef {import("../models/samples.js").Profile} Profile */

/** @param {import("../types.js").OverviewData} overview @param {import("../models/scenarios.js").Job} job @returns {Node[]} */
export function profileParts({ targets }, { ways, scenario, name }) {
  const all = processProfiles(ways);
  if (all.length === 0) {
    return [];
  }
  const figures = [...new Set(all.map(({ target }) => target))].map((target) => figure(scenario, targetTitle(targets[target].name), all.filter((each) => each.target === target)));
  const words = (/** @type {number} */ value) => [quantity(value, null, scenario.unit).value];
  const rows = all.map((each) => {
    const { begin, most, when, end } = summary(each);
    return [[each.name, " ", element("span", { class: "detail" }, targetTitle(targets[each.target].name))], words(begin), words(most), [`${Math.round(when * 100)} %`], words(end), [String(each.processes.length)]];
  });
  const caption = `${name}: the process with the highest maximum, from the beginning of the job to its end`;
  return [...figures, wide(caption, table({ caption, kind: "profile", head: ["way", "at the beginning", "maximum", "reached at", "at the end", "processes"], rows }))];
}

/** @param {import("../types.js").ScenarioData} scenario @param {string} target @param {readonly Profile[]} lines */
function figure({ name, unit }, target, lines) {
  const scale = scaleOf([0, ...lines.flatMap(({ processes }) => processes.flat())], 5, unit);
  const y = (/** @type {number} */ value) => (1 - scale.position(value)) * (HEIGHT - FOOT);
  const path = (/** @type {readonly number[]} */ values) => values.map((value, index) => `${index ? "L" : "M"}${((index / (values.length - 1)) * WIDTH).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const drawing = svg(
    "svg",
    { class: "history-chart", width: "100%", height: HEIGHT, role: "img", "aria-label": `${name} from beginning to end on ${target}, ${counted(lines.length, "way")}. The table below has the figures.` },
    ...scale.ticks.filter((value) => value >= 0).map((value) => svg("g", { class: "grid" }, svg("line", { x1: 0, x2: "100%", y1: y(value), y2: y(value) }), svg("text", { x: -8, y: y(value) + 4, "text-anchor": "end" }, tick(value, unit)))),
    svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", width: "100%", height: HEIGHT }, ...lines.flatMap(({ hue, processes }) => processes.map((each) => svg("path", { class: `joined profile ${hue < 0 ? "context" : `series-${hue}`}`, d: path(each) })))),
    ...[0, 0.5, 1].map((share) => svg("text", { x: `${share * 100}%`, y: HEIGHT - 6, "text-anchor": share === 0 ? "start" : share === 1 ? "end" : "middle" }, `${share * 100} %`)),
  );
  return element("figure", { class: "plot" }, element("div", { class: "history" }, drawing), element("figcaption", {}, `${target}: from the beginning of the job to its end`, element("ul", { class: "legend" }, ...lines.map(({ name: way, hue }) => element("li", {}, swatch(hue), way)))));
}

/** The quantiles of the samples of each way on each Python. @param {import("../models/scenarios.js").Job} job @param {import("../types.js").OverviewData} overview */
export function samplesTable({ ways, scenario, name }, { levels, targets }) {
  const shown = shownLevels(scenario.kind);
  const cell = (/** @type {number | null | undefined} */ value) => [value === null || value === undefined ? element("span", { class: "absent" }, "unknown") : quantity(value, null, scenario.unit).value];
  const rows = ways.flatMap((way) => way.cases.flatMap(({ target, case: { distribution, result } }) => (distribution === null ? [] : [[[way.name, " ", element("span", { class: "detail" }, targetTitle(targets[target].name))], ...shown.map((level) => cell(distribution.quantiles[levels.indexOf(level)])), [typeof result === "string" || result.samples === null ? "unknown" : `${result.samples}${distribution.processes === null ? "" : ` of ${distribution.processes === 1 ? "1 process" : `${distribution.processes} processes`}`}`]]])));
  return rows.length === 0 ? null : table({ caption: `${name}: quantiles of the samples`, kind: "distribution", head: ["way", ...shown.map(levelName), "samples"], rows });
}
