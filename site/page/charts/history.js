// A history: for each series pale dots for runs, a bold line for each level, its name at the end of the line. Mouse, touch and
// keyboard choose a point; the page receives it and shows its values. Paths are stretched to the width, and texts are not.

import { element, svg } from "../dom.js";
import { percent } from "./dots.js";

const [WIDTH, HEIGHT, TOP, FOOT] = [1000, 360, 22, 24];
const LABEL = 17;
const LEAP = 10;
const MOST_RELEASES = 12;

/**
 * @typedef {{label: string, words: string, hue: number, values: import("../models/history.js").Column, low: import("../models/history.js").Column, high: import("../models/history.js").Column, levels: readonly {from: number, to: number, value: number}[]}} ChartLine *hue*: -1 is grey; *levels*: from and to are indices of xs
 * @typedef {{at: number, kind: "regressed" | "improved" | "release" | "beside", label: string, url?: string}} Mark *at* is an index of xs
 *
 * @typedef {object} Chart
 * @property {string} label
 * @property {readonly number[]} xs ascending: positions in the branch, or seconds since 1970
 * @property {(x: number) => string} labelOf returns the label of a tick
 * @property {readonly ChartLine[]} lines grey ones first
 * @property {readonly Mark[]} marks
 * @property {readonly {at: number, value: number, hue: number, label: string, named: boolean}[]} [rings] points of lines
 * @property {import("./scale.js").Scale} scale
 * @property {(value: number) => string} tick
 * @property {readonly [number, number] | null} zoom from and to, as xs
 * @property {boolean} joined whether values are joined by a line
 *
 * @typedef {object} ChartEvents
 * @property {(index: number) => string} words the values at a point, for screen readers
 * @property {(index: number) => void} point
 * @property {(index: number) => void} pick
 * @property {(zoom: [number, number] | null) => void} zoom
 */

/** @param {Chart} chart @param {ChartEvents} events @returns {HTMLElement} */
export function historyChart(chart, events) {
  const { xs } = chart;
  const shown = chart.zoom === null ? xs.map((_, at) => at) : xs.flatMap((x, at) => (x >= /** @type {[number, number]} */ (chart.zoom)[0] && x <= /** @type {[number, number]} */ (chart.zoom)[1] ? [at] : []));
  const inside = shown.length > 0 ? shown : xs.map((_, at) => at);
  const [first, last] = [inside[0] ?? 0, inside[inside.length - 1] ?? 0];
  const [from, to] = [xs[first] ?? 0, xs[last] ?? 1];
  const part = (/** @type {number} */ at) => (to > from ? (xs[at] - from) / (to - from) : 0.5);
  const cursor = svg("line", { class: "cursor", y1: TOP, y2: HEIGHT - FOOT, visibility: "hidden" });
  const canvas = svg("svg", { class: "history-chart", width: "100%", height: HEIGHT, "aria-hidden": "true" }, ...drawing(chart, inside, part), cursor);
  const box = element("div", { class: "history", role: "slider", tabindex: 0, "data-key": "history", "aria-label": chart.label, "aria-orientation": "horizontal" }, canvas);
  let current = last;
  const say = () => Object.entries({ min: first, max: last, now: current, text: events.words(current) }).forEach(([name, value]) => box.setAttribute(`aria-value${name}`, String(value)));
  const go = (/** @type {number} */ index) => {
    current = Math.min(last, Math.max(first, index));
    ["x1", "x2"].forEach((name) => cursor.setAttribute(name, percent(part(current))));
    cursor.setAttribute("visibility", "visible");
    events.point(current);
    say();
  };
  const nearest = (/** @type {PointerEvent} */ event) => {
    const { left, width } = canvas.getBoundingClientRect();
    const share = (event.clientX - left) / Math.max(1, width);
    return inside.reduce((best, at) => (Math.abs(part(at) - share) < Math.abs(part(best) - share) ? at : best), first);
  };
  pointer(box, { nearest, go, pick: events.pick, zoom: (one, other) => events.zoom([xs[Math.min(one, other)], xs[Math.max(one, other)]]) });
  box.addEventListener("keydown", (event) => {
    const steps = new Map([["ArrowLeft", current - 1], ["ArrowRight", current + 1], ["PageDown", current - LEAP], ["PageUp", current + LEAP], ["Home", first], ["End", last]]);
    const target = steps.get(event.key);
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (target !== undefined) {
      go(target);
    } else if (event.key === "+" || event.key === "-") {
      events.zoom(zoomed(xs, xs[current] ?? 0, ((to - from) / 2) * (event.key === "+" ? 0.5 : 2)));
    } else if (event.key === "Escape" || event.key === "0") {
      events.zoom(null);
    } else if (event.key === "Enter" || event.key === " ") {
      events.pick(current);
    } else {
      return;
    }
    event.preventDefault();
  });
  say();
  return box;
}

/**
 * A click picks a point, dragging zooms.
 *
 * @param {HTMLElement} box
 * @param {{nearest: (event: PointerEvent) => number, go: (index: number) => void, pick: (index: number) => void, zoom: (one: number, other: number) => void}} what
 */
function pointer(box, { nearest, go, pick, zoom }) {
  let start = -1;
  box.addEventListener("pointerdown", (event) => {
    start = event.pointerType === "touch" ? -1 : nearest(event);
  });
  box.addEventListener("pointermove", (event) => go(nearest(event)));
  box.addEventListener("pointerup", (event) => {
    const end = nearest(event);
    Math.abs(end - start) > 2 && start >= 0 ? zoom(start, end) : pick(end);
    start = -1;
  });
}

/** @param {readonly number[]} xs @param {number} middle @param {number} half @returns {[number, number] | null} null: all of it */
function zoomed(xs, middle, half) {
  const [low, high] = [xs[0] ?? 0, xs[xs.length - 1] ?? 0];
  return half * 2 >= high - low ? null : [Math.max(low, middle - half), Math.min(high, middle + half)];
}

/** @param {Chart} chart @param {readonly number[]} inside @param {(at: number) => number} part @returns {Node[]} */
function drawing({ xs, lines, marks, rings = [], scale, tick, labelOf, joined }, inside, part) {
  const [first, last] = [inside[0] ?? 0, inside[inside.length - 1] ?? 0];
  const y = (/** @type {number} */ value) => TOP + (1 - Math.min(1.01, Math.max(-0.01, scale.position(value)))) * (HEIGHT - TOP - FOOT);
  const x = (/** @type {number} */ at) => (part(at) * WIDTH).toFixed(1);
  const path = (/** @type {ChartLine} */ { values }) => inside.map((at) => (typeof values[at] === "number" ? `${joined && typeof values[at - 1] === "number" && at > first ? "L" : "M"}${x(at)} ${y(/** @type {number} */ (values[at])).toFixed(1)}${joined ? "" : "h0"}` : "")).join("");
  const steps = (/** @type {ChartLine} */ { levels }) => stepPath(levels.filter(({ from, to }) => to >= first && from <= last), (at) => x(Math.min(last, Math.max(first, at))), y);
  const hue = (/** @type {ChartLine} */ { hue: each }) => (each < 0 ? "context" : `series-${each}`);
  const releases = marks.filter(({ kind, at }) => kind === "release" && at >= first && at <= last);
  const beside = marks.filter(({ kind, at }) => kind === "beside" && at >= first && at <= last);
  const upright = (/** @type {Mark} */ { at, kind, label }, /** @type {boolean} */ named) => svg("g", { class: `upright ${kind}` }, svg("title", {}, label), svg("line", { x1: percent(part(at)), x2: percent(part(at)), y1: TOP, y2: named || kind === "beside" ? HEIGHT - FOOT : TOP + 8 }), named ? svg("text", { x: percent(part(at)), y: TOP - 7, "text-anchor": part(at) > 0.9 ? "end" : "middle" }, label) : null);
  const count = Math.min(6, inside.length);
  const ticks = [...new Set(Array.from({ length: count }, (_, at) => inside[Math.round((at / Math.max(1, count - 1)) * (inside.length - 1))]))];
  return [
    ...scale.ticks.map((value) => svg("g", { class: "grid" }, svg("line", { x1: 0, x2: "100%", y1: y(value), y2: y(value) }), svg("text", { x: -8, y: y(value) + 4, "text-anchor": "end" }, tick(value)))),
    ...releases.map((each) => upright(each, releases.length <= MOST_RELEASES)),
    ...beside.map((each) => upright(each, false)),
    svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", width: "100%", height: HEIGHT }, ...lines.map((line) => svg("path", { class: `${joined ? "joined" : "runs"} ${hue(line)}`, d: path(line) })), ...lines.map((line) => svg("path", { class: `level ${hue(line)}`, d: steps(line) }))),
    ...ticks.map((at, index) => svg("text", { class: index % 2 ? "tick odd" : "tick", x: percent(part(at)), y: HEIGHT - 6, "text-anchor": index === 0 && count > 1 ? "start" : index === count - 1 && count > 1 ? "end" : "middle" }, labelOf(xs[at]))),
    ...rings.map(({ at, value, hue: series, label, named }) => svg("svg", { class: `ring series-${series}`, x: percent(part(at)), y: y(value), overflow: "visible" }, svg("title", {}, label), svg("circle", { r: 4.5 }), named ? svg("text", { x: part(at) > 0.8 ? -8 : 8, y: -7, "text-anchor": part(at) > 0.8 ? "end" : "start" }, label) : null)),
    ...ends(lines, y, last),
  ];
}

/** A line of levels. @param {ChartLine["levels"]} levels @param {(at: number) => string} x @param {(value: number) => number} y */
export function stepPath(levels, x, y) {
  return levels.map(({ from, to, value }, at) => `${at ? "L" : "M"}${x(from)} ${y(value).toFixed(1)}H${x(to)}`).join("");
}

/** The names at the ends of lines, moved apart. @param {readonly ChartLine[]} lines @param {(value: number) => number} y @param {number} last */
function ends(lines, y, last) {
  const named = lines.filter(({ label, words }) => label || words).flatMap((line) => {
    const value = line.levels.findLast(({ from }) => from <= last)?.value ?? line.values.slice(0, last + 1).findLast((each) => typeof each === "number");
    return typeof value === "number" ? [{ line, at: y(value), y: y(value) }] : [];
  }).sort((one, other) => one.at - other.at);
  named.forEach((each, index) => {
    each.y = Math.max(each.y, index ? named[index - 1].y + LABEL : TOP);
  });
  named.toReversed().forEach((each, index, all) => {
    each.y = Math.min(each.y, index ? all[index - 1].y - LABEL : HEIGHT - FOOT);
  });
  return named.map(({ line, at, y: place }) => svg("svg", { class: `end ${line.hue < 0 ? "context" : `series-${line.hue}`}`, x: "100%", overflow: "visible" }, svg("path", { d: `M0 ${at}L8 ${place}h4` }), svg("text", { x: 16, y: place + 4 }, svg("tspan", { class: "label" }, line.label), line.words ? svg("tspan", { class: "words", dx: line.label ? 5 : 0 }, line.words) : null)));
}
