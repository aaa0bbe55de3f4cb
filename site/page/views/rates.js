// How often verdicts were wrong where the truth is known: sentences, a chart over time, and a table with its figures.

import { element, link, svg, table } from "../dom.js";
import { counted, shortHash } from "../format.js";
import { limitsText, monthName, rateText, rateWords, scaleOfRates } from "../models/rates.js";

/** @typedef {import("../types.js").ErrorRatesData} Rates */
/** @typedef {import("../types.js").Proportion} Rate */

/** @param {Rates | null | undefined} rates @returns {Node[]} */
export function errorRates(rates) {
  if (!rates) {
    return [element("p", {}, "A comparison without any change raises an alarm with a probability of at most 1 %. No run has compared the same code with itself on these machines yet. The first pull request does, and so does each self-check.")];
  }
  const { all, recent } = rates;
  return [
    falseAlarms(rates),
    found(rates),
    all.since < recent.since ? element("p", {}, `Since ${recent.since}: ${latest(recent)}.`) : null,
    ...chart(rates),
    last(rates),
    element("p", { class: "detail" }, `Intervals have a confidence of ${Math.round(rates.confidence * 100)} %. Comparisons of one run share a machine and an hour, so an interval of comparisons takes the run as the unit; with few runs it is wide.`),
  ].filter((each) => each !== null);
}

/** @param {Rates} rates */
function falseAlarms({ all, promised, self_checks }) {
  if (all.false_alarms === null || all.alarmed_runs === null) {
    return element("p", {}, `No run has compared unchanged code yet. Promised: an alarm in at most ${rateText(promised)} of runs without a change.`);
  }
  const words = `${rateWords(all.false_alarms, "comparison")} of unchanged code raised an alarm: ${share(all.false_alarms)}.`;
  const runs = `${rateWords(all.alarmed_runs, "run")} had a false alarm: ${share(all.alarmed_runs)}; promised at most ${rateText(promised)}.`;
  return element("p", {}, element("strong", {}, words), " ", runs, ` From ${counted(self_checks, "self-check")} since ${all.since}.`);
}

/** @param {Rates} rates */
function found({ all, slowdown, achieved, opposite }) {
  if (all.found === null || slowdown === null) {
    return element("p", {}, "No self-check has built in a slowdown yet, so the share of slowdowns that are found is unknown.");
  }
  const size = achieved === null ? rateText(slowdown) : `${rateText(slowdown)} (measured: ${rateText(achieved)})`;
  const wrong = opposite ? ` ${counted(opposite, "of them was", "of them were")} reported as an improvement.` : "";
  return element("p", {}, `${rateWords(all.found, "slowdown")} of ${size} that ${all.found.trials === 1 ? "was" : "were"} built in ${all.found.hits === 1 ? "was" : "were"} found: ${share(all.found)}.${wrong}`);
}

/** @param {import("../types.js").PeriodRates} recent */
function latest({ false_alarms, found: seen }) {
  const parts = [false_alarms && `a false alarm in ${rateWords(false_alarms, "comparison")}, ${share(false_alarms)}`, seen && `${rateWords(seen, "slowdown")} found, ${share(seen)}`];
  return parts.filter(Boolean).join("; ");
}

/** @param {Rate} rate */
function share({ rate, low, high }) {
  return `${rateText(rate)} ${limitsText({ low, high })}`;
}

/** @param {Rates} rates */
function last({ last: newest }) {
  return element("p", {}, "Last run: ", ...run(newest), ".");
}

/** @param {import("../types.js").LastCheck} check @returns {Node[]} */
function run({ date, commit, url }) {
  return [link(url, date), document.createTextNode(" at commit "), element("code", {}, shortHash(commit))];
}

/** @param {Rates} rates @returns {Node[]} */
function chart({ months, promised }) {
  const alarms = months.map(({ false_alarms }) => false_alarms);
  const slowdowns = months.map(({ found: seen }) => seen);
  const figures = [
    alarms.some(Boolean) ? plot("False alarms: share of comparisons of unchanged code", months, alarms, promised) : null,
    slowdowns.some(Boolean) ? plot("Found slowdowns: share of those built in", months, slowdowns, null) : null,
  ].filter((each) => each !== null);
  const cell = (/** @type {Rate | null} */ rate) => (rate ? [`${rate.hits} of ${rate.trials.toLocaleString("en")}`, element("span", { class: "detail" }, share(rate))] : ["–"]);
  const rows = months.map(({ since, false_alarms, alarmed_runs, found: seen }) => [[monthName(since)], cell(false_alarms), cell(alarmed_runs), cell(seen)]);
  const caption = "By month, with intervals";
  const twin = table({ caption, kind: "rates", head: ["month", "false alarms", "runs with one", "found slowdowns"], rows });
  return [element("div", { class: "rate-charts" }, ...figures), element("details", {}, element("summary", {}, "The figures by month"), twin)];
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [340, 150, 44, 8, 10, 24];

/**
 * A mark with its interval for each month. The table has the same figures.
 *
 * @param {string} title
 * @param {readonly import("../types.js").PeriodRates[]} months
 * @param {readonly (Rate | null)[]} rates
 * @param {number | null} limit drawn as a line
 */
function plot(title, months, rates, limit) {
  const { highest, ticks } = scaleOfRates(rates.flatMap((rate) => (rate ? [rate.rate] : [])), limit);
  const x = (/** @type {number} */ index) => LEFT + ((index + 0.5) / months.length) * (WIDTH - LEFT - RIGHT);
  const y = (/** @type {number} */ value) => HEIGHT - BOTTOM - (Math.min(value, highest) / highest) * (HEIGHT - TOP - BOTTOM);
  const labelled = [...new Set([0, Math.floor((months.length - 1) / 2), months.length - 1])];
  return element(
    "figure",
    {},
    element("figcaption", {}, title),
    svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}, by month; the table has the figures` },
      svg("g", { class: "grid" }, ...ticks.flatMap((tick) => [svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick) }), svg("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, rateText(tick))]), ...labelled.map((index) => svg("text", { x: x(index), y: HEIGHT - 6, "text-anchor": months.length > 1 && index === months.length - 1 ? "end" : "middle" }, monthName(months[index].since)))),
      limit === null ? null : svg("path", { class: "limit", d: `M${LEFT} ${y(limit)}H${WIDTH - RIGHT}` }),
      limit === null ? null : svg("text", { class: "limit-name", x: WIDTH - RIGHT, y: y(limit) - 4, "text-anchor": "end" }, `promised of runs: ${rateText(limit)}`),
      ...rates.map((rate, index) => (rate ? mark(rate, monthName(months[index].since), x(index), y) : null)),
    ),
  );
}

/** @param {Rate} rate @param {string} month @param {number} x @param {(value: number) => number} y */
function mark(rate, month, x, y) {
  return svg(
    "g",
    { class: "mark" },
    svg("title", {}, `${month}: ${rate.hits} of ${rate.trials}, ${share(rate)}`),
    svg("path", { class: "whisker", d: `M${x} ${y(rate.low)}V${y(rate.high)}` }),
    svg("circle", { class: "dot", cx: x, cy: y(rate.rate), r: 3.5 }),
  );
}
