// A job done in several ways: for each way its dots, its time and its ratio to the first.

import { axisRow, dotRow, kindOf } from "../charts/dots.js";
import { logarithmic } from "../charts/scale.js";
import { address, element, name as broken } from "../dom.js";
import { absence, counted, listed, targetTitle } from "../format.js";
import { quantities, span } from "../words.js";
import { keyByName } from "../models/choices.js";
import { middle, ratiosOf, shareWords, valuesOf } from "../models/scenarios.js";

/** @typedef {import("../models/scenarios.js").Job} Job */
/** @typedef {import("../models/scenarios.js").Way} Way */

/** Jobs that a sentence names. */
const MOST_NAMED = 3;

/** What the jobs show together: the first one's answer, and a sentence about the others. @param {readonly Job[]} jobs @returns {[string, string]} */
export function jobsWords(jobs) {
  const faster = jobs.filter(({ best }) => best.length > 0);
  const few = jobs.filter((each) => each.few);
  const none = jobs.filter((each) => !faster.includes(each) && !few.includes(each));
  const [first, ...others] = faster;
  const named = others.slice(0, MOST_NAMED).map(({ name, best }) => `${lowered(name)} (${shareWords(middle(best[0]))})`);
  const sentences = [
    others.length ? `Also faster: ${listed(others.length > MOST_NAMED ? [...named, `${others.length - MOST_NAMED} more`] : named)}.` : "",
    none.length ? `${first ? "No way is clearly faster on each Python for" : "Measured:"} ${names(none)}.` : "",
    few.length && few.length < jobs.length ? `Too few samples for ${names(few)}.` : "",
  ];
  const heading = first ? `${first.name}: ${bestWords(first)}` : few.length === jobs.length ? "Too few samples to say which way is faster" : "No way is clearly faster here";
  return [heading, sentences.filter(Boolean).join(" ")];
}

/** @param {readonly Job[]} jobs */
function names(jobs) {
  return jobs.length > MOST_NAMED ? counted(jobs.length, "job") : listed(jobs.map(({ name }) => lowered(name)));
}

/** A name inside a sentence. @param {string} name */
function lowered(name) {
  return /^[A-Z]{2}/.test(name) ? name : `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;
}

/** “a third of the time with asyncio.gather or threads” @param {Job} job with a best way */
export function bestWords({ best, scenario: { unit } }) {
  return `${shareWords(middle(best[0]))} of the ${unit === "seconds" ? "time" : unit === "bytes" ? "memory" : "value"} with ${listed(best.map(({ name }) => name), "or")}`;
}

/** What the ways of a job show, in relation to the first. @param {Job} job */
export function noteOf(job) {
  const { best, faster, open, slower, few, ways, small } = job;
  if (few) {
    return "Too few samples to say which way is faster.";
  }
  const reference = (ways.find((each) => each.reference) ?? ways[0]).name;
  const kinds = /** @type {[Way[], string][]} */ ([[faster, "clearly faster too"], [open, "not clearly different"], [slower, "clearly slower"]]);
  const rest = kinds.filter(([found]) => found.length).map(([found, words]) => ` ${listed(found.map(({ name }) => name))}: ${words}.`);
  const words = best.length ? `${bestWords(job)}, against ${reference}` : `no way is clearly faster than ${reference}`;
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}${small ? ", at this small load" : ""}.${rest.join("")}`;
}

/** @param {Job} job @param {import("../types.js").SiteData} site */
export function jobPanel(job, site) {
  const { scenario, load, name } = job;
  const choices = { name: scenario.benchmark, ...(scenario.load_parameter ? { [keyByName(scenario.load_parameter)]: scenario.loads.find((each) => each.name === load)?.parameter } : {}) };
  return element("section", { class: "panel" }, element("h3", {}, name), element("p", { class: "about" }, noteOf(job)), jobTable(job, site.targets), element("p", { class: "about" }, element("a", { href: address("benchmark", choices) }, "History and samples", element("span", { class: "unseen" }, ` of ${name}`)), ` · ${[scenario.name, load].filter(Boolean).join(", ")}`));
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
