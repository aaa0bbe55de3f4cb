// The controls, the chart and the downloads of a benchmark.

import { historyChart } from "../charts/history.js";
import { element, table } from "../dom.js";
import { plain, quantity, tick } from "../format.js";
import { key } from "../models/benchmark.js";
import { range } from "../models/choices.js";
import { isShared } from "../models/detail.js";
import { aligned, ANY, chosenSeries, sweep } from "../models/history.js";
import { axisOf, besideOf, changesOf, marksOf, verticalScale } from "../models/marks.js";
import { historySection, historyTable } from "./history.js";
import { seriesList } from "./series.js";
import { check, choice, controls } from "./controls.js";
import { csv, json } from "../models/exports.js";
import { save, swatch, wide } from "./parts.js";

/** @typedef {import("../models/types.js").BenchmarkFile} BenchmarkFile */

/**
 * @param {object} what
 * @param {import("../main.js").Context} what.context
 * @param {import("../models/types.js").Site} what.site
 * @param {BenchmarkFile} what.benchmark
 * @param {import("../models/benchmark.js").Chosen} what.chosen
 * @param {ReturnType<typeof import("../models/benchmark.js").offered>} what.can
 * @param {readonly import("../models/history.js").Drawn[]} what.drawn
 * @param {readonly import("../types.js").Change[]} what.changes
 * @param {readonly import("../types.js").RunMark[]} what.marks what else changed
 * @param {import("../models/history.js").Factors} what.factors
 * @param {boolean} what.isShort whether there are too few commits for a chart
 * @returns {Node[]}
 */
export function benchmarkChart({ context, site, benchmark, chosen, can, drawn, changes, marks, factors, isShort }) {
  const swept = benchmark.params.findIndex((_, index) => chosen.axis === key(index));
  if (swept >= 0) {
    const params = chosen.params.map((value, index) => (index === swept ? ANY : value));
    return sweepSection(benchmark, can.params[swept], sweep(chosenSeries(benchmark.series, params, chosen, site.targets), swept, can.params[swept], site.targets), swept, chosen.log);
  }
  const relative = chosen.relative ?? drawn.length > 1;
  const changed = (/** @type {import("../models/history.js").Series} */ series) => changedAt(series, changes, site, benchmark.changed);
  const { commits, lines } = aligned(drawn, { relative, changed, factors: ({ target }) => (chosen.raw || benchmark.unit !== "seconds" ? undefined : factors.get(target)), ticked: chosen.ticked });
  const axis = { ...axisOf(site, commits, chosen.axis === "dates"), log: chosen.log, zoom: range(context.choices, "zoom") };
  const zoomed = (/** @type {[number, number] | null} */ zoom) => context.choose({ zoom: zoom && zoom.map((each) => Number(each.toFixed(3))).join("_") });
  const shown = { site, name: benchmark.name, unit: benchmark.unit, relative, commits, lines, marks: marksOf(site, commits, changesOf(changes, drawn, site.targets), besideOf(marks, benchmark.name, drawn)), isShared: (/** @type {number} */ commit) => isShared(benchmark, commit), perPoint: benchmark.commits_per_point };
  const refused = chosen.log && lines.some(({ values }) => values.some((value) => typeof value === "number" && value <= 0)) ? [element("p", { class: "about" }, "Some values are zero or less and have no logarithm: the scale is linear.")] : [];
  if (isShort) {
    return [historyTable(shown)];
  }
  const list = drawn.length > 1 ? [element("p", { class: "about" }, "A dot is a run, a line the level between detected changes. At most six series are coloured: those that changed most. Tick others."), ...seriesList(shown, (ticked) => context.choose({ tick: ticked.join("|") }))] : [element("p", { class: "about" }, "A dot is a run, a line the level between detected changes. The interval of a run shows below.")];
  return [...refused, ...historySection(shown, axis, zoomed), ...list, historyTable(shown)];
}

/** The commits at which the level of a series changed, ascending. @param {import("../models/history.js").Series} series @param {readonly import("../types.js").Change[]} changes @param {import("../models/types.js").Site} site @param {Record<string, number>} changed indices of commits by hash */
export function changedAt(series, changes, site, changed) {
  return changesOf(changes, [{ label: "", brief: "", series }], site.targets).flatMap(({ commit }) => changed[commit] ?? []).sort((one, other) => one - other);
}

/** The newest values of a benchmark along one of its parameters. @param {BenchmarkFile} benchmark @param {readonly string[]} values @param {readonly import("../models/history.js").Line[]} lines @param {number} axis @param {boolean} log @returns {Node[]} */
function sweepSection({ name, unit, params }, values, lines, axis, log) {
  const figure = (/** @type {import("../models/history.js").Line} */ line, /** @type {number} */ index) => {
    const [value, low, high] = [line.values[index], line.low[index], line.high[index]];
    return typeof value === "number" ? quantity(value, typeof low === "number" && typeof high === "number" ? [low, high] : null, unit) : null;
  };
  const point = element("div", { class: "point" });
  const words = (/** @type {number} */ index) => [`${params[axis]} ${plain(values[index])}`, ...lines.map((line) => `${line.label} ${figure(line, index)?.value ?? "no value"}`)].join(", ");
  const events = { words, point: (/** @type {number} */ index) => point.replaceChildren(element("p", {}, words(index))), pick: () => {}, zoom: () => {} };
  const named = lines.map((line) => ({ ...line, label: lines.length > 1 && line.hue >= 0 ? line.label : "", words: "" }));
  const chart = historyChart({ label: `${name} along ${params[axis]}: the newest values. Arrow keys move from value to value.`, xs: values.map((_, index) => index), labelOf: (x) => plain(values[x] ?? ""), lines: named, marks: [], scale: verticalScale(lines, log, unit), tick: (value) => tick(value, unit), zoom: null, joined: true }, events);
  const rows = values.map((value, index) => [[plain(value)], ...lines.map((line) => {
    const found = figure(line, index);
    return found ? [element("span", { class: "value" }, found.value), " ", element("span", { class: "interval" }, found.interval ?? "interval unknown")] : ["no value"];
  })]);
  const caption = `${name}: newest value with its interval for each ${params[axis]}`;
  const legend = element("ul", { class: "legend narrow" }, ...lines.filter(({ hue }) => hue >= 0).map((line) => element("li", {}, swatch(line.hue), line.label)));
  return [element("figure", { class: "plot" }, chart, element("figcaption", {}, params[axis], lines.length > 1 ? legend : null)), point, wide(`Figures of ${name}`, table({ caption, head: [params[axis], ...lines.map(({ label }) => label)], rows }))];
}

/**
 * @param {import("../main.js").Context} context
 * @param {BenchmarkFile} benchmark
 * @param {ReturnType<typeof import("../models/benchmark.js").offered>} can
 * @param {import("../models/benchmark.js").Chosen} chosen
 * @param {boolean} isShort
 */
export function benchmarkControls({ choose }, benchmark, can, chosen, isShort) {
  const axes = /** @type {[string, string][]} */ ([["commits", "commits"], ["dates", "dates"]]);
  const swept = benchmark.params.flatMap((name, index) => (can.params[index].length > 1 ? [/** @type {[string, string]} */ ([key(index), name])] : []));
  const along = isShort && swept.length === 0 ? null : choice({ name: "axis", label: "Along", options: [...axes, ...swept], chosen: chosen.axis, choose: (each) => choose({ ...each, zoom: null }) });
  return controls(
    choice({ name: "machine", label: "Machine", options: any(can.machines), chosen: chosen.machine, choose }),
    choice({ name: "python", label: "Python", options: any(can.pythons), chosen: chosen.python, choose }),
    ...benchmark.params.map((name, index) => choice({ name: key(index), label: name, options: any(can.params[index]), chosen: chosen.params[index], choose })),
    along,
    isShort ? null : choice({ name: "relative", label: "Scale", options: [["yes", "relative to the first level"], ["no", "values"]], chosen: (chosen.relative ?? benchmark.series.length > 1) ? "yes" : "no", choose }),
    isShort ? null : check({ name: "log", label: "logarithmic", checked: chosen.log, choose: (on) => choose({ scale: on ? null : "linear" }) }),
  );
}

/** @param {readonly string[]} values @returns {[string, string][]} */
function any(values) {
  return values.length > 1 ? [[ANY, "all"], ...values.map((value) => /** @type {[string, string]} */ ([value, plain(value)]))] : [];
}

/** @param {import("../main.js").Context} context @param {import("../models/types.js").Site} site @param {BenchmarkFile} benchmark */
export function files({ data }, site, benchmark) {
  const whole = () => data.commits(0, Infinity); // of a long history, not all are loaded
  return element(
    "p",
    { class: "files" },
    save(benchmark.name, "csv", async () => (await whole(), csv(site, benchmark))),
    " ",
    save(benchmark.name, "json", async () => (await whole(), json(site, benchmark))),
    " or as the site keeps it: ",
    element("a", { href: benchmark.file }, benchmark.file),
  );
}
