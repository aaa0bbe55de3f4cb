// A row for each variant on one axis, with a mark for each Python: the frame of dot plots and strips.

import { svg } from "../dom.js";

const STEP = 17;
const AXIS = 26;
const LETTER = 8;
const LONGEST = 28;

/** @typedef {import("./scale.js").Scale} Scale */
/** @typedef {{x: (value: number) => number, y: number, left: number}} Spot where a mark is drawn: across, its middle, the left end */

/**
 * @template M
 * @typedef {object} Rows
 * @property {readonly {variant: string, marks: readonly M[]}[]} lines
 * @property {Scale} scale
 */

/**
 * @template M
 * @param {object} what
 * @param {readonly string[]} what.variants
 * @param {(ticks: number) => Rows<M> | null} what.rows for so many marks of the axis; null when there is nothing to draw
 * @param {(value: number) => string} what.tick the words of a mark of the axis
 * @param {number | null} what.strong a value marked with a strong line
 * @param {string} what.label
 * @param {(mark: M, spot: Spot) => SVGElement} what.draw
 * @param {number} width in CSS pixels
 * @returns {SVGElement | null}
 */
export function rowPlot({ variants, rows, tick, strong, label, draw }, width) {
  const room = frame(width, Math.max(0, ...variants.map((each) => short(each).length)));
  const found = rows(Math.max(2, Math.floor(room.width / 72)));
  if (found === null) {
    return null;
  }
  const lines = placed(found.lines, room.stacked);
  const x = (/** @type {number} */ value) => room.left + Math.min(1.02, Math.max(-0.02, found.scale.position(value))) * room.width;
  const height = lines.height + AXIS;
  return svg(
    "svg",
    { class: "dotplot", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    ...found.scale.ticks.map((value) => gridLine(x(value), lines.height, tick(value), false)),
    strong === null ? null : gridLine(x(strong), lines.height, null, true),
    ...lines.items.flatMap((line) => [
      svg("text", { class: "variant", x: room.stacked ? 0 : room.left - 12, y: line.label, "text-anchor": room.stacked ? "start" : "end" }, short(line.variant)),
      ...line.marks.map(({ mark, y }) => draw(mark, { x, y, left: room.left })),
    ]),
  );
}

/** The area of a mark that reacts to the mouse. @param {Spot} spot */
export function hitArea({ x, y, left }) {
  return svg("rect", { class: "target", x: left, y: y - STEP / 2, width: Math.max(0, x(Infinity) - left), height: STEP });
}

/**
 * On a phone the name of a variant is above its marks, elsewhere to their left.
 *
 * @param {number} width
 * @param {number} longest
 */
function frame(width, longest) {
  const beside = longest * LETTER + 16;
  const stacked = width < 420 || beside > width * 0.4;
  const left = stacked ? 8 : beside;
  return { stacked, left, width: width - left - 22 };
}

/**
 * @template M
 * @param {Rows<M>["lines"]} lines
 * @param {boolean} stacked
 */
function placed(lines, stacked) {
  let y = 4;
  const items = lines.map(({ variant, marks }) => {
    const top = y + (stacked ? 18 : 6);
    y = top + marks.length * STEP + 4;
    const label = stacked ? top - 4 : top + (marks.length * STEP) / 2 + 4;
    return { variant, label, marks: marks.map((mark, index) => ({ mark, y: top + STEP / 2 + index * STEP })) };
  });
  return { items, height: y + 4 };
}

/** @param {number} x @param {number} height @param {string | null} text @param {boolean} strong */
function gridLine(x, height, text, strong) {
  return svg(
    "g",
    { class: strong ? "grid strong" : "grid" },
    svg("line", { x1: x, x2: x, y1: 0, y2: height }),
    text === null ? null : svg("text", { x, y: height + 16, "text-anchor": "middle" }, text),
  );
}

/** A shortened name; the table has the full one. @param {string} name */
function short(name) {
  return name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
}
