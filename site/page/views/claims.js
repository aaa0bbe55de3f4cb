// A claim as a row: what became of it, its sentence, its chart and its figure. Opened: each test on each Python.

import { axisRow, dotRow } from "../charts/dots.js";
import { logarithmic } from "../charts/scale.js";
import { address, element, link, name } from "../dom.js";
import { caseName, counted, listed, plain, quantity, ratio, shortHash, targetTitle } from "../format.js";
import { digits, span } from "../words.js";
import { key } from "../models/benchmark.js";
import { valuesOf } from "../models/claims.js";
import { reasonWords, WORDS } from "./articles.js";

/** Ratios beyond those of the band and the values by this factor are not shown: a wide interval hides what matters. */
const MOST = 3;

/** @typedef {import("../models/claims.js").Shown} Shown */
/** @typedef {import("../models/claims.js").Row} Row */
/** @typedef {import("../types.js").Measurement} Measurement */
/** @typedef {import("../models/types.js").Site} Site */

/** @param {Shown} shown @param {Site} site @param {readonly import("../types.js").DecidedFinding[]} findings @param {boolean} open @returns {HTMLElement} */
export function claimRow(shown, site, findings, open) {
  const { claim, outcome, tests, decisive } = shown;
  const rows = tests[decisive] ?? [];
  const details = element("details", { class: "claim", id: `claim-${claim.id}`, open }, element("summary", {}, element("span", {}, element("span", { class: `tag ${outcome}` }, outcome === "depends" ? "depends" : WORDS[outcome])), element("h3", {}, claim.sentence, " ", element("span", { class: "detail" }, claim.id)), chart(rows), element("span", { class: "fig" }, ...figure(shown, rows))));
  let made = false;
  const fill = () => {
    if (details.open && !made) {
      made = true;
      details.append(element("div", { class: "inside" }, ...inside(shown, site, findings)));
    }
  };
  details.addEventListener("toggle", fill);
  fill();
  return details;
}

/** The band, the article's figure and a dot for each Python. @param {readonly Row[]} rows */
function chart(rows) {
  const [first] = rows;
  const found = valuesOf(rows);
  if (first === undefined || found.length === 0) {
    return element("span", {});
  }
  const { low, high, published } = first.test;
  const firm = [low, high, published, ...rows.map(({ test }) => test.ratio)].filter((each) => each !== null && each > 0).map(Number);
  const [least, most] = [Math.max(Math.min(...found), Math.min(...firm) / MOST), Math.min(Math.max(...found), Math.max(...firm) * MOST)];
  const air = most / least < 1.02 ? 1.02 : 1;
  const scale = { ...logarithmic(least / air, most * air, 4, low === null || high === null ? 0.12 : 0.06), ticks: [] };
  const marks = rows.flatMap(({ target, test }) => (test.ratio === null ? [] : [{ value: test.ratio, interval: test.interval && /** @type {const} */ ([test.interval.low, test.interval.high]), kind: test.decision, title: `${targetTitle(target.name)}: ${span([test.ratio], 3)}×` }]));
  const isInside = scale.position(1) > 0.02 && scale.position(1) < 0.98;
  const ends = [low, high, ...(isInside ? [1] : [])].filter((each) => each !== null);
  const apart = ends.filter((each, at) => ends.slice(0, at).every((other) => Math.abs(scale.position(each) - scale.position(other)) > 0.14));
  return element("span", { class: "chart" }, dotRow(marks, scale, { strong: isInside ? 1 : null, band: [low, high], published }), axisRow(scale, (value) => `${digits3(value)}×`, apart));
}

/** @param {number} value */
function digits3(value) {
  return Number(value.toPrecision(3));
}

/** @param {Shown} shown @param {readonly Row[]} rows @returns {Node[]} */
function figure({ claim, outcome, decisions, others, tests }, rows) {
  const ratios = rows.flatMap(({ test }) => (test.ratio === null ? [] : [test.ratio]));
  const published = rows[0]?.test.published ?? null;
  const by = (/** @type {string} */ word) => decisions.filter(({ decision }) => decision.decision === word || (word === "holds" && decision.decision === "holds_in_direction")).map(({ target }) => target.name);
  const split = ["holds", "fails", "undecided"].filter((word) => (outcome === "depends" || word === "undecided") && outcome !== "undecided" && by(word).length).map((word) => `${word} on ${listed(by(word))}`).join(", ");
  const reason = outcome === "unmeasured" ? (others[0]?.reason ?? "") : "";
  return [
    ratios.length ? element("strong", {}, `${span(ratios, Math.max(...ratios) < 2 ? 3 : 2)}×`) : null,
    published === null ? null : element("span", { class: "detail" }, `article ${digits(published)}×`),
    claim.said_by === "article" ? null : element("span", { class: "detail" }, claim.said_by === "readers" ? "asked by readers" : "ours"),
    split ? element("span", { class: "detail" }, split) : null,
    reason ? element("span", { class: "detail" }, reasonWords(reason)) : null,
    tests.length > 1 ? element("span", { class: "detail" }, `the test that decides, of ${tests.length}`) : null,
  ].filter((each) => each !== null);
}

/** @param {Shown} shown @param {Site} site @param {readonly import("../types.js").DecidedFinding[]} findings @returns {Node[]} */
function inside({ claim, decisions, others, tests }, site, findings) {
  const caveats = [...new Set(findings.map(({ caveat }) => caveat).filter(Boolean))];
  const figures = decisions.flatMap(({ decision }) => decision.figures.map((each) => figureText(decision.target, each)));
  const undecided = decisions.filter(({ decision }) => decision.reason && (decision.tests.length !== 1 || decision.reason !== decision.tests[0].reason));
  const crossings = decisions.flatMap(({ decision: { target, crossing } }) => (crossing ? [`${targetTitle(target)}: ${crossingWords(crossing)}`] : []));
  const notes = [...crossings, ...undecided.map(({ decision }) => `${targetTitle(decision.target)}: ${reasonWords(decision.reason)}`), ...figures];
  return [
    claim.published_text ? element("p", {}, `The article: ${claim.published_text}`) : null,
    ...caveats.map((caveat) => element("p", {}, element("strong", {}, "But: "), caveat)),
    tests.length ? element("table", { class: "claims" }, element("caption", { class: "unseen" }, `${claim.id}: each test on each Python`), head(), ...tests.map((rows) => body(rows, site))) : null,
    ...others.map(({ names, reason }) => element("p", { class: "about" }, `Not measured on ${listed(names.map(targetTitle))}${reason && !reason.endsWith("not measured") ? `: ${reasonWords(reason)}` : ""}.`)),
    notes.length ? element("ul", { class: "notes" }, ...notes.map((text) => element("li", {}, text))) : null,
    element("p", { class: "about" }, element("a", { href: `${address("claims")}#claim-${encodeURIComponent(claim.id)}` }, "Link to this claim")),
  ].filter((each) => each !== null);
}

function head() {
  const columns = ["Python", "ratio", "decision", "measurement"];
  return element("thead", {}, element("tr", {}, ...columns.map((title) => element("th", { scope: "col" }, title))));
}

/** A test: what it compares, and a row for each target. @param {readonly Row[]} rows @param {Site} site */
function body(rows, site) {
  const [{ test, decision }] = rows;
  const given = decision.given.map(({ value }) => value);
  const sides = [caseName(test.contender, test.baseline, given), caseName(test.baseline, test.contender, given)];
  const words = [test.at, test.condition && `${test.condition} processors`, band(test), test.published === null ? null : `published: ${ratio(test.published, null).value}`, decision.given.map((each) => `${each.name}: ${plain(each.value)}`).join(", ")].filter(Boolean);
  return element(
    "tbody",
    {},
    element("tr", { class: "group" }, element("th", { scope: "rowgroup", colspan: 4 }, ...name(`${sides.join(" against ")}`), " ", element("span", { class: "detail" }, words.join(" · ")))),
    ...rows.map((row) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, targetTitle(row.target.name)),
        element("td", {}, ...ratioParts(row.test)),
        element("td", {}, element("span", { class: `tag ${row.test.decision}` }, row.test.decision.replaceAll("_", " ")), row.test.reason ? element("span", { class: "detail" }, ` ${reasonWords(row.test.reason)}`) : null),
        element("td", {}, ...measurement(row, site)),
      ),
    ),
  );
}

/** @param {import("../types.js").DecidedTest} test */
function ratioParts({ ratio: value, interval, days, levels }) {
  const found = value === null ? null : ratio(value, interval && [interval.low, interval.high]);
  const parts = found === null ? ["–"] : [element("strong", {}, found.value), " ", element("span", { class: "interval" }, found.interval ?? "interval unknown")];
  const words = [days ? `over ${counted(days, "day")}` : "", levels.length ? `blocks jump between ${levels.map((each) => `${digits3(each)}×`).join(" and ")}` : ""].filter(Boolean);
  return words.length ? [...parts, element("span", { class: "detail line" }, words.join(", "))] : parts;
}

/** Where the contender of a series begins to take less. @param {import("../types.js").Crossing} crossing */
export function crossingWords({ parameter, low, high }) {
  const words = low && high ? `between ${low} and ${high}` : high ? `from ${high} on, or earlier` : low ? `above ${low}, or never` : "unknown";
  return `The contender takes less ${words} (${parameter})`;
}

/** Both values, each with a link to its history there, and what they come from. @param {Row} row @param {Site} site */
function measurement({ target, decision, test }, site) {
  const values = [test.contender, test.baseline].flatMap((side, index) => [index ? " against " : null, valueOf(side, target, site)]);
  const { blocks, block_ratios: ratios } = test;
  const day = decision.measured || decision.date.slice(0, 10);
  const words = [blocks ? `${blocks} blocks${ratios.length ? `: ${ratios.map(digits3).join(", ")}` : ""}` : "", day].filter(Boolean).join(", ");
  return [...values, element("span", { class: "detail line" }, words, ...(decision.commit === null ? [] : [" on ", element("code", {}, link(site.project.commit_url && `${site.project.commit_url}${decision.commit}`, shortHash(decision.commit)))]))];
}

/** @param {Measurement} side @param {import("../types.js").ClaimTarget} target @param {Site} site */
function valueOf({ benchmark, params, value, unit }, { python, machine }, site) {
  const words = value === null ? "no value" : quantity(value, null, unit ?? "unit").value;
  const chosen = Object.fromEntries(params.map((each, index) => [key(index), each]));
  return site.benchmarks.some((each) => each.name === benchmark) ? element("a", { href: address("benchmark", { name: benchmark, ...chosen, python, machine }), title: `${benchmark}(${params.join(", ")})` }, words) : words;
}

/** The claimed band. @param {{low: number | null, high: number | null}} test */
function band({ low, high }) {
  const [least, most] = [low, high].map((end) => (end === null ? "" : String(digits3(end))));
  return low !== null && high !== null ? `claimed: ${least} – ${most}` : low !== null ? `claimed: more than ${least}` : `claimed: less than ${most}`;
}

/** A figure with its interval, or why there is none. @param {string} target @param {import("../types.js").FigureResult} figure */
function figureText(target, { name: what, value, unit, low, high, reason }) {
  const words = (/** @type {number} */ each, /** @type {readonly [number, number] | null} */ ends) => (unit === null ? ratio(each, ends) : quantity(each, ends, unit));
  const found = value === null ? null : words(value, low !== null && high !== null ? [low, high] : null);
  const ends = found?.interval ?? (low === null ? "" : `at least ${words(low, null).value}`);
  return `${targetTitle(target)}: ${what}: ${found === null ? reasonWords(reason) : `${found.value}${ends ? ` (${ends})` : ""}`}`;
}
