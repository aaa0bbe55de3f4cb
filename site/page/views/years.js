// How values moved with the releases of libraries: a chart of steps, its table, the steps with what explains them, small charts.

import { historyChart, stepPath } from "../charts/history.js";
import { address, element, link, svg, table } from "../dom.js";
import { counted, listed, quantity, tick } from "../format.js";
import { answerOf, changedBetween, commandOf, elsewhere, idOf, linesOf, movesOf, nameOf, onEachPython, ringsOf, signed } from "../models/years.js";
import { verticalScale } from "../models/marks.js";
import { disclosure, swatch, wide } from "./parts.js";
import { digits, monthWords, sizeWords } from "../words.js";

/** Dates from which on there is a chart. */
export const FEWEST = 3;
/** Steps that stand at once, the least move of a null that makes a step doubtful, and the height of a small chart. */
const [FIRST, DOUBT, SMALL] = [8, 0.005, 90];

/** @typedef {import("../types.js").YearsData} Years */
/** @typedef {import("../types.js").YearsJob} Job */
/** @typedef {import("../types.js").YearsStep} Step */

/** The chart of a job, with the values at a date below it. @param {Years} years @param {Job} job @returns {Node[]} */
export function yearsChart({ dates, unit, steps }, job) {
  const lines = linesOf(job);
  const scale = verticalScale(lines, true, unit);
  const shown = lines.toReversed();
  const xs = dates.map((each) => Date.parse(each) / 1000);
  const ends = lines.flatMap(({ levels }) => [levels[0].from, levels[levels.length - 1].to]);
  const words = (/** @type {number} */ at) => [`${monthWords(dates[at])}: `, listed(shown.flatMap(({ label, values }) => (typeof values[at] === "number" ? [`${label} ${bare(values[at], unit)}`] : []))) || "not measured"];
  const point = element("p", { class: "about", role: "status" }, ...words(Math.max(...ends)));
  const events = { words: (/** @type {number} */ at) => words(at).join(""), point: (/** @type {number} */ at) => point.replaceChildren(...words(at)), pick: () => {}, zoom: () => {} };
  const label = `What ${job.each} costs, ${counted(lines.length, "line")}. Arrow keys move from date to date. The table below has the figures.`;
  const made = historyChart({ label, xs, labelOf: (x) => monthWords(new Date(x * 1000).toISOString().slice(0, 10), "short"), lines, marks: [], rings: ringsOf(steps.filter((each) => each.job === job.id), lines, dates, scale), scale, tick: (value) => tick(value, unit), zoom: [xs[Math.min(...ends)], xs[Math.max(...ends)]], joined: false }, events);
  const legend = element("ul", { class: "legend narrow", "aria-hidden": "true" }, ...shown.map((line) => element("li", {}, swatch(line.hue), element("strong", {}, line.label), ` ${line.words}`)));
  return [element("figure", { class: "plot" }, made, element("figcaption", {}, legend)), point, element("p", { class: "about" }, `${unit[0].toUpperCase()}${unit.slice(1)} for ${job.each}. A step may lie anywhere since the measured date before it.${steps.length ? " A ring is a step of 3 % or more, named where a count of the release alone or its notes name it, or nothing else moved." : ""}`)];
}

/** @param {Years} years @param {Job} job @param {readonly number[]} measured indices of dates */
export function valuesTable({ dates, unit }, { title, each, cases }, measured) {
  const names = Object.keys(cases);
  const make = () => [wide(`Values of ${title}`, table({ caption: `${title}: ${unit} for ${each}`, kind: "figures", head: ["date", ...names], rows: measured.map((at) => [[dates[at]], ...names.map((name) => [typeof cases[name][at] === "number" ? quantity(/** @type {number} */ (cases[name][at]), null, unit).value : "–"])]) }))];
  return disclosure(`Table of ${counted(measured.length, "date")}`, make, measured.length < FEWEST);
}

/** What the same libraries cost on each Python. @param {Years} years @param {Job} job @returns {Node[]} */
export function pythonsTable(years, job) {
  const [at, found] = onEachPython(years, job);
  const rows = found.map(([name, values]) => [[name], ...values.map((each, index) => (each === null ? ["–"] : [bare(each, years.unit), index ? element("span", { class: "detail" }, ` ${signed(each / (values[0] ?? each) - 1)}`) : ""]))]);
  return rows.length ? [element("h2", {}, "The same libraries on each Python"), wide("Values on each Python", table({ caption: `${years.unit[0].toUpperCase()}${years.unit.slice(1)} for ${job.each}, libraries of ${monthWords(years.dates[at])}; change from Python ${years.python}`, kind: "figures", head: ["case", ...[years.python, ...Object.keys(job.pythons)].map((each) => `Python ${each}`)], rows }))] : [];
}

/** @param {Years} years @param {readonly Step[]} steps the largest first @param {string} linked @returns {Node[]} */
export function stepList(years, steps, linked) {
  const rows = steps.map((step) => stepRow(years, step, idOf(step) === linked));
  const rest = steps.slice(FIRST);
  return [...rows.slice(0, FIRST), rest.length ? disclosure(`${rest.length} smaller`, () => rows.slice(FIRST), rest.some((step) => idOf(step) === linked)) : null].filter((each) => each !== null);
}

/** @param {Years} years @param {Step} step @param {boolean} open */
function stepRow(years, step, open) {
  const { before, after, since, date } = step;
  const alone = [...new Set(step.causes.map((each) => each.alone ?? 0))].reduce((product, each) => product * (1 + each), 1);
  const summary = element("summary", {}, element("span", { class: "program" }, nameOf(step)), element("span", { class: "use" }, step.case), element("span", { class: "detail" }, `${monthWords(since, "short")} to ${monthWords(date, "short")}${alone === 1 ? "" : `, ${sizeWords(alone - 1, "unit")} counted alone`}`), element("span", { class: `fig ${after > before ? "worse" : "better"}` }, sizeWords(after / before - 1, "unit"), element("span", {}, `${bare(before, years.unit)} → ${bare(after, years.unit)}`)));
  const details = element("details", { class: "answer", id: `step-${idOf(step)}`, open }, summary);
  const fill = () => details.childElementCount > 1 || details.append(element("div", { class: "inside" }, why(step, elsewhere(years, step)), what(years, step)));
  open ? fill() : details.addEventListener("toggle", fill);
  return details;
}

/** What explains a step, its null, and other Pythons. @param {Step} step @param {readonly string[]} others */
function why({ causes, null: name, null_change: change }, others) {
  const found = causes.map(({ library, version, text, link: url, alone }) => element("p", {}, element("strong", {}, `${library} ${version}: `), text || "No explanation found in its notes.", alone === null ? "" : ` Counted with one release more at a time: ${sizeWords(alone, "unit")}.`, ...(url ? [" ", link(url, "Read its notes")] : [])));
  const still = change === null ? "No case without libraries was measured on both dates." : `The control, ${name}, uses no library: ${Math.abs(change) < 0.0005 ? "unchanged" : `${digits(Math.abs(change) * 100)} % ${change > 0 ? "more" : "less"}`}${Math.abs(change) < DOUBT ? "" : ", so this step is doubtful"}.`;
  return element("div", {}, ...(found.length ? found : [element("p", {}, "No explanation found: the notes of the packages that changed do not name this.")]), element("p", { class: "about" }, still, others.length ? ` ${listed(others)}.` : ""));
}

/** What changed in the lock, how to repeat the step, and its address. @param {Years} years @param {Step} step */
function what(years, step) {
  const named = new Set(step.causes.map(({ library }) => library));
  const changed = changedBetween(years, step);
  const [own, others] = [true, false].map((is) => changed.filter(([name]) => named.has(name) === is).map(([name, from, to]) => `${name} ${from} → ${to}`));
  const all = [own.length ? element("p", {}, own.join(", ")) : null, others.length ? disclosure(`${counted(others.length, own.length ? "other package" : "package")} changed`, () => [element("p", { class: "about" }, others.join(", "))]) : null];
  return element("div", {}, ...all, element("p", { class: "about" }, "Repeat it: ", element("code", {}, commandOf(years, step))), element("p", { class: "about" }, element("a", { href: `${address("years", { job: step.job })}#step-${idOf(step)}` }, "The address of this step")));
}

/** A value with three digits and the factor of its unit alone: “5.17 M”. @param {number} value @param {string} unit */
function bare(value, unit) {
  return quantity(value, null, unit).value.replace(/ ?instructions$/u, "");
}

/** A job as a small chart, over the dates of all jobs. @param {Years} years @param {Job} job */
export function panel({ dates, jobs }, job) {
  const lines = linesOf(job);
  const scale = verticalScale(lines, true);
  const used = dates.flatMap((_, at) => (jobs.some(({ cases }) => Object.values(cases).some((values) => values[at] !== null)) ? [at] : []));
  const x = (/** @type {number} */ at) => (((at - used[0]) / (used[used.length - 1] - used[0] + 0.3)) * 300).toFixed(1);
  const paths = lines.map(({ hue, levels }) => svg("path", { class: `level ${hue < 0 ? "context" : `series-${hue}`}`, d: stepPath(levels.map(({ from, to, value }) => ({ from, to: Math.max(to, from + 0.3), value })), x, (value) => 4 + (1 - scale.position(value)) * (SMALL - 8)) }));
  const words = movesOf(job).slice(0, 3).map(({ case: name, change }) => `${name} ${signed(change)}`);
  return element("section", { class: "panel" }, element("h3", {}, element("a", { href: address("years", { job: job.id }) }, job.title)), svg("svg", { viewBox: `0 0 300 ${SMALL}`, preserveAspectRatio: "none", width: "100%", height: SMALL, "aria-hidden": "true" }, ...paths), element("p", { class: "detail" }, words.join(", ")));
}

/** The first job, for the first page. @param {Years} years @returns {Node[]} */
export function overYears(years) {
  const [job] = years.jobs;
  const [answer, others] = answerOf(job, years.dates, years.unit);
  return [element("h2", { id: "years" }, "Over the years"), element("p", {}, `${answer}. ${others}`), ...yearsChart(years, job), element("p", {}, element("a", { href: address("years") }, "All jobs, and the releases that moved them"))];
}
