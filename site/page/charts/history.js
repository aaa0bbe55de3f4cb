// A history: lines with their interval bands, gaps, change points and releases. uPlot draws axes and lines; the rest
// is drawn here. Mouse, touch and keyboard choose a point; the page receives it and shows its values.

import uPlot from "../vendor/uplot/uPlot.min.js";
import { turn } from "../data.js";
import { element } from "../dom.js";
import { tick } from "../format.js";
import { keyboard } from "./keyboard.js";
import { bands, marks, palette, scaleName } from "./overlays.js";

const HEIGHT = 380;
const BRUSH = 54;
const BINARY = Array.from({ length: 60 }, (_, power) => 2 ** power);

const dressed = dress();
/** The first chart of a visit is drawn in a task of its own; later ones replace another, and do not flicker. */
let apart = turn;

/**
 * @typedef {import("../models/history.js").Line} Line
 * @typedef {{at: number, kind: "regressed" | "improved" | "release" | "beside", label: string}} Mark *at* is an index of xs
 *
 * @typedef {object} Chart
 * @property {string} label
 * @property {readonly number[]} xs ascending: positions in the branch, or seconds since 1970
 * @property {boolean} dates
 * @property {(x: number) => string} labelOf returns the label of a tick
 * @property {readonly Line[]} lines
 * @property {readonly Mark[]} marks
 * @property {string | null} unit null for ratios
 * @property {boolean} log
 * @property {[number, number] | null} zoom from and to, as xs
 *
 * @typedef {object} ChartEvents
 * @property {(index: number) => string} words the values at a point, for screen readers
 * @property {(index: number) => void} point
 * @property {(index: number) => void} pick
 * @property {(zoom: [number, number] | null) => void} zoom
 */

/** @param {Chart} chart @param {ChartEvents} events @returns {HTMLElement} */
export function historyChart(chart, events) {
  const canvas = element("div", { class: "history", role: "slider", tabindex: 0, "data-key": "history", "aria-label": chart.label });
  const brush = element("div", { class: "brush", "aria-hidden": "true" });
  const box = element("div", { class: "canvas" }, canvas, brush);
  /** @type {uPlot[]} */
  let plots = [];
  let listening = new AbortController();
  const build = () => {
    const width = Math.floor(box.clientWidth);
    plots.forEach((each) => each.destroy());
    listening.abort();
    const { signal } = (listening = new AbortController());
    const main = plotHistory(chart, canvas, width, events);
    plots = [main];
    keyboard({ canvas, plot: main, chart, events, signal, zoomTo: (range) => zoomTo(main, range, events) });
    void turn().then(() => signal.aborted || plots.push(plotBrush(chart, brush, width, (range) => zoomTo(main, range, events))));
  };
  follow(box, build);
  return box;
}

/** Loads the style sheet of uPlot. */
function dress() {
  const sheet = element("link", { rel: "stylesheet", href: "vendor/uplot/uPlot.min.css" });
  document.head.append(sheet);
  return new Promise((done) => ["load", "error"].forEach((kind) => sheet.addEventListener(kind, done)));
}

/** Builds the chart, and again when the size or the colours change. @param {HTMLElement} box @param {() => void} build */
function follow(box, build) {
  let drawn = 0;
  const resized = new ResizeObserver(() => {
    const width = Math.floor(box.clientWidth);
    if (width > 0 && width !== drawn) {
      drawn = width;
      void dressed.then(apart).then(build);
      apart = async () => {};
    }
  });
  resized.observe(box);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const recolour = () => (box.isConnected ? build() : scheme.removeEventListener("change", recolour));
  scheme.addEventListener("change", recolour);
}

/** @param {Chart} chart @param {HTMLElement} parent @param {number} width @param {ChartEvents} events */
function plotHistory(chart, parent, width, events) {
  const colours = palette(parent);
  const plot = new uPlot(
    {
      width,
      height: HEIGHT,
      padding: [22, 26, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: true, y: false }, points: { size: 9 }, dataIdx: (self, series, index) => index },
      scales: { x: { time: chart.dates, range: (self, low, high) => airy(low, high) }, y: yScale(chart), second: yScale(chart, true) },
      axes: axes(chart, colours),
      series: [{}, ...chart.lines.map((line) => series(line, colours, chart))],
      hooks: {
        drawAxes: [(self) => bands(self, chart, colours), (self) => marks(self, chart, colours)],
        setCursor: [(self) => (self.cursor.idx == null ? undefined : events.point(self.cursor.idx))],
        setSelect: [(self) => selected(self, events)],
      },
    },
    /** @type {uPlot.AlignedData} */ (/** @type {unknown} */ ([chart.xs, ...chart.lines.map(({ values }) => values)])),
    parent,
  );
  if (chart.zoom !== null) {
    plot.setScale("x", { min: chart.zoom[0], max: chart.zoom[1] });
  }
  plot.over.addEventListener("click", () => (plot.cursor.idx == null ? undefined : events.pick(plot.cursor.idx)));
  plot.over.addEventListener("dblclick", () => events.zoom(null));
  return plot;
}

/** @param {Chart} chart @param {HTMLElement} parent @param {number} width @param {(range: [number, number] | null) => void} choose */
function plotBrush(chart, parent, width, choose) {
  const colours = palette(parent);
  const plot = new uPlot(
    {
      width,
      height: BRUSH,
      padding: [4, 26, 4, 66],
      legend: { show: false },
      cursor: { x: false, y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
      scales: { x: { time: chart.dates }, y: yScale({ ...chart, lines: chart.lines.map((line) => ({ ...line, low: [], high: [] })) }), second: yScale(chart, true) },
      axes: [{ show: false }, { show: false }],
      series: [{}, ...chart.lines.map((line) => ({ ...series(line, colours, chart), width: 1, points: { show: false } }))],
      hooks: { setSelect: [(self) => (self.select.width > 4 ? choose(selection(self)) : undefined)] },
    },
    /** @type {uPlot.AlignedData} */ (/** @type {unknown} */ ([chart.xs, ...chart.lines.map(({ values }) => values)])),
    parent,
  );
  if (chart.zoom !== null) {
    const [from, to] = chart.zoom.map((each) => plot.valToPos(each, "x"));
    plot.setSelect({ left: from, width: to - from, top: 0, height: plot.over.clientHeight }, false);
  }
  return plot;
}

/** @param {uPlot} plot @param {[number, number] | null} range @param {ChartEvents} events */
function zoomTo(plot, range, events) {
  const xs = /** @type {number[]} */ (plot.data[0]);
  plot.setScale("x", range ? { min: range[0], max: range[1] } : { min: xs[0], max: xs[xs.length - 1] });
  events.zoom(range);
}

/** @param {uPlot} plot @param {ChartEvents} events */
function selected(plot, events) {
  if (plot.select.width > 4) {
    events.zoom(selection(plot));
  }
}

/** @param {uPlot} plot @returns {[number, number]} */
function selection({ select, posToVal }) {
  return [posToVal(select.left, "x"), posToVal(select.left + select.width, "x")];
}

/** A single point has space around it. @param {number} low @param {number} high @returns {[number, number]} */
function airy(low, high) {
  return low === high ? [low - 1, high + 1] : [low, high];
}

/** @param {Chart} chart @param {boolean} [second] @returns {uPlot.Scale} */
function yScale(chart, second = false) {
  if (chart.log) {
    return { distr: 3 };
  }
  const limits = chart.lines.filter((line) => scaleName(chart, line) === (second ? "second" : "y")).flatMap(({ values, low, high }) => [...values, ...low, ...high]).filter((each) => typeof each === "number");
  const bottom = limits.reduce((least, each) => Math.min(least, each), Infinity);
  const top = limits.reduce((most, each) => Math.max(most, each), -Infinity);
  // What hardly moves is not blown up until its noise fills the page.
  const reach = Math.max(top - bottom, (Math.abs(top) + Math.abs(bottom)) * 0.05) || 1;
  const middle = (top + bottom) / 2;
  return { range: limits.length ? [middle - reach * 0.56, middle + reach * 0.56] : [0, 1] };
}

/** @param {Chart} chart @param {ReturnType<typeof palette>} colours @returns {uPlot.Axis[]} */
function axes(chart, colours) {
  const look = { stroke: colours.soft, grid: { stroke: colours.line, width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
  return [
    { ...look, space: 90, size: 32, incrs: chart.dates ? undefined : [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000], values: (self, splits) => splits.map(chart.labelOf) },
    { ...look, size: 66, incrs: chart.unit === "bytes" ? BINARY : undefined, values: (self, splits) => splits.map((value) => (value === null ? "" : tick(value, chart.unit))) },
    ...(hasSecond(chart) ? [{ ...look, scale: "second", side: 1, size: 62, grid: { show: false }, values: (/** @type {uPlot} */ self, /** @type {number[]} */ splits) => splits.map((value) => (value === null ? "" : tick(value, "instructions"))) }] : []),
  ];
}

/** @param {Chart} chart */
function hasSecond(chart) {
  return chart.lines.some((line) => scaleName(chart, line) === "second");
}

/** @param {Line} line @param {ReturnType<typeof palette>} colours @param {Chart} chart @returns {uPlot.Series} */
function series(line, colours, chart) {
  const crowded = line.values.length > 300;
  return { label: line.label, stroke: colours.series[line.hue % 8], width: 1.5, dash: line.second ? [2, 3] : line.hue < 8 ? undefined : [5, 3], scale: scaleName(chart, line), spanGaps: false, points: { show: !crowded, size: chart.lines.length > 4 ? 4 : 5 } };
}
