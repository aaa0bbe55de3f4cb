// The claim board: the published ratios and today's.

import { element } from "../dom.js";
import { listed, targetTitle, quantity, ratio } from "../format.js";

const WORDS = { holds: "holds", fails: "fails", undecided: "undecided", out_of_scope: "out of scope" };
const LOOK = { holds: "less", fails: "more", undecided: "open", out_of_scope: "open" };

/** @typedef {import("../types.js").ClaimBoard} Claims */
/** @typedef {import("../types.js").ClaimStatement} Claim */
/** @typedef {import("../types.js").DecidedClaim} Decision */
/** @typedef {import("../types.js").FigureResult} FigureResult */
/** @typedef {import("../dom.js").Child} Child */

/**
 * The columns of the board; style.css sets their widths by class.
 *
 * @type {readonly {title: string, name: string, cell: (decision: Decision, claim: Claim) => readonly Child[]}[]}
 */
const COLUMNS = [
  { title: "target", name: "claim-target", cell: ({ target }) => [targetTitle(target)] },
  { title: "published", name: "claim-published", cell: publishedCell },
  { title: "today", name: "claim-today", cell: todayCell },
  { title: "decision", name: "claim-decision", cell: decisionCell },
];

/** @param {Claims} claims @param {readonly string[]} targets names of those to show; empty for all @returns {Node[]} */
export function claimBoard(claims, targets) {
  const shown = new Set(claims.targets.map(({ name }) => name).filter((name) => targets.length === 0 || targets.includes(name)));
  const titles = new Map(claims.sources.map(({ id, title }) => [id, title]));
  const bodies = claims.claims.map((claim) => {
    const decisions = claims.decisions.filter((each) => each.claim === claim.id && shown.has(each.target));
    return body(claim, titles.get(claim.source) ?? claim.source, decisions);
  });
  const head = COLUMNS.map(({ title, name }) => element("th", { scope: "col", class: name }, title));
  const lead = "Sentences that every run tests: the published ratio and today's, with its interval. "
    + "A claim holds if every interval lies within its band.";
  return [
    element("h2", { id: "claims" }, "Claims"),
    element("p", { class: "lead" }, lead),
    ...flips(claims),
    element(
      "table",
      { class: "claims" },
      element("caption", {}, "Every claim at every target, with the test that decides it"),
      element("thead", {}, element("tr", {}, ...head)),
      ...bodies,
    ),
  ];
}

/** Claims that hold on one Python of a machine and not on another. @param {Claims} claims @returns {Node[]} */
function flips({ target_flips, claims }) {
  const sentences = new Map(claims.map(({ id, sentence }) => [id, sentence]));
  const items = target_flips.map(({ claim, holds, fails }) => {
    const [held, failed] = [holds, fails].map((names) => listed(names.map(targetTitle)));
    return element("li", {}, `Holds on ${held}, fails on ${failed}: ${sentences.get(claim) ?? claim}`);
  });
  return items.length ? [element("ul", { class: "flips" }, ...items)] : [];
}

/** @param {Claim} claim @param {string} source @param {readonly Decision[]} decisions */
function body(claim, source, decisions) {
  const whole = { colspan: COLUMNS.length };
  const head = element("th", { scope: "rowgroup", ...whole }, claim.sentence, element("span", { class: "detail" }, source));
  const rows = decisions.map((each) =>
    element("tr", {}, ...COLUMNS.map(({ name, cell }) => element("td", { class: name }, ...cell(each, claim)))),
  );
  const empty = element("tr", {}, element("td", whole, "not measured at the targets shown"));
  return element("tbody", {}, element("tr", { class: "group" }, head), ...(rows.length ? rows : [empty]));
}

/** The published ratio, else the source's text, and the claimed band. @param {Decision} decision @param {Claim} claim */
function publishedCell({ tests, decisive }, { published_text }) {
  const test = tests[decisive];
  const published = test === undefined || test.published === null ? published_text || "no figure" : ratio(test.published, null).value;
  return [published, test === undefined ? null : element("span", { class: "detail" }, band(test))];
}

/** The measured ratio with its interval. @param {Decision} decision */
function todayCell({ tests, decisive }) {
  const test = tests[decisive];
  if (test === undefined || test.ratio === null) return ["–"];
  const { value, interval } = ratio(test.ratio, test.interval && [test.interval.low, test.interval.high]);
  return [element("span", { class: "value" }, value), element("span", { class: "interval" }, interval ?? "interval unknown")];
}

/** The decision, the reason if there is one, and the figures. @param {Decision} decision */
function decisionCell({ decision, reason, figures }) {
  return [
    element("span", { class: `verdict ${LOOK[decision] ?? "open"}` }, WORDS[decision] ?? decision),
    reason ? element("span", { class: "detail" }, reason) : null,
    ...figures.map((each) => element("span", { class: "detail" }, figureText(each))),
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
  const words = (/** @type {number} */ figure, /** @type {readonly [number, number] | null} */ ends) =>
    unit === null ? ratio(figure, ends) : quantity(figure, ends, unit);
  const found = words(value, low !== null && high !== null ? [low, high] : null);
  const interval = found.interval ?? (low === null ? "" : `at least ${words(low, null).value}`);
  return `${name}: ${found.value}${interval ? ` (${interval})` : ""}`;
}
