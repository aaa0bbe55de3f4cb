// How values moved with the releases of libraries: lines, moves in words, what changed between two dates. Does not use the DOM.

import { listed } from "../format.js";
import { monthWords, sizeWords } from "../words.js";

const [SMALL, COLOURED, NAMED] = [0.01, 6, 5];
/** How near to another name a ring's own would be hard to read: a share of the width, and of the height. */
const NEAR = [0.13, 0.06];

/** @typedef {import("../types.js").YearsData} Years */
/** @typedef {import("../types.js").YearsJob} Job */
/** @typedef {import("../types.js").YearsStep} Step */
/** @typedef {{case: string, since: number, change: number}} Move *since* is an index of the dates */

/** How each case of a job moved up to its last value, the largest move first. @param {Job} job @returns {Move[]} */
export function movesOf({ cases }) {
  const found = Object.entries(cases).map(([name, values]) => {
    const since = values.findIndex((each) => each !== null);
    return { case: name, since, change: (values.findLast((each) => each !== null) ?? 1) / (values[since] ?? 1) - 1 };
  });
  return found.sort((one, other) => Math.abs(Math.log1p(other.change)) - Math.abs(Math.log1p(one.change)));
}

/** The answer, and a sentence on the other cases. @param {Job} job @param {readonly string[]} dates @param {string} unit @returns {[string, string]} */
export function answerOf(job, dates, unit) {
  const [first, ...others] = movesOf(job);
  const words = (/** @type {number} */ change) => (Math.abs(change) < SMALL ? "about the same" : sizeWords(change, "unit"));
  const rest = listed(others.slice(0, COLOURED).map((each) => `${words(each.change)} with ${each.case}${each.since === first.since ? "" : ` since ${monthWords(dates[each.since])}`}`));
  return [`${unit[0].toUpperCase()}${unit.slice(1)} for ${job.each}: ${words(first.change)} with ${first.case} since ${monthWords(dates[first.since])}`, rest ? `${rest[0].toUpperCase()}${rest.slice(1)}.` : ""];
}

/**
 * The lines of a chart: a level goes from a date with a value to the next one. Six are in colour, those that moved most.
 *
 * @param {Job} job
 * @returns {import("../charts/history.js").ChartLine[]} grey ones first
 */
export function linesOf(job) {
  return movesOf(job).map(({ case: label, change }, at) => {
    const values = job.cases[label].map((each) => each ?? undefined);
    const measured = values.flatMap((each, index) => (each === undefined ? [] : [index]));
    const levels = measured.map((from, index) => ({ from, to: measured[index + 1] ?? from, value: values[from] ?? 0 }));
    return { label, words: signed(change), hue: at < COLOURED ? at : -1, values, low: [], high: [], levels };
  }).reverse();
}

/** “−92 %”, “0 %”. @param {number} change */
export function signed(change) {
  const percent = Math.round(Math.abs(change) * 100);
  return `${percent === 0 ? "" : change < 0 ? "−" : "+"}${percent} %`;
}

/** The releases that explain a step, or what is known of them. @param {Step} step */
export function nameOf({ causes }) {
  const names = causes.map(({ library, version }) => `${library} ${version}`);
  return names.length > 2 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} more` : names.length ? listed(names) : "No explanation found";
}

/** A step in addresses. @param {Step} step */
export function idOf({ job, case: name, date }) {
  return `${job}/${name}/${date.slice(0, 7)}`;
}

/**
 * The rings of a chart: the steps of 3 % or more; the largest are named where names have room.
 *
 * @param {readonly Step[]} steps the largest first
 * @param {readonly import("../charts/history.js").ChartLine[]} lines
 * @param {readonly string[]} dates
 * @param {import("../charts/scale.js").Scale} scale
 */
export function ringsOf(steps, lines, dates, scale) {
  /** @type {[number, number][]} */
  const named = [];
  return steps.filter(({ before, after }) => Math.abs(after / before - 1) >= 0.03).map((step) => {
    const at = dates.indexOf(step.date);
    const place = /** @type {[number, number]} */ ([at / dates.length, scale.position(step.after)]);
    const isNamed = step.causes.length > 0 && named.length < NAMED && named.every((other) => other.some((each, axis) => Math.abs(each - place[axis]) > NEAR[axis]));
    isNamed && named.push(place);
    const [cause] = step.causes;
    return { at, value: step.after, hue: lines.find(({ label }) => label === step.case)?.hue ?? -1, label: cause ? `${cause.library} ${cause.version}` : nameOf(step), named: isNamed };
  });
}

/** What changed in the locks between two dates: the name, the old and the new version. @param {Years} years @param {Step} step @returns {[string, string, string][]} */
export function changedBetween({ packages, dates }, { since, date }) {
  const [from, to] = [dates.indexOf(since), dates.indexOf(date)];
  return Object.entries(packages).flatMap(([name, versions]) => (versions[from] === versions[to] ? [] : [[name, versions[from] ?? "none", versions[to] ?? "none"]]));
}

/** How a step is on other Pythons: “86 % less on 3.13”. @param {Years} years @param {Step} step */
export function elsewhere({ jobs, dates }, { job, case: name, since, date }) {
  return Object.entries(jobs.find(({ id }) => id === job)?.pythons ?? {}).flatMap(([python, cases]) => {
    const [before, after] = [since, date].map((each) => cases[name]?.[dates.indexOf(each)]);
    return before && after ? [`${Math.abs(after / before - 1) < SMALL / 2 ? "unchanged" : sizeWords(after / before - 1, "unit")} on ${python}`] : [];
  });
}

/** The last date that all Pythons have, and the values of each case on each Python. @param {Years} years @param {Job} job @returns {[number, [string, (number | null)[]][]]} */
export function onEachPython({ dates }, { cases, pythons }) {
  const all = [cases, ...Object.values(pythons)];
  const at = dates.findLastIndex((_, index) => all.every((each) => Object.values(each).some((values) => values[index] !== null)));
  const rows = Object.keys(cases).map((name) => /** @type {[string, (number | null)[]]} */ ([name, all.map((each) => each[name]?.[at] ?? null)]));
  return [at, rows.filter(([, [own, ...others]]) => own !== null && others.some((each) => each !== null))];
}

/** The command that repeats a step. @param {Years} years @param {Step} step */
export function commandOf({ command }, { job, case: name, since, date }) {
  const count = (/** @type {string} */ each) => Number(each.slice(0, 4)) * 12 + Number(each.slice(5, 7));
  const values = { since: since.slice(0, 7), until: date.slice(0, 7), months: count(date) - count(since), job, case: name };
  return Object.entries(values).reduce((text, [key, value]) => text.replaceAll(`{${key}}`, String(value)), command);
}
