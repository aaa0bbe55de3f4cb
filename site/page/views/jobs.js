// A job done in several ways: for each way its dots, its time and its ratio to the first.

import { axisRow, dotRow, kindOf } from "../charts/dots.js";
import { logarithmic } from "../charts/scale.js";
import { address, element, name as broken } from "../dom.js";
import { absence, listed, targetTitle } from "../format.js";
import { quantities, span } from "../words.js";
import { keyByName } from "../models/choices.js";
import { middle, ratiosOf, shareWords, valuesOf } from "../models/scenarios.js";

/** @typedef {import("../models/scenarios.js").Job} Job */
/** @typedef {import("../models/scenarios.js").Way} Way */

/** Jobs that a sentence names. */
const MOST_NAMED = 3;

/** What the jobs show together: how much the best ways save, and where none does. @param {readonly Job[]} jobs */
export function jobsSentence(jobs) {
  const found = jobs.flatMap(({ best, name }) => (best ? [{ name, ratio: middle(best) }] : [])).sort((one, other) => one.ratio - other.ratio);
  const none = jobs.filter(({ best, few }) => best === null && !few).map(({ name }) => name);
  /** @type {Map<string, string[]>} */
  const saved = new Map();
  found.slice(0, MOST_NAMED).forEach(({ name, ratio }) => saved.set(shareWords(ratio), [...(saved.get(shareWords(ratio)) ?? []), name]));
  const parts = [...saved].map(([share, names]) => `${listed(lowered(names, true))} ${names.length > 1 || /s$/.test(names[0]) ? "take" : "takes"} ${share} of the time in the best way.`);
  const more = found.length > MOST_NAMED ? `${found.length - MOST_NAMED} more have a way that is clearly faster.` : "";
  return [...parts, more, none.length > MOST_NAMED ? `For ${none.length} ${found.length ? "others " : ""}no way is clearly faster.` : none.length ? `For ${listed(lowered(none, false))} no way is clearly faster.` : ""].filter(Boolean).join(" ");
}

/** @param {readonly string[]} names @param {boolean} first whether a sentence begins with them */
function lowered(names, first) {
  return names.map((each, at) => (first && at === 0) || /^[A-Z]{2}/.test(each) ? each : `${each.slice(0, 1).toLowerCase()}${each.slice(1)}`);
}

/** @param {Job} job @param {import("../types.js").SiteData} site */
export function jobPanel(job, site) {
  const { scenario, load, best, few, ways, name } = job;
  const reference = ways.find((each) => each.reference)?.name ?? ways[0].name;
  const note = few ? "Too few samples to say which way is faster." : best === null ? `No way is clearly faster than ${reference}.` : `${best.name}: ${shareWords(middle(best))} of the time of ${reference}${job.small ? ", at this small load" : ""}.`;
  const choices = { name: scenario.benchmark, ...(scenario.load_parameter ? { [keyByName(scenario.load_parameter)]: scenario.loads.find((each) => each.name === load)?.parameter } : {}) };
  return element("section", { class: "panel" }, element("h3", {}, name), element("p", { class: "about" }, note), jobTable(job, site.targets), element("p", { class: "about" }, element("a", { href: address("benchmark", choices) }, "History and samples", element("span", { class: "unseen" }, ` of ${name}`)), ` · ${[scenario.name, load].filter(Boolean).join(", ")}`));
}

/**
 * The dots, the times and the ratios of a job; with *levels* also the quantiles of the samples.
 *
 * @param {Job} job
 * @param {readonly {name: string}[]} targets
 */
export function jobTable({ ways, scenario, name }, targets) {
  const found = ways.flatMap(({ cases }) => ratiosOf(cases));
  const [low, high] = [Math.min(0.5, ...found), Math.max(2, ...found)];
  const ticks = high > 50 ? [1, 10, 100, 1000, 10_000] : high > 5 || low < 0.2 ? [0.01, 0.1, 1, 10] : [1 / 3, 1, 3];
  const scale = { ...logarithmic(low, high, 5, 0.12), ticks: ticks.filter((each) => each > low / 2 && each < high * 2) };
  const words = (/** @type {number} */ value) => (value === 1 / 3 ? "⅓×" : `${value}×`);
  const rows = ways.map((way) => element("tr", {}, element("th", { scope: "row" }, ...broken(way.name)), element("td", { class: "chart" }, dotRow(marksOf(way, targets), scale)), element("td", { class: "n" }, ...timeParts(way, scenario.unit)), element("td", { class: "n" }, element("strong", {}, way.reference ? "1×" : ratioText(way)))));
  const head = element("tr", {}, element("th", { scope: "col" }, "way"), element("th", { scope: "col", class: "chart" }, axisRow(scale, words), element("span", { class: "unseen" }, "ratio as a dot")), element("th", { scope: "col", class: "n" }, scenario.unit === "seconds" ? "time" : scenario.unit === "bytes" ? "memory" : scenario.unit), element("th", { scope: "col", class: "n" }, "ratio"));
  return element("table", { class: "job" }, element("caption", { class: "unseen" }, `${name}: the value of each way, and its ratio to the first`), element("thead", {}, head), element("tbody", {}, ...rows));
}

/** @param {Way} way */
function ratioText({ cases }) {
  const ratios = ratiosOf(cases);
  return ratios.length ? `${span(ratios)}×` : "–";
}

/** @param {Way} way @param {string} unit */
function timeParts({ cases }, unit) {
  const values = valuesOf(cases);
  const missing = [...new Set(cases.flatMap(({ case: { result } }) => (typeof result === "string" ? [absence(result)] : [])))];
  return [values.length ? quantities(values, unit) : element("span", { class: "absent" }, missing.join(", ") || "–"), values.length && missing.length ? element("span", { class: "detail" }, missing.join(", ")) : null];
}

/** @param {Way} way @param {readonly {name: string}[]} targets @returns {import("../charts/dots.js").Mark[]} */
function marksOf({ cases, reference, name }, targets) {
  return cases.flatMap(({ target, case: { ratio, result } }) => {
    const value = reference && typeof result !== "string" ? 1 : ratio?.value;
    return value === undefined || value === null ? [] : [{ value, interval: ratio?.interval ?? null, kind: reference ? "open" : kindOf(value, ratio?.interval ?? null, "more", "best"), title: `${name}, ${targetTitle(targets[target].name)}: ${span([value], 3)}×` }];
  });
}
