// The series of a chart: which are in colour, their last values, and how far their levels moved.

import { element, table } from "../dom.js";
import { quantity } from "../format.js";
import { sizeWords } from "../words.js";
import { swatch } from "./parts.js";

/** Series that the list shows. */
const LISTED = 30;

/** @typedef {import("../models/history.js").Line} Line */

/** The month of the first of some commits: “than in July 2025”. @param {import("../models/types.js").Site} site @param {readonly import("../models/history.js").Series[]} series */
export function sinceWords({ commits }, series) {
  const day = commits.date[series.reduce((least, each) => Math.min(least, each.commits[0] ?? Infinity), Infinity)];
  return typeof day === "number" ? `than in ${new Date(day * 1000).toLocaleDateString("en-GB", { month: "long", year: "numeric", timeZone: "UTC" })}` : "than at first";
}

/**
 * The series, each with a box that puts it in colour, its last value and how far its level moved.
 *
 * @param {Pick<import("./history.js").Shown, "lines" | "name" | "unit">} shown
 * @param {(ticked: readonly string[]) => void} choose
 * @param {(line: Line) => {unit: string, name: Node | string}} [about] where series are of several benchmarks
 */
export function seriesList(shown, choose, about = ({ label }) => ({ unit: shown.unit, name: label })) {
  const lines = shown.lines.toReversed().toSorted((one, other) => (one.hue < 0 ? 99 : one.hue) - (other.hue < 0 ? 99 : other.hue));
  const coloured = lines.filter(({ hue }) => hue >= 0).map(({ key }) => key);
  const rows = lines.slice(0, LISTED).map((line) => {
    const { key, label, hue, series, moved } = line;
    const box = element("input", { type: "checkbox", checked: hue >= 0, "data-key": `tick-${key}`, "aria-label": `colour ${label}` });
    box.addEventListener("change", () => choose(box.checked ? [key, ...coloured] : coloured.filter((each) => each !== key)));
    const last = series.values.findLast((value) => value !== null) ?? null;
    const side = moved === null || Math.abs(moved) < 0.03 ? "detail" : "moved";
    const { unit, name } = about(line);
    return [[box, " ", swatch(hue), name], [last === null ? "no value" : quantity(last, null, unit).value], [element("span", { class: side }, moved === null ? "–" : Math.abs(moved) < 0.03 ? "steady" : sizeWords(moved, unit))]];
  });
  const more = lines.length > LISTED ? element("p", { class: "about" }, `and ${lines.length - LISTED} more, in grey`) : null;
  return [table({ caption: `Series of ${shown.name}: the last value, and the last level in relation to the first`, unseenCaption: true, kind: "series", head: ["series", "last value", "since the first level"], rows }), more].filter((each) => each !== null);
}
