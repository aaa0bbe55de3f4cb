// The history of a benchmark: its chart, the values at the current point, the points to compare, the series and the table.

import { historyChart } from "../charts/history.js";
import { element, link, table } from "../dom.js";
import { counted, quantity, ratio, shortHash, tick } from "../format.js";
import { date, span, shortened } from "../words.js";
import { commitAt, diffAddress } from "../models/commits.js";
import { verticalScale } from "../models/marks.js";
import { swatch, disclosure, wide } from "./parts.js";

const ROWS = 100;
/** Lines whose values are listed at a point. */
const AT_POINT = 12;
/** Letters of a name at the end of a line; the list has the whole one. */
const LONGEST = 18;

/** @typedef {import("../models/history.js").Line} Line */

/**
 * @typedef {object} Shown
 * @property {import("../models/types.js").Site} site
 * @property {string} name of the benchmark
 * @property {string} unit
 * @property {boolean} relative to the first level
 * @property {(line: Line) => string} [unitOf] where lines have different units
 * @property {readonly number[]} commits of the axis, indices into the site's
 * @property {readonly Line[]} lines
 * @property {readonly import("../charts/history.js").Mark[]} marks
 * @property {(commit: number) => boolean} isShared whether the point at a commit stands for several
 * @property {number} perPoint how many at most
 */

/**
 * @param {Shown} shown
 * @param {Pick<import("../charts/history.js").Chart, "xs" | "labelOf" | "zoom"> & {log: boolean}} axis
 * @param {(zoom: [number, number] | null) => void} zoomed
 * @returns {HTMLElement[]}
 */
export function historySection(shown, axis, zoomed) {
  const point = element("div", { class: "point" });
  const kept = element("div", { class: "kept", role: "status" });
  /** @type {number[]} */
  let picked = [];
  const events = {
    words: (/** @type {number} */ index) => pointWords(shown, index),
    point: (/** @type {number} */ index) => point.replaceChildren(...pointParts(shown, index)),
    pick: (/** @type {number} */ index) => {
      picked = picked.includes(index) ? picked.filter((each) => each !== index) : [...picked, index].slice(-2);
      kept.replaceChildren(...keptParts(shown, picked.toSorted((one, other) => one - other)));
    },
    zoom: zoomed,
  };
  const { lines } = shown;
  const label = `History of ${shown.name}, ${counted(lines.length, "line")}. Arrow keys move from commit to commit, plus and minus zoom, Enter marks a point to compare. The table below has the figures.`;
  const words = (/** @type {number} */ value) => tick(value, shown.relative ? null : shown.unit);
  const others = lines.filter(({ hue }) => hue < 0);
  const isLong = lines.some(({ label: each, hue }) => hue >= 0 && each.length > LONGEST);
  const short = (/** @type {Line} */ line) => (isLong ? shortened(line.brief, LONGEST) : line.label);
  const named = lines.map((line) => ({ ...line, label: line.hue < 0 ? (others.length === 1 ? short(line) : "") : lines.length > 1 ? short(line) : "", words: endWords(shown, line) }));
  const chart = historyChart({ ...axis, label, lines: named, marks: shown.marks, scale: verticalScale(lines, axis.log, shown.unit), tick: words, joined: false }, events);
  point.replaceChildren(...pointParts(shown, shown.commits.length - 1));
  const legend = lines.length > 1 ? element("ul", { class: "legend narrow", "aria-hidden": "true" }, ...named.filter(({ hue }) => hue >= 0).map((line) => element("li", {}, swatch(line.hue), element("strong", {}, line.label), ` ${line.words}`))) : null;
  return [element("figure", { class: "plot" }, chart, legend && element("figcaption", {}, legend)), point, kept];
}

/** What stands after the name of a line. @param {Shown} shown @param {Line} line */
function endWords({ unit, relative }, { hue, moved, levels }) {
  const last = levels[levels.length - 1];
  return hue < 0 || last === undefined ? "" : relative ? signed(moved) : quantity(last.value, null, unit).value;
}

/** “+44 %”, “16×”. @param {number | null} relative */
export function signed(relative) {
  const size = relative === null ? 0 : relative >= 1 ? relative + 1 : Math.abs(relative * 100);
  const number = String(Number(size.toPrecision(2)));
  return relative === null ? "" : relative >= 1 ? `${number}×` : Math.abs(relative) < 0.005 ? "±0 %" : `${relative > 0 ? "+" : "−"}${number} %`;
}

/** @param {Shown} shown @param {Line} line @param {number} index */
function figureAt({ unit, relative }, { values, low, high }, index) {
  const value = values[index];
  if (typeof value !== "number") {
    return null;
  }
  const [from, to] = [low[index], high[index]];
  /** @type {[number, number] | null} */
  const interval = typeof from === "number" && typeof to === "number" ? [from, to] : null;
  return relative ? { value: `${span([value], 3)}×`, interval: interval && span(interval, 3) } : quantity(value, interval, unit);
}

/** @param {Shown} shown @param {number} index */
function pointWords(shown, index) {
  const figures = shown.lines.flatMap((line) => {
    const figure = line.hue < 0 ? null : figureAt(shown, line, index);
    return figure ? [`${line.label} ${figure.value}`] : [];
  });
  return shown.commits.length === 0 ? "no point" : [...pointName(shown, index), ...figures, ...marksAt(shown, index)].filter(Boolean).join(", ");
}

/** What else changed at a point, in words. @param {Shown} shown @param {number} index */
function marksAt({ marks }, index) {
  return marks.filter(({ at, kind }) => at === index && (kind === "beside" || kind === "release")).map(({ label }) => label);
}

/** The commit of a point in words, or what it stands for. @param {Shown} shown @param {number} index */
function pointName(shown, index) {
  const commit = commitAt(shown.site, shown.commits[index]);
  const day = commit.date === null ? null : date(commit.date);
  return shown.isShared(shown.commits[index]) ? [`up to ${shown.perPoint} commits`, day && `until ${day}`] : [shortHash(commit.hash), commit.subject, day];
}

/** @param {Shown} shown @param {number} index @returns {Node[]} */
function pointParts(shown, index) {
  if (index < 0) {
    return [];
  }
  const commit = commitAt(shown.site, shown.commits[index]);
  const about = [commit.subject, commit.author, commit.date === null ? null : date(commit.date)].filter(Boolean).join(" · ");
  const here = shown.lines.filter(({ values }) => values[index] !== undefined).toReversed().slice(0, AT_POINT);
  const figures = here.map((line) => {
    const figure = figureAt(shown, line, index);
    const words = figure ? [element("strong", {}, figure.value), " ", element("span", { class: "detail" }, figure.interval ?? "interval unknown")] : [element("span", { class: "absent" }, "no value")];
    return element("li", {}, swatch(line.hue), shown.lines.length > 1 ? `${line.label}: ` : "", ...words);
  });
  const name = shown.isShared(shown.commits[index]) ? [pointName(shown, index).filter(Boolean).join(" ")] : [element("code", {}, link(commit.url, shortHash(commit.hash))), " ", about];
  const also = marksAt(shown, index);
  return [element("p", {}, ...name), element("ul", {}, ...figures), ...(also.length ? [element("p", { class: "detail" }, `Also: ${also.join("; ")}`)] : [])];
}

/** @param {Shown} shown @param {number[]} picked @returns {Node[]} */
function keptParts(shown, picked) {
  if (picked.length < 2) {
    const hash = picked.length ? pointName(shown, picked[0])[0] : "";
    return picked.length ? [element("p", {}, `Marked: ${hash}. Mark a second point to compare the two.`)] : [];
  }
  const [from, to] = picked;
  const [before, after] = picked.map((index) => commitAt(shown.site, shown.commits[index]));
  const figures = shown.lines.toReversed().slice(0, AT_POINT).flatMap(({ label, hue, values }) => {
    const [one, other] = [values[from], values[to]];
    return typeof one === "number" && typeof other === "number" && one !== 0 ? [element("li", {}, swatch(hue), `${label}: `, element("strong", {}, ratio(other / one, null).value))] : [];
  });
  const diff = before.hash && after.hash ? diffAddress(shown.site, before, after) : null;
  const words = `${picked.map((index) => pointName(shown, index)[0]).join(" to ")}: `;
  return [element("p", {}, words, diff === null ? "no web address for the difference" : link(diff, "the difference in the code")), element("ul", {}, ...figures)];
}

/** @param {Shown} shown */
export function historyTable(shown) {
  const order = shown.commits.map((_, index) => index).reverse();
  const lines = shown.lines.toReversed().slice(0, AT_POINT);
  const more = element("button", { type: "button", class: "show-more" });
  const box = element("div");
  let there = ROWS;
  const fill = () => {
    more.hidden = there >= order.length;
    more.textContent = `Show ${Math.min(ROWS, order.length - there)} more of ${order.length - there}`;
    const rows = order.slice(0, there).map((index) => tableRow({ ...shown, lines }, index));
    box.replaceChildren(wide(`Figures of ${shown.name}`, table({ caption: `${shown.name}: value with its ${Math.round(shown.site.confidence * 100)} % interval, newest commit first`, kind: "history-table", head: ["commit", ...lines.map(({ label }) => label)], rows })), more);
  };
  more.addEventListener("click", () => {
    there += ROWS;
    fill();
  });
  return disclosure(`Table of ${counted(shown.commits.length, "commit")}`, () => {
    fill();
    return [box];
  });
}

/** @param {Shown} shown @param {number} index @returns {import("../dom.js").Child[][]} values with their unit, also of relative lines */
function tableRow(shown, index) {
  const commit = commitAt(shown.site, shown.commits[index]);
  const [words, day] = pointName(shown, index);
  const head = shown.isShared(shown.commits[index]) ? [words, element("span", { class: "detail" }, day)] : [element("code", {}, link(commit.url, shortHash(commit.hash))), " ", element("span", { class: "detail" }, commit.date === null ? "" : date(commit.date))];
  const beside = shown.marks.filter(({ at, kind }) => at === index && kind === "beside").map(({ label, url }) => element("span", { class: "detail line" }, link(url ?? null, label)));
  return [[...head, ...beside], ...shown.lines.map((line) => {
    const whole = (/** @type {import("../models/history.js").Column} */ column) => column.map((each) => (typeof each === "number" ? each * line.base : each));
    const figure = figureAt({ ...shown, relative: false, unit: shown.unitOf?.(line) ?? shown.unit }, { ...line, values: whole([line.values[index]]), low: whole([line.low[index]]), high: whole([line.high[index]]) }, 0);
    return figure ? [element("span", { class: "value" }, figure.value), " ", element("span", { class: "interval" }, figure.interval ?? "interval unknown")] : [line.values[index] === undefined ? "–" : "no value"];
  })];
}
