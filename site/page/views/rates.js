// How often verdicts were wrong where the truth is known: sentences, and a table with dots over time.

import { dotRow } from "../charts/dots.js";
import { element, link, table } from "../dom.js";
import { counted, shortHash } from "../format.js";
import { limitsText, rateText, rateWords, scaleOfRates } from "../models/rates.js";
import { monthWords } from "../words.js";

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

/** A row for each month: the figures, and a dot with its interval. @param {Rates} rates @returns {Node[]} */
function chart({ months, promised }) {
  const alarms = scaleOfRates(months.flatMap(({ false_alarms: rate }) => (rate ? [rate.rate] : [])), promised);
  const cell = (/** @type {Rate | null} */ rate, /** @type {import("../charts/scale.js").Scale | null} */ scale = null, /** @type {number | null} */ strong = null) => {
    const text = rate ? `${rate.hits} of ${rate.trials.toLocaleString("en")}` : "–";
    return rate ? [text, element("span", { class: "detail" }, ` ${share(rate)}`), scale && dotRow([{ value: rate.rate, interval: [rate.low, rate.high], kind: "best", title: `${text}, ${share(rate)}` }], scale, { strong })] : [text];
  };
  const rows = months.map(({ since, false_alarms, alarmed_runs, found: seen }) => [[monthWords(since, "short")], cell(false_alarms, alarms, promised), cell(alarmed_runs), cell(seen, scaleOfRates([1], null))]);
  const caption = `By month, with intervals. Dots of false alarms lie between 0 and ${rateText(alarms.domain[1])}, with a line at the ${rateText(promised)} that is promised of runs; dots of found slowdowns between 0 and 100 %.`;
  return [table({ caption, kind: "rates", head: ["month", "false alarms", "runs with one", "found slowdowns"], rows })];
}
