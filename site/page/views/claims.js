// The claim board: the published ratios and today's.

import { element } from "../dom.js";
import { listed, targetTitle, quantity, ratio } from "../format.js";

const WORDS = { holds: "holds", fails: "fails", undecided: "undecided", out_of_scope: "out of scope" };
const LOOK = { holds: "less", fails: "more", undecided: "open", out_of_scope: "open" };

/** @typedef {import("../types.js").ClaimBoard} Claims */
/** @typedef {import("../types.js").DecidedClaim} Decision */
/** @typedef {import("../types.js").FigureResult} FigureResult */

/** @param {Claims} claims @param {readonly string[]} targets names of those to show; empty for all @returns {Node[]} */
export function claimBoard(claims, targets) {
  const shown = claims.targets.filter(({ name }) => targets.length === 0 || targets.includes(name));
  const titles = new Map(claims.sources.map(({ id, title }) => [id, title]));
  const bodies = claims.claims.map((claim) => body(claim, titles.get(claim.source) ?? claim.source, claims.decisions.filter((each) => each.claim === claim.id && shown.some(({ name }) => name === each.target))));
  const head = ["target", "published", "today", "decision"].map((text) => element("th", { scope: "col" }, text));
  return [
    element("h2", { id: "claims" }, "Claims"),
    element("p", { class: "lead" }, "Sentences that every run tests: the published ratio and today's, with its interval. A claim holds if every interval lies within its band."),
    ...turns(claims),
    element("table", { class: "claims" }, element("caption", {}, "Every claim at every target, with the test that decides it"), element("thead", {}, element("tr", {}, ...head)), ...bodies),
  ];
}

/** Claims that hold on one Python of a machine and not on another. @param {Claims} claims @returns {Node[]} */
function turns({ target_flips, claims }) {
  const sentences = new Map(claims.map(({ id, sentence }) => [id, sentence]));
  const items = target_flips.map(({ claim, holds, fails }) => element("li", {}, `Holds on ${listed(holds.map(targetTitle))}, fails on ${listed(fails.map(targetTitle))}: ${sentences.get(claim) ?? claim}`));
  return items.length ? [element("ul", { class: "turns" }, ...items)] : [];
}

/** @param {Claims["claims"][number]} claim @param {string} source @param {readonly Decision[]} decisions */
function body({ sentence, published_text }, source, decisions) {
  const head = element("tr", { class: "group" }, element("th", { scope: "rowgroup", colspan: 4 }, sentence, element("span", { class: "detail" }, source)));
  const rows = decisions.map((each) => element("tr", {}, ...cells(each, published_text)));
  return element("tbody", {}, head, ...(rows.length ? rows : [element("tr", {}, element("td", { colspan: 4 }, "not measured at the targets shown"))]));
}

/** @param {Decision} decision @param {string} text the source's text without a figure */
function cells({ target, decision, reason, tests, decisive, figures }, text) {
  const test = tests[decisive];
  const today = test === undefined || test.ratio === null ? null : ratio(test.ratio, test.interval && [test.interval.low, test.interval.high]);
  const published = test === undefined || test.published === null ? text || "no figure" : ratio(test.published, null).value;
  return [
    element("td", {}, targetTitle(target)),
    element("td", {}, published, test === undefined ? null : element("span", { class: "detail" }, band(test))),
    element("td", {}, ...(today ? [element("span", { class: "value" }, today.value), element("span", { class: "interval" }, today.interval ?? "interval unknown")] : ["–"])),
    element("td", {}, element("span", { class: `verdict ${LOOK[decision] ?? "open"}` }, WORDS[decision] ?? decision), reason ? element("span", { class: "detail" }, reason) : null, ...figures.map((each) => element("span", { class: "detail" }, figureText(each)))),
  ];
}

/** The claimed band. @param {{low: number | null, high: number | null}} test */
function band({ low, high }) {
  const [least, most] = [low, high].map((end) => (end === null ? "" : String(Number(end.toPrecision(3)))));
  if (least && most) return `claimed: ${least} – ${most}`;
  return least ? `claimed: above ${least}` : `claimed: below ${most}`;
}

/** A figure with its interval, or why there is none. @param {FigureResult} figure */
function figureText({ name, value, unit, low, high, reason }) {
  if (value === null) return `${name}: ${reason}`;
  const words = (/** @type {number} */ figure, /** @type {readonly [number, number] | null} */ ends) => (unit === null ? ratio(figure, ends) : quantity(figure, ends, unit));
  const found = words(value, low !== null && high !== null ? [low, high] : null);
  const interval = found.interval ?? (low === null ? "" : `at least ${words(low, null).value}`);
  return `${name}: ${found.value}${interval ? ` (${interval})` : ""}`;
}
