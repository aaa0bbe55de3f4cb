// The claim board: what articles say, and what today's figures say of it.

import { element } from "../dom.js";
import { placeTitle, ratio } from "../format.js";

const WORDS = { holds: "holds", fails: "fails", undecided: "undecided", out_of_scope: "not about this place" };
const LOOK = { holds: "less", fails: "more", undecided: "open", out_of_scope: "open" };

/** @typedef {import("../types.js").Claims} Claims */
/** @typedef {import("../types.js").Decision} Decision */

/** @param {Claims} claims @param {readonly string[]} places names, of those to be shown @returns {Node[]} */
export function claimBoard(claims, places) {
  const shown = claims.places.filter(({ name }) => places.length === 0 || places.includes(name));
  const titles = new Map(claims.sources.map(({ id, title }) => [id, title]));
  const bodies = claims.claims.map((claim) => body(claim, titles.get(claim.source) ?? claim.source, claims.decisions.filter((each) => each.claim === claim.id && shown.some(({ name }) => name === each.place))));
  const head = ["claim", "place", "the article", "today", "decision"].map((text) => element("th", { scope: "col" }, text));
  return [
    element("h2", { id: "claims" }, "Claims"),
    element("p", { class: "lead" }, "Sentences about variants, tested on every run: the article's figure against today's, with its interval. A claim holds when every interval lies in its band."),
    element("table", { class: "claims" }, element("caption", {}, "Every claim at every place, shown by the test that decides it"), element("thead", {}, element("tr", {}, ...head)), ...bodies),
  ];
}

/** @param {Claims["claims"][number]} claim @param {string} source @param {readonly Decision[]} decisions */
function body({ sentence, article_says }, source, decisions) {
  const head = element("th", { scope: "rowgroup", rowspan: Math.max(1, decisions.length) }, sentence, element("span", { class: "detail" }, source));
  const rows = decisions.map((each, index) => element("tr", {}, index === 0 ? head : null, ...cells(each, article_says)));
  return element("tbody", {}, ...(rows.length ? rows : [element("tr", {}, head, element("td", { colspan: 4 }, "not tried at a place that is shown"))]));
}

/** @param {Decision} decision @param {string} says */
function cells({ place, decision, reason, tests, decisive }, says) {
  const test = tests[decisive];
  const today = test === undefined || test.ratio === null ? null : ratio(test.ratio, test.interval && [test.interval.low, test.interval.high]);
  const article = test === undefined || test.article === null ? says || "no figure" : ratio(test.article, null).value;
  return [
    element("td", {}, placeTitle(place)),
    element("td", {}, article),
    element("td", {}, ...(today ? [element("span", { class: "value" }, today.value), element("span", { class: "interval" }, today.interval ?? "interval unknown")] : ["–"])),
    element("td", {}, element("span", { class: `verdict ${LOOK[decision] ?? "open"}` }, WORDS[decision] ?? decision), reason ? element("span", { class: "detail" }, reason) : null),
  ];
}
