// The table of a comparison, and what its verdicts mean.

import { madeInTurns } from "../data.js";
import { address, benchmarkName, element, heading, name, row } from "../dom.js";
import { counted, plain, quantity } from "../format.js";
import { sizeWords, span } from "../words.js";
import { EVERYTHING } from "../models/runsets.js";
import { disclosure } from "./parts.js";

const ROWS = 50;

/** Asks for a part of a suite that is too large to be compared as a whole at once. @param {readonly [string, number][]} modules with their cases @param {import("../dom.js").Choices} kept other choices */
export function moduleList(modules, { page: _, ...kept }) {
  const total = modules.reduce((sum, [, cases]) => sum + cases, 0);
  const items = modules.map(([module, cases]) => element("li", {}, element("a", { href: address("compare", { ...kept, module }) }, ...name(module)), " ", element("span", { class: "detail" }, counted(cases, "case"))));
  return [
    ...heading([`This suite has ${counted(total, "case")}`], ["Which part do you want to compare?"]),
    element("ul", { class: "modules" }, ...items),
    element("p", { class: "about" }, element("a", { href: address("compare", { ...kept, module: EVERYTHING }) }, "Compare all of it"), ", which loads several megabytes."),
  ];
}

/** What is decided how, and where nothing can be said. */
export function meaning() {
  const items = [
    "A side is a commit on a target, or the last runs up to it. The commit may be a hash, a release or a day (2026-01-31).",
    "A branch has the commits that are its own: one that is on several branches belongs to the first of them in the list.",
    "A ratio is the second value divided by the first. Times below 1× are faster.",
    "From 5 runs a side on, the ratio is the median over all pairs of runs, and the interval holds 99 % of the time if runs of a side vary alike (Hodges and Lehmann, Mann and Whitney). A difference is clear when the interval does not contain 1.",
    "Fewer runs say less, because a run can be off as a whole: another processor, a busy neighbour. The difference is then compared with those of neighbouring runs of the same case, and is clear when fewer than 1 % of them are as large. That takes 99 of them. The largest between the two runs is left out: it may be the change.",
    "Variants of one run are measured in turns, so their intervals within the run are compared.",
    "A change of everything and a slower machine look alike. “Take out …” divides each run by the median of its times over their levels, and hides a change of everything.",
  ];
  return disclosure("What the verdicts mean", () => [element("ul", { class: "notes" }, ...items.map((each) => element("li", {}, each)))]);
}

/** The clear differences; the others behind a line, unless they are asked for. @param {readonly import("../models/compare.js").Pair[]} found @param {boolean} open @returns {Node[]} */
export function comparisonTable(found, open) {
  const clear = found.filter(({ verdict }) => verdict === "less" || verdict === "more");
  const rest = found.filter((each) => !clear.includes(each));
  if (found.length === 0) {
    return [element("p", { class: "empty", role: "status" }, "No matching case.")];
  }
  const few = rest.filter(({ verdict }) => verdict === "unknown").length;
  const words = few === rest.length ? `${rest.length} without a verdict` : `${rest.length} without a clear difference`;
  return [...(clear.length ? tableOf(clear, "Clear differences, the largest first") : []), ...(rest.length ? [disclosure(words, () => tableOf(rest, "Cases without a clear difference"), open)] : [])];
}

/** @param {readonly import("../models/compare.js").Pair[]} found @param {string} caption */
function tableOf(found, caption) {
  const head = ["case", "difference", "first → second"].map((text) => element("th", { scope: "col" }, text));
  const body = element("tbody", {}, ...found.slice(0, ROWS).map(line));
  const more = element("button", { type: "button", class: "show-more", hidden: found.length <= ROWS }, `Show ${found.length - ROWS} more`);
  more.addEventListener("click", () => {
    void madeInTurns(found.slice(ROWS), (pair) => body.append(line(pair)));
    more.hidden = true;
  });
  return [element("table", { class: "comparison" }, element("caption", { class: "unseen" }, caption), element("thead", {}, element("tr", {}, ...head)), body), more];
}

/** @param {import("../models/compare.js").Pair} pair */
function line({ benchmark, params, unit, base, head, ratio, interval, verdict, reason }) {
  const words = ratio === null ? "no ratio" : verdict === "less" || verdict === "more" ? sizeWords(ratio - 1, unit) : `${span([ratio], 3)}×`;
  const kind = ratio === null ? "absent" : verdict === "more" ? "moved worse" : verdict === "less" ? "moved better" : "";
  const isTime = unit === "seconds" || unit === "bytes";
  return row([
    [...benchmarkName(benchmark), params.length ? element("span", { class: "detail line" }, params.map(plain).join(", ")) : null],
    [element("span", { class: isTime ? kind : "moved" }, words), interval ? element("span", { class: "detail" }, ` ${span(interval, 3)}×`) : null, base.runs > 1 && interval ? null : element("span", { class: "detail line" }, reason)],
    [`${figure(base, unit)} → ${figure(head, unit)}`],
  ]);
}

/** @param {import("../models/compare.js").Figure} side @param {string} unit */
function figure({ value }, unit) {
  return value === null ? "no value" : quantity(value, null, unit).value;
}
