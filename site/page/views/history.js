// The history of a benchmark: its chart, the values at the current point, the points to compare, and the table.

import { historyChart } from "../charts/history.js";
import { element, link, table } from "../dom.js";
import { counted, day, quantity, ratio, shortHash } from "../format.js";
import { commitAt, diffAddress } from "../models/commits.js";
import { swatch, disclosure } from "./parts.js";

const ROWS = 100;
/** From this hue on swatches are dashed. */
const DASHED = 8;

/**
 * @typedef {object} Shown
 * @property {import("../models/types.js").Site} site
 * @property {string} name of the benchmark
 * @property {string | null} unit null where the lines are relative
 * @property {readonly number[]} commits of the axis, indices into the site's
 * @property {readonly import("../models/history.js").Line[]} lines
 * @property {readonly import("../charts/history.js").Mark[]} marks
 * @property {(commit: number) => boolean} isShared whether the point at a commit stands for several
 * @property {number} perPoint how many at most
 */

/**
 * @param {Shown} shown
 * @param {Omit<import("../charts/history.js").Chart, "label" | "lines" | "unit">} axis
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
  const label = `History of ${shown.name}, ${counted(shown.lines.length, "line")}. Arrow keys move from commit to commit, plus and minus zoom, Enter marks a point to compare. The table below has the figures.`;
  const chart = historyChart({ ...axis, label, lines: shown.lines, unit: shown.unit }, events);
  point.replaceChildren(...pointParts(shown, shown.commits.length - 1));
  return [element("figure", { class: "plot" }, chart, legend(shown)), point, kept, historyTable(shown)];
}

/** @param {Shown} shown */
function legend({ lines }) {
  return element("figcaption", {}, element("ul", { class: "legend" }, ...lines.map(({ label, hue, second }) => element("li", {}, swatch(second ? DASHED + (hue % DASHED) : hue), label))));
}

/** @param {Shown} shown @param {number} line @param {number} index */
function figureAt({ lines, unit }, line, index) {
  const { values, low, high, second } = lines[line];
  const value = values[index];
  if (typeof value !== "number") {
    return null;
  }
  const [from, to] = [low[index], high[index]];
  /** @type {[number, number] | null} */
  const interval = typeof from === "number" && typeof to === "number" ? [from, to] : null;
  return unit === null ? ratio(value, interval) : quantity(value, interval, second ? "instructions" : unit);
}

/** @param {Shown} shown @param {number} index */
function pointWords(shown, index) {
  if (shown.commits.length === 0) {
    return "no point";
  }
  const figures = shown.lines.flatMap(({ label }, line) => {
    const figure = figureAt(shown, line, index);
    return figure ? [`${label} ${figure.value}`] : [];
  });
  return [...pointName(shown, index), ...figures, ...marksAt(shown, index)].filter(Boolean).join(", ");
}

/** What else changed at a point, in words. @param {Shown} shown @param {number} index */
function marksAt({ marks }, index) {
  return marks.filter(({ at, kind }) => at === index && (kind === "beside" || kind === "release")).map(({ label }) => label);
}

/** The commit of a point in words, or what it stands for. @param {Shown} shown @param {number} index */
function pointName(shown, index) {
  const commit = commitAt(shown.site, shown.commits[index]);
  const date = commit.date === null ? null : day(commit.date);
  return shown.isShared(shown.commits[index]) ? [`up to ${shown.perPoint} commits`, date && `until ${date}`] : [shortHash(commit.hash), commit.subject, date];
}

/** @param {Shown} shown @param {number} index @returns {Node[]} */
function pointParts(shown, index) {
  if (index < 0) {
    return [];
  }
  const commit = commitAt(shown.site, shown.commits[index]);
  const about = [commit.subject, commit.author, commit.date === null ? null : day(commit.date)].filter(Boolean).join(" · ");
  const figures = shown.lines.flatMap(({ label, hue, values }, line) => {
    const figure = figureAt(shown, line, index);
    const words = figure ? [element("strong", {}, figure.value), " ", element("span", { class: "detail" }, figure.interval ?? "interval unknown")] : [element("span", { class: "absent" }, "no value")];
    return values[index] === undefined ? [] : [element("li", {}, swatch(hue), `${label}: `, ...words)];
  });
  const name = shown.isShared(shown.commits[index]) ? [pointName(shown, index).filter(Boolean).join(" ")] : [element("code", {}, link(commit.url, shortHash(commit.hash))), " ", about];
  const here = marksAt(shown, index);
  return [element("p", {}, ...name), element("ul", {}, ...figures), ...(here.length ? [element("p", { class: "detail" }, `Also: ${here.join("; ")}`)] : [])];
}

/** @param {Shown} shown @param {number[]} picked @returns {Node[]} */
function keptParts(shown, picked) {
  if (picked.length < 2) {
    const hash = picked.length ? pointName(shown, picked[0])[0] : "";
    return picked.length ? [element("p", {}, `Marked: ${hash}. Mark a second point to compare the two.`)] : [];
  }
  const [from, to] = picked;
  const [before, after] = picked.map((index) => commitAt(shown.site, shown.commits[index]));
  const figures = shown.lines.flatMap(({ label, hue, values }) => {
    const [one, other] = [values[from], values[to]];
    return typeof one === "number" && typeof other === "number" && one !== 0 ? [element("li", {}, swatch(hue), `${label}: `, element("strong", {}, ratio(other / one, null).value))] : [];
  });
  const diff = before.hash && after.hash ? diffAddress(shown.site, before, after) : null;
  const words = `${picked.map((index) => pointName(shown, index)[0]).join(" to ")}: `;
  return [element("p", {}, words, diff === null ? "no web address for the difference" : link(diff, "the difference in the code")), element("ul", {}, ...figures)];
}

/** @param {Shown} shown */
function historyTable(shown) {
  const order = shown.commits.map((_, index) => index).reverse();
  const box = element("div", { class: "wide", role: "region", tabindex: 0, "aria-label": `Figures of ${shown.name}` });
  const more = element("button", { type: "button", class: "show-more" });
  let there = ROWS;
  const fill = () => {
    const rows = order.slice(0, there).map((index) => tableRow(shown, index));
    more.hidden = there >= order.length;
    more.textContent = `Show ${Math.min(ROWS, order.length - there)} more of ${order.length - there}`;
    const caption = `${shown.name}: value with its interval, newest commit first`;
    box.replaceChildren(table({ caption, kind: "history-table", head: ["commit", ...shown.lines.map(({ label }) => label)], rows }), more);
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

/** @param {Shown} shown @param {number} index @returns {import("../dom.js").Child[][]} */
function tableRow(shown, index) {
  const commit = commitAt(shown.site, shown.commits[index]);
  const [words, date] = pointName(shown, index);
  const head = shown.isShared(shown.commits[index]) ? [words, element("span", { class: "detail" }, date)] : [element("code", {}, link(commit.url, shortHash(commit.hash))), element("span", { class: "detail" }, commit.date === null ? "" : day(commit.date))];
  const cells = shown.lines.map(({ values }, line) => {
    const figure = figureAt(shown, line, index);
    const gap = values[index] === undefined ? "–" : "no value";
    return figure ? [element("span", { class: "value" }, figure.value), element("span", { class: "interval" }, figure.interval ?? "interval unknown")] : [gap];
  });
  return [head, ...cells];
}
