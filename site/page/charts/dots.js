// Dots with intervals on a horizontal axis that several rows share. Places are shares of the width, so nothing is drawn again
// when the window changes.

import { svg } from "../dom.js";

const GAP = 13;
const AIR = 5;

/** @typedef {import("./scale.js").Scale} Scale */
/** @typedef {{value: number, interval: readonly [number, number] | null, kind: string, title: string}} Mark *kind*: best, less, more or open */

/** @param {number} share */
export function percent(share) {
  return `${(Math.min(1, Math.max(0, share)) * 100).toFixed(2)}%`;
}

/**
 * A row: a mark below the other, with the lines of the axis behind them.
 *
 * @param {readonly Mark[]} marks
 * @param {Scale} scale
 * @param {{strong?: number | null, band?: readonly [number | null, number | null] | null, published?: number | null}} [look]
 */
export function dotRow(marks, scale, { strong = 1, band = null, published = null } = {}) {
  const height = Math.max(1, marks.length) * GAP + 2 * AIR;
  const x = (/** @type {number} */ value) => percent(scale.position(value));
  const line = (/** @type {number} */ value, /** @type {string} */ kind) => svg("line", { class: kind, x1: x(value), x2: x(value), y1: 0, y2: height });
  return svg(
    "svg",
    { class: "dots", width: "100%", height, "aria-hidden": "true" },
    band && svg("rect", { class: "band", x: band[0] === null ? "0" : x(band[0]), width: percent((band[1] === null ? 1 : Math.min(1, scale.position(band[1]))) - (band[0] === null ? 0 : Math.max(0, scale.position(band[0])))), height }),
    ...scale.ticks.map((value) => line(value, "grid")),
    strong === null ? null : line(strong, "one"),
    published === null ? null : svg("svg", { class: "published", x: x(published), y: height / 2, overflow: "visible" }, svg("path", { d: "M0 -6L6 0L0 6L-6 0Z" })),
    ...marks.map(({ value, interval, kind, title }, at) => {
      const y = AIR + GAP * (at + 0.5);
      return svg("g", { class: `mark ${kind}` }, svg("title", {}, title), interval && svg("line", { x1: x(interval[0]), x2: x(interval[1]), y1: y, y2: y }), svg("circle", { cx: x(value), cy: y, r: 4 }));
    }),
  );
}

/** The numbers of an axis. @param {Scale} scale @param {(value: number) => string} words @param {readonly number[]} [values] */
export function axisRow(scale, words, values = scale.ticks) {
  return svg("svg", { class: "axis", width: "100%", height: 18, "aria-hidden": "true" }, ...values.map((value) => svg("text", { x: percent(scale.position(value)), y: 13, "text-anchor": scale.position(value) > 0.97 ? "end" : scale.position(value) < 0.03 ? "start" : "middle" }, words(value))));
}

/** How a ratio is coloured: where its interval excludes 1, and it differs by 3 % or more. @param {number} value @param {readonly [number, number] | null} interval @param {string} above @param {string} below */
export function kindOf(value, interval, above, below) {
  const clear = interval !== null && (interval[0] > 1 || interval[1] < 1) && Math.abs(value - 1) >= 0.03;
  return clear ? (value > 1 ? above : below) : "open";
}
