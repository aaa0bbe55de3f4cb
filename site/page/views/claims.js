// A claim: its sentence, and for each test and Python the ratio, the claimed band, the decision and the measurement.

import { scaleOf } from "../charts/scale.js";
import { address, element, link, name, svg } from "../dom.js";
import { caseName, listed, plain, quantity, ratio, shortHash, targetTitle } from "../format.js";
import { key } from "../models/benchmark.js";
import { grouped, valuesOf } from "../models/claims.js";
import { disclosure } from "./parts.js";

const WORDS = { holds: "holds", fails: "fails", undecided: "undecided", out_of_scope: "out of scope" };
const LOOK = { holds: "less", fails: "more", undecided: "open", out_of_scope: "open" };

/** @typedef {import("../models/claims.js").Shown} Shown */
/** @typedef {import("../models/claims.js").Row} Row */
/** @typedef {import("../types.js").Measurement} Measurement */
/** @typedef {import("../models/types.js").Site} Site */

/** @param {Shown} shown @param {Site} site @param {readonly import("../types.js").DecidedFinding[]} findings @returns {HTMLElement} */
export function claimSection({ claim, decisions, tests }, site, findings) {
  const id = `claim-${claim.id}`;
  const [caveats, figures] = [[...new Set(findings.map(({ caveat }) => caveat).filter(Boolean))], decisions.flatMap((each) => each.figures.map((figure) => figureText(each.target, figure)))];
  const undecided = decisions.filter((each) => each.reason && tests.some((rows) => rows.some(isMeasured)) && (each.tests.length !== 1 || each.reason !== each.tests[0].reason));
  return element(
    "article",
    { class: "claim", id, "aria-labelledby": `title-${encodeURIComponent(id)}` },
    element("h3", { id: `title-${encodeURIComponent(id)}` }, element("a", { href: `${address("claims")}#${encodeURIComponent(id)}` }, claim.id), ` ${claim.sentence}`),
    element("p", { class: "decisions" }, ...grouped(decisions).map(({ decision, of }) => element("span", {}, verdict(decision), ` ${listed(of.map(({ target }) => targetTitle(target)))}`))),
    claim.published_text ? element("p", { class: "aside" }, `The source: ${claim.published_text}`) : null,
    ...caveats.map((caveat) => element("p", { class: "aside" }, caveat)),
    tests.some((rows) => rows.some(isMeasured)) ? element("table", { class: "claims" }, element("caption", { class: "unseen" }, `${claim.id}: each test on each Python`), head(), ...tests.map((rows) => body(rows, site))) : element("p", { class: "empty" }, listed([...new Set(decisions.map(({ reason }) => reason || "not measured"))]) || "not measured at the targets shown"),
    undecided.length || figures.length ? element("ul", { class: "notes" }, ...undecided.map((each) => element("li", {}, `${targetTitle(each.target)}: ${each.reason}`)), ...figures.map((text) => element("li", {}, text))) : null,
  );
}

/** @param {Row} row */
function isMeasured({ test }) {
  return test.ratio !== null || test.contender.value !== null || test.baseline.value !== null;
}

function head() {
  const columns = ["Python", "ratio", "interval in the claimed band", "decision", "measurement"];
  return element("thead", {}, element("tr", {}, ...columns.map((title) => element("th", { scope: "col" }, title))));
}

/** A test: what it compares, and a row for each target. @param {readonly Row[]} rows @param {Site} site */
function body(rows, site) {
  const [{ test, decision }] = rows;
  const given = decision.given.map(({ value }) => value);
  const sides = [caseName(test.contender, test.baseline, given), caseName(test.baseline, test.contender, given)];
  const [over, under] = test.divided_by;
  const divided = over && under ? `, divided by ${caseName(over, under, given)} against ${caseName(under, over, given)}` : "";
  const words = [band(test), test.published === null ? null : `published: ${ratio(test.published, null).value}`, decision.given.map((each) => `${each.name}: ${plain(each.value)}`).join(", ")].filter(Boolean);
  const scale = valuesOf(rows).length ? scaleOf(valuesOf(rows), 4) : null;
  return element(
    "tbody",
    {},
    element("tr", { class: "group" }, element("th", { scope: "rowgroup", colspan: 5 }, ...name(`${sides.join(" against ")}${divided}`), element("span", { class: "detail" }, words.join(" · ")))),
    ...rows.map((row) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, targetTitle(row.target.name)),
        element("td", {}, ...ratioParts(row.test)),
        element("td", { class: "chart" }, scale === null ? null : interval(row.test, scale)),
        element("td", {}, verdict(row.test.decision), row.test.reason ? element("span", { class: "detail" }, row.test.reason) : null),
        element("td", {}, ...measurement(row, site)),
      ),
    ),
  );
}

/** @param {string} decision */
function verdict(decision) {
  return element("span", { class: `verdict ${LOOK[/** @type {"holds"} */ (decision)] ?? "open"}` }, WORDS[/** @type {"holds"} */ (decision)] ?? decision);
}

/** @param {import("../types.js").DecidedTest} test */
function ratioParts(test) {
  if (test.ratio === null) return ["–", ...instructionParts(test.instructions ?? null)];
  const found = ratio(test.ratio, test.interval && [test.interval.low, test.interval.high]);
  return [element("span", { class: "value" }, found.value), element("span", { class: "interval" }, found.interval ?? "interval unknown"), ...instructionParts(test.instructions ?? null)];
}

/** The second witness: what the instructions of both sides say. @param {import("../types.js").InstructionRatio | null} counts */
function instructionParts(counts) {
  if (counts === null) return [];
  const found = counts.ratio === null ? null : ratio(counts.ratio, counts.interval && [counts.interval.low, counts.interval.high]);
  const words = found === null ? counts.reason : `${WORDS[/** @type {"holds"} */ (counts.decision)] ?? counts.decision}, ${found.value} (${found.interval ?? "interval unknown"})`;
  return [element("span", { class: "detail" }, `instructions: ${words}`)];
}

/** The claimed band as a ground, the published ratio as a line, the interval on both, and a dot for each block. @param {import("../types.js").DecidedTest} test @param {import("../charts/scale.js").Scale} scale */
function interval({ low, high, published, ratio: value, interval: ends, block_ratios: blocks }, scale) {
  const at = (/** @type {number} */ each) => `${(Math.min(1, Math.max(0, scale.position(each))) * 100).toFixed(2)}%`;
  const [from, to] = [low === null ? 0 : Math.max(0, scale.position(low)), high === null ? 1 : Math.min(1, scale.position(high))];
  const line = (/** @type {number} */ x1, /** @type {number} */ x2, /** @type {number} */ y1, /** @type {number} */ y2, /** @type {string} */ kind) => svg("line", { class: kind, x1: at(x1), x2: at(x2), y1, y2 });
  return svg(
    "svg",
    { class: "band", width: "100%", height: 26, "aria-hidden": "true" },
    svg("rect", { x: `${(from * 100).toFixed(2)}%`, width: `${(Math.max(0, to - from) * 100).toFixed(2)}%`, height: 26 }),
    published === null ? null : line(published, published, 0, 26, "published"),
    ...(ends === null ? [] : [line(ends.low, ends.high, 10, 10, "whisker"), line(ends.low, ends.low, 5, 15, "whisker"), line(ends.high, ends.high, 5, 15, "whisker")]),
    value === null ? null : svg("circle", { cx: at(value), cy: 10, r: 4.5 }),
    ...blocks.map((each) => svg("circle", { class: "block", cx: at(each), cy: 21, r: 2.5 })),
  );
}

/** Both values, each with a link to its history there, and what they come from. @param {Row} row @param {Site} site */
function measurement({ target, decision, test }, site) {
  const values = [test.contender, test.baseline, ...test.divided_by].flatMap((side, index) => [index ? [" against ", " divided by ", " against "][index - 1] : null, valueOf(side, target, site)]);
  const { blocks, block_ratios: ratios } = test;
  const count = blocks ? `${blocks} blocks` : "";
  const day = decision.measured || decision.date.slice(0, 10);
  return [
    ...values,
    element("span", { class: "detail" }, [count, day].filter(Boolean).join(", "), ...(decision.commit === null ? [] : [" on ", element("code", {}, link(site.project.commit_url && `${site.project.commit_url}${decision.commit}`, shortHash(decision.commit)))])),
    ratios.length ? disclosure("ratio of each block", () => [element("span", { class: "detail" }, ratios.map(String).join(", "))]) : null,
  ];
}

/** @param {Measurement} side @param {import("../types.js").ClaimTarget} target @param {Site} site */
function valueOf({ benchmark, params, value, unit }, { python, machine }, site) {
  const words = value === null ? "no value" : quantity(value, null, unit ?? "unit").value;
  const chosen = Object.fromEntries(params.map((each, index) => [key(index), each]));
  return site.benchmarks.some((each) => each.name === benchmark) ? element("a", { href: address("benchmark", { name: benchmark, ...chosen, python, machine }), title: `${benchmark}(${params.join(", ")})` }, words) : words;
}

/** The claimed band. @param {{low: number | null, high: number | null}} test */
function band({ low, high }) {
  const [least, most] = [low, high].map((end) => (end === null ? "" : String(Number(end.toPrecision(3)))));
  if (least && most) return `claimed: ${least} – ${most}`;
  return least ? `claimed: above ${least}` : `claimed: below ${most}`;
}

/** A figure with its interval, or why there is none. @param {string} target @param {import("../types.js").FigureResult} figure */
function figureText(target, { name: title, value, unit, low, high, reason }) {
  if (value === null) return `${targetTitle(target)}: ${title}: ${reason}`;
  const words = (/** @type {number} */ figure, /** @type {readonly [number, number] | null} */ ends) =>
    unit === null ? ratio(figure, ends) : quantity(figure, ends, unit);
  const found = words(value, low !== null && high !== null ? [low, high] : null);
  const ends = found.interval ?? (low === null ? "" : `at least ${words(low, null).value}`);
  return `${targetTitle(target)}: ${title}: ${found.value}${ends ? ` (${ends})` : ""}`;
}
