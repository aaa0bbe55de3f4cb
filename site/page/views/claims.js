// The claim board: what articles say, and what today's figures say of it.

import { element } from "../dom.js";
import { listed, placeTitle, quantity, ratio } from "../format.js";

const WORDS = { holds: "holds", fails: "fails", undecided: "undecided", out_of_scope: "not about this place" };
const LOOK = { holds: "less", fails: "more", undecided: "open", out_of_scope: "open" };

/** @typedef {import("../types.js").ClaimBoard} Claims */
/** @typedef {import("../types.js").DecidedClaim} Decision */
/** @typedef {import("../types.js").StatedFigure} StatedFigure */

/** @param {Claims} claims @param {readonly string[]} places names, of those to be shown @returns {Node[]} */
export function claimBoard(claims, places) {
  const shown = claims.places.filter(({ name }) => places.length === 0 || places.includes(name));
  const titles = new Map(claims.sources.map(({ id, title }) => [id, title]));
  const bodies = claims.claims.map((claim) => body(claim, titles.get(claim.source) ?? claim.source, claims.decisions.filter((each) => each.claim === claim.id && shown.some(({ name }) => name === each.place))));
  const head = ["place", "the article", "today", "decision"].map((text) => element("th", { scope: "col" }, text));
  return [
    element("h2", { id: "claims" }, "Claims"),
    element("p", { class: "lead" }, "Sentences about variants, tested on every run: the article's figure against today's, with its interval. A claim holds when every interval lies in its band."),
    ...turns(claims),
    element("table", { class: "claims" }, element("caption", {}, "Every claim at every place, shown by the test that decides it"), element("thead", {}, element("tr", {}, ...head)), ...bodies),
  ];
}

/** Claims that hold on one Python of a machine and not on another. @param {Claims} claims @returns {Node[]} */
function turns({ place_flips, claims }) {
  const sentences = new Map(claims.map(({ id, sentence }) => [id, sentence]));
  const items = place_flips.map(({ claim, holds, fails }) => element("li", {}, `Holds on ${listed(holds.map(placeTitle))}, fails on ${listed(fails.map(placeTitle))}: ${sentences.get(claim) ?? claim}`));
  return items.length ? [element("ul", { class: "turns" }, ...items)] : [];
}

/** @param {Claims["claims"][number]} claim @param {string} source @param {readonly Decision[]} decisions */
function body({ sentence, article_says }, source, decisions) {
  const head = element("tr", { class: "group" }, element("th", { scope: "rowgroup", colspan: 4 }, sentence, element("span", { class: "detail" }, source)));
  const rows = decisions.map((each) => element("tr", {}, ...cells(each, article_says)));
  return element("tbody", {}, head, ...(rows.length ? rows : [element("tr", {}, element("td", { colspan: 4 }, "not tried at a place that is shown"))]));
}

/** @param {Decision} decision @param {string} says */
function cells({ place, decision, reason, tests, decisive, figures }, says) {
  const test = tests[decisive];
  const today = test === undefined || test.ratio === null ? null : ratio(test.ratio, test.interval && [test.interval.low, test.interval.high]);
  const article = test === undefined || test.article === null ? says || "no figure" : ratio(test.article, null).value;
  return [
    element("td", {}, placeTitle(place)),
    element("td", {}, article, test === undefined ? null : element("span", { class: "detail" }, band(test))),
    element("td", {}, ...(today ? [element("span", { class: "value" }, today.value), element("span", { class: "interval" }, today.interval ?? "interval unknown")] : ["–"])),
    element("td", {}, element("span", { class: `verdict ${LOOK[decision] ?? "open"}` }, WORDS[decision] ?? decision), reason ? element("span", { class: "detail" }, reason) : null, ...figures.map((each) => element("span", { class: "detail" }, beside(each)))),
  ];
}

/** What is claimed of the ratio. @param {{low: number | null, high: number | null}} test */
function band({ low, high }) {
  const [least, most] = [low, high].map((end) => (end === null ? "" : String(Number(end.toPrecision(3)))));
  if (least && most) return `claimed: ${least} – ${most}`;
  return least ? `claimed: above ${least}` : `claimed: below ${most}`;
}

/** What is told beside a claim, or why it is not known. @param {StatedFigure} figure */
function beside({ name, value, unit, low, high, reason }) {
  if (value === null) return `${name}: ${reason}`;
  const words = (/** @type {number} */ figure, /** @type {readonly [number, number] | null} */ ends) => (unit === null ? ratio(figure, ends) : quantity(figure, ends, unit));
  const told = words(value, low !== null && high !== null ? [low, high] : null);
  const interval = told.interval ?? (low === null ? "" : `at least ${words(low, null).value}`);
  return `${name}: ${told.value}${interval ? ` (${interval})` : ""}`;
}
