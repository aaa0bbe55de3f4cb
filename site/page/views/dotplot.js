// Dots with intervals along one axis, a line for each variant and on it a mark for each Python. Its table twin
// stands beside it and says the same in figures.

import { svg } from "../dom.js";
import { absence, quantity, ratio as worded, tick } from "../format.js";
import { plot } from "../models/scenarios.js";

const STEP = 17;
const RADIUS = 4.5;
const AXIS = 26;
const LETTER = 8;
const LONGEST = 28;

/** @typedef {NonNullable<ReturnType<typeof plot>>["lines"]} Lines */
/** @typedef {Lines[number]["marks"][number]} Mark */
/** @typedef {Mark & {y: number}} PlacedMark */
/** @typedef {(mark: {value: number, interval: [number, number] | null}) => {value: string, interval: string | null}} Words */

/**
 * @param {object} what
 * @param {ReturnType<typeof import("../models/scenarios.js").groups>} what.table
 * @param {readonly import("../types.js").Place[]} what.places
 * @param {string} what.unit
 * @param {string} what.show
 * @param {string} what.label
 * @param {number} width in CSS pixels
 * @returns {SVGElement | null} null when no figure is there to be drawn
 */
export function dotPlot({ table, places, unit, show, label }, width) {
  const room = frame(width, Math.max(...table.flatMap(({ rows }) => rows.map(({ variant }) => short(variant).length))));
  const drawn = plot(table, show, Math.max(2, Math.floor(room.width / 72)));
  if (drawn === null) {
    return null;
  }
  const lines = placed(drawn.lines, room);
  const height = lines.height + AXIS;
  const x = (/** @type {number} */ value) => room.left + Math.min(1.02, Math.max(-0.02, drawn.scale.position(value))) * room.width;
  /** @type {Words} */
  const words = (mark) => (show === "ratio" ? worded(mark.value, mark.interval) : quantity(mark.value, mark.interval, unit));
  return svg(
    "svg",
    { class: "dotplot", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    ...drawn.scale.ticks.map((value) => gridLine(x(value), lines.height, tick(value, show === "ratio" ? null : unit), false)),
    show === "ratio" ? gridLine(x(1), lines.height, null, true) : null,
    ...lines.items.flatMap((line) => [
      svg("text", { class: "variant", x: room.stacked ? 0 : room.left - 12, y: line.label, "text-anchor": room.stacked ? "start" : "end" }, short(line.variant)),
      ...line.marks.map((each) => mark(each, x, room, places[each.place], words)),
    ]),
  );
}

/** The mark of the legend. @param {number} index of the place */
export function legendMark(index) {
  return svg("svg", { class: "legend-mark", width: 14, height: 14, viewBox: "-7 -7 14 14", "aria-hidden": "true" }, shape(index, 0, 0, false));
}

/**
 * On a phone the name of a variant stands above its marks, elsewhere to their left.
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

/** @param {Lines} lines @param {ReturnType<typeof frame>} room */
function placed(lines, room) {
  let y = 4;
  const items = lines.map(({ variant, marks }) => {
    const top = y + (room.stacked ? 18 : 6);
    y = top + marks.length * STEP + 4;
    const label = room.stacked ? top - 4 : top + (marks.length * STEP) / 2 + 4;
    return { variant, label, marks: marks.map((each, index) => ({ ...each, y: top + STEP / 2 + index * STEP })) };
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

/**
 * @param {PlacedMark} each
 * @param {(value: number) => number} x
 * @param {ReturnType<typeof frame>} room
 * @param {import("../types.js").Place} place
 * @param {Words} words
 */
function mark(each, x, room, place, words) {
  if (each.value === null) {
    return svg("text", { class: `gap ${each.state}`, x: room.left, y: each.y + 4 }, `${place.name}: ${absence(each.state)}`);
  }
  const { value, interval } = words({ value: each.value, interval: each.interval });
  const title = `${place.name}: ${value}${interval ? ` (${interval})` : each.state === "reference" ? " (reference)" : " (interval unknown)"}`;
  return svg(
    "g",
    { class: `mark series-${each.place % 8}` },
    svg("title", {}, title),
    svg("rect", { class: "target", x: room.left, y: each.y - STEP / 2, width: room.width, height: STEP }),
    each.interval ? svg("path", { class: "whisker", d: whisker(x(each.interval[0]), x(each.interval[1]), each.y) }) : null,
    shape(each.place, x(each.value), each.y, each.interval === null && each.state !== "reference"),
  );
}

/**
 * The table has the whole name.
 *
 * @param {string} name
 */
function short(name) {
  return name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
}

/** @param {number} from @param {number} to @param {number} y */
function whisker(from, to, y) {
  return `M${from} ${y - 4}V${y + 4}M${from} ${y}H${to}M${to} ${y - 4}V${y + 4}`;
}

/**
 * A shape for each place, so that colour is never the only difference; hollow where the interval is unknown.
 *
 * @param {number} index
 * @param {number} x
 * @param {number} y
 * @param {boolean} hollow
 */
function shape(index, x, y, hollow) {
  const r = RADIUS;
  const shapes = [
    `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
    `M${x - r + 0.5} ${y - r + 0.5}h${2 * r - 1}v${2 * r - 1}h${-2 * r + 1}Z`,
    `M${x} ${y - r - 0.5}L${x + r + 0.5} ${y + r - 0.5}H${x - r - 0.5}Z`,
    `M${x} ${y - r - 1}L${x + r + 1} ${y}L${x} ${y + r + 1}L${x - r - 1} ${y}Z`,
    `M${x} ${y + r + 0.5}L${x + r + 0.5} ${y - r + 0.5}H${x - r - 0.5}Z`,
    `M${x - r} ${y - 1.5}h${r - 1.5}v${-r + 1.5}h3v${r - 1.5}h${r - 1.5}v3h${-r + 1.5}v${r - 1.5}h-3v${-r + 1.5}h${-r + 1.5}Z`,
    `M${x - r} ${y - 2.5}h${2 * r}v5h${-2 * r}Z`,
    `M${x - 2.5} ${y - r}h5v${2 * r}h-5Z`,
  ];
  return svg("path", { class: `dot series-${index % 8}${hollow ? " hollow" : ""}`, d: shapes[index % shapes.length] });
}
