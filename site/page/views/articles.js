// The articles: a bar for each, with what became of its claims.

import { percent } from "../charts/dots.js";
import { address, element, link, svg } from "../dom.js";
import { counted } from "../format.js";
import { allClaims, countsOf, OUTCOMES } from "../models/claims.js";

/** @typedef {import("../models/claims.js").Board} Board */
/** @typedef {import("../models/claims.js").Shown} Shown */

export const WORDS = { holds: "holds", direction: "holds, not in size", fails: "fails", depends: "depends on the Python", limit: "about at the limit", undecided: "undecided", unmeasured: "not measured" };
const NUMBERS = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"];

/** Expressions of Pythons, in words. */
const PYTHONS = new Map([["pypy.*", "PyPy"], ["(?!pypy).*", "CPython"]]);

/** A reason without code: the way instead of the call, the message instead of the exception, the version instead of its expression. @param {string} reason */
export function reasonWords(reason) {
  const version = (/** @type {string} */ expression) => PYTHONS.get(expression) ?? (/^3\\.\(1\[(\d)-9\]\|\[2-9\]\\d\)\.\*$/.exec(expression)?.[1].replace(/^/, "Python 3.1").concat(" or newer") ?? "other Pythons");
  return reason
    .replace(/Pythons that match (\S+)/, (_, expression) => version(expression))
    .replace(/[\w.]+\('?(\w+)'?[^)]*\) (not measured|skipped|failed)/, (_, way, what) => `${way.replaceAll("_", " ")} ${what}`)
    .replace(/: \w+(?:Error|Exception)\((['"])(.*)\1\)$/, ": $2");
}

/** The claims that articles make, without the questions of readers and of the suite. @param {Board} board @param {readonly Shown[]} all */
export function ofArticles({ sources }, all) {
  const claims = all.filter(({ claim }) => claim.said_by === "article");
  const used = sources.filter(({ id }) => claims.some(({ claim }) => claim.source === id));
  return { articles: used, claims, rest: all.filter((each) => !claims.includes(each)) };
}

/** “Five articles made 68 claims. 50 hold.” @param {number} articles @param {number} claims @param {number} hold */
export function answerWords(articles, claims, hold) {
  return `${NUMBERS[articles] ?? articles} ${articles === 1 ? "article" : "articles"} made ${counted(claims, "claim")}. ${hold === 0 ? "None holds" : hold === 1 ? "One holds" : `${hold} hold`}.`;
}

/** “11 fail, 2 depend on the Python, 2 could not be decided, and 3 are not measured.” @param {readonly Shown[]} claims */
export function outcomeWords(claims) {
  const { direction, fails, depends, limit, undecided, unmeasured } = countsOf(claims);
  const parts = [direction ? `${direction} of them ${direction === 1 ? "does" : "do"} not have the published size` : "", fails ? `${fails} ${fails === 1 ? "fails" : "fail"}` : "", depends ? `${depends} ${depends === 1 ? "depends" : "depend"} on the Python` : "", limit ? `${limit} ${limit === 1 ? "is" : "are"} about at the limit` : "", undecided ? `${undecided} could not be decided` : "", unmeasured ? `${unmeasured} ${unmeasured === 1 ? "is" : "are"} not measured` : ""].filter(Boolean);
  return parts.length === 0 ? "" : `${parts.length > 1 ? `${parts.slice(0, -1).join(", ")}, and ${parts[parts.length - 1]}` : parts[0]}.`;
}

/** How many claims hold, whatever their size. @param {readonly Shown[]} claims */
export function holding(claims) {
  const { holds, direction } = countsOf(claims);
  return holds + direction;
}

/** The part of the first page. @param {Board} board @returns {Node[]} */
export function articleBars(board) {
  const all = allClaims(board);
  const { articles, claims } = ofArticles(board, all);
  return articles.length === 0 ? [] : [element("h2", {}, `${NUMBERS[articles.length] ?? articles.length} ${articles.length === 1 ? "article" : "articles"}, measured again`), element("p", {}, `They made ${counted(claims.length, "claim")}. ${holding(claims)} hold, ${outcomeWords(claims)} `, element("a", { href: address("claims") }, "All claims")), bars(board, articles, all), barKey()];
}

/** @param {Board} board @param {readonly import("../types.js").ClaimSource[]} sources @param {readonly Shown[]} all @param {string} [chosen] */
export function bars(board, sources, all, chosen = "") {
  const most = Math.max(1, ...sources.map(({ id }) => all.filter(({ claim }) => claim.source === id).length));
  return element("ul", { class: "bars" }, ...sources.map(({ id, title }) => {
    const own = all.filter(({ claim }) => claim.source === id);
    return element("li", {}, element("span", {}, element("a", { href: address("claims", { source: id === chosen ? null : id }), "aria-current": id === chosen ? "true" : null }, title), " ", element("span", { class: "detail" }, counted(own.length, "claim"))), bar(own, most));
  }));
}

/** @param {readonly Shown[]} own @param {number} most */
function bar(own, most) {
  const counts = countsOf(own);
  let at = 0;
  const parts = OUTCOMES.filter((outcome) => counts[outcome]).map((outcome) => {
    const [from, count] = [at / most, counts[outcome]];
    at += count;
    return svg("g", { class: `part ${outcome}` }, svg("title", {}, `${count} ${WORDS[outcome]}`), svg("rect", { x: percent(from), width: percent(count / most), height: 18 }), svg("text", { x: percent(from + count / most / 2), y: 13.5, "text-anchor": "middle" }, String(count)));
  });
  return svg("svg", { class: "stacked", width: "100%", height: 18, role: "img", "aria-label": OUTCOMES.filter((outcome) => counts[outcome]).map((outcome) => `${counts[outcome]} ${WORDS[outcome]}`).join(", ") }, ...parts);
}

export function barKey() {
  return element("p", { class: "key" }, ...OUTCOMES.map((outcome) => element("span", {}, element("i", { class: `part ${outcome}` }), WORDS[outcome])));
}

/** Where a source is, and what it is. @param {import("../types.js").ClaimSource} source */
export function aboutSource({ about = "", url = null }) {
  return about || url ? element("p", { class: "about" }, about ? `${about} ` : "", url ? link(url, "Read the article") : "") : null;
}
