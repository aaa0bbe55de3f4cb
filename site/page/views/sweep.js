// The newest values of a benchmark along one of its parameters, as a chart and as a table.

import { historyChart } from "../charts/history.js";
import { element, table } from "../dom.js";
import { quantity } from "../format.js";
import { swatch } from "./parts.js";

/**
 * @typedef {object} Sweep
 * @property {import("../models/types.js").BenchmarkFile} benchmark
 * @property {string} name of the parameter
 * @property {readonly string[]} values of it
 * @property {readonly import("../models/history.js").Line[]} lines
 * @property {boolean} log
 */

/** @param {Sweep} what @returns {Node[]} */
export function sweepSection(what) {
  const { benchmark, name, values, lines, log } = what;
  const point = element("div", { class: "point" });
  const events = {
    words: (/** @type {number} */ index) => [`${name} ${values[index]}`, ...lines.map((line) => `${line.label} ${figure(what, line, index)?.value ?? "no value"}`)].join(", "),
    point: (/** @type {number} */ index) => point.replaceChildren(element("p", {}, events.words(index))),
    pick: () => {},
    zoom: () => {},
  };
  const label = `${benchmark.name} along ${name}: the newest values. Arrow keys move from value to value.`;
  const xs = values.map((_, index) => index);
  const labelOf = (/** @type {number} */ x) => values[x] ?? "";
  const chart = historyChart({ label, xs, dates: false, labelOf, lines, marks: [], unit: benchmark.unit, log, zoom: null }, events);
  const legend = element("figcaption", {}, element("span", { class: "axis" }, name), element("ul", { class: "legend" }, ...lines.map(({ label: words, hue }) => element("li", {}, swatch(hue), words))));
  return [element("figure", { class: "plot" }, chart, legend), point, figureTable(what)];
}

/** @param {Sweep} what @param {import("../models/history.js").Line} line @param {number} index */
function figure({ benchmark }, line, index) {
  const [value, low, high] = [line.values[index], line.low[index], line.high[index]];
  return typeof value === "number" ? quantity(value, typeof low === "number" && typeof high === "number" ? [low, high] : null, benchmark.unit) : null;
}

/** @param {Sweep} what */
function figureTable(what) {
  const rows = what.values.map((value, index) => [
    [value],
    ...what.lines.map((line) => {
      const words = figure(what, line, index);
      return words ? [element("span", { class: "value" }, words.value), element("span", { class: "interval" }, words.interval ?? "interval unknown")] : ["no value"];
    }),
  ]);
  const caption = `${what.benchmark.name}: newest value with its interval for each ${what.name}`;
  return element("div", { class: "wide", role: "region", tabindex: 0, "aria-label": `Figures of ${what.benchmark.name}` }, table({ caption, head: [what.name, ...what.lines.map(({ label }) => label)], rows }));
}
