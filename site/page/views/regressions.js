// The first page of a suite without claims: what got slower, what got faster, the newest commits, a form to compare.

import { address, benchmarkName, element, heading, link, method } from "../dom.js";
import { counted, quantity, shortHash, targetTitle } from "../format.js";
import { date, dayWords, digits, shortened, sizeWords, FEWEST } from "../words.js";
import { eventRow } from "./event.js";
import { wide } from "./parts.js";

const [MOST_OPEN, FASTER] = [10, 3];
const [IDLE, YEAR] = [14 * 86400, 300 * 86400];
/** Ratios from which a cell of the map is darker. */
const DEPTHS = [1.03, 1.15, 1.4];

/** @typedef {import("../types.js").SiteData} Site */
/** @typedef {import("../types.js").RecentChange} Recent */

/** Whether there are too few commits for changes. @param {Site} site */
function isShort({ commits }) {
  return commits > 0 && commits < FEWEST;
}

/** @param {Site} site @param {number} now @param {import("../data.js").Data} data @returns {Promise<Node[]>} */
export async function regressionPage(site, now, data) {
  const { commits, benchmarks, recent } = site;
  const open = recent.filter((each) => each.open > 0);
  const waiting = open.filter(({ alert }) => alert === null || alert.state === "open");
  const set = open.length - waiting.length;
  const faster = site.faster.slice(0, FASTER);
  return [
    ...top(site, waiting, set, now),
    ...(waiting.length ? [element("div", {}, ...waiting.slice(0, MOST_OPEN).map((each) => eventRow(site, each))), element("p", { class: "about" }, "Newest first. A dot is a run, a line the level before and after. What the machine did to all times of a run is taken out. ", waiting.length > MOST_OPEN || site.health.open_regressions > open.length ? element("a", { href: address("changes", { direction: "regressed", state: "current" }) }, `All ${counted(site.health.open_regressions, "open regression")}`) : "")] : []),
    ...(set && waiting.length ? [element("p", { class: "about" }, `${set} more ${set === 1 ? "is" : "are"} acknowledged: `, element("a", { href: address("changes", { direction: "regressed", state: "current" }) }, "show them"))] : []),
    ...(faster.length ? [element("h2", {}, "Got faster"), element("div", { class: "rows" }, ...faster.map((each) => line(site, each)))] : []),
    ...(recent.length ? [element("p", {}, element("a", { href: address("changes") }, `All ${counted(site.changes, "change")}`), " · ", element("a", { href: "feeds/regressions.atom" }, "Feed"))] : []),
    ...map(site),
    ...(isShort(site) ? slowest((await data.site()).benchmarks) : []),
    ...(commits > 1 && benchmarks > 0 ? compareForm() : []),
  ];
}

/** The answer. @param {Site} site @param {readonly Recent[]} waiting @param {number} set how many regressions are acknowledged @param {number} now @returns {Node[]} */
function top(site, waiting, set, now) {
  const { commits, benchmarks, files, recent } = site;
  const about = aboutLine(site, now);
  if (commits === 0) {
    return heading(["Nothing is measured yet."], [element("code", {}, "windtunnel bench"), " measures this suite."], [method()]);
  }
  if (waiting.length > 0) {
    const largest = waiting.toSorted((one, other) => size(other) - size(one))[0];
    return heading([counted(site.health.open_regressions - set, "open regression")], [waiting.length > 1 ? "The largest: " : "", brief(largest), ` ${is(largest)} since ${dayWords(largest.date, now - Date.parse(largest.date) / 1000 > YEAR)}.`], about);
  }
  if (set > 0) {
    return heading(["No regression waits for you."], [`${set} ${set === 1 ? "is" : "are"} acknowledged: `, element("a", { href: address("changes", { direction: "regressed", state: "current" }) }, "show them"), "."], about);
  }
  if (isShort(site)) {
    return heading([`${counted(benchmarks, "benchmark")}, ${counted(commits, "commit")}`], [`Changes show from ${FEWEST} commits on.`], about);
  }
  if (files.changes === null) {
    return heading([`${counted(benchmarks, "benchmark")}, ${counted(commits, "commit")}`], ["This site was published without change detection (windtunnel detect)."], about);
  }
  const [last] = recent;
  const words = last ? [`The last change: `, brief(last), ` ${sizeWords(last.relative_change, last.unit)}, ${dayWords(last.date)}.`] : ["No change was found in all of them."];
  return heading([commits > 30 ? "Nothing got slower in the last 30 commits." : `Nothing got slower in ${counted(commits, "commit")}.`], words, about);
}

/** The name in the answer. @param {Recent} event */
function brief({ benchmark }) {
  return element("code", {}, shortened(benchmark.slice(benchmark.lastIndexOf(".") + 1), 60));
}

/** @param {Recent} event */
function is({ relative_change, unit }) {
  return `${unit === "seconds" ? "is" : "takes"} ${sizeWords(relative_change, unit)}`;
}

/** @param {Recent} event */
function size({ relative_change }) {
  return relative_change === null || relative_change <= -1 ? Infinity : Math.abs(Math.log1p(relative_change));
}

/** What all rows share, and how sure they are. @param {Site} site @param {number} now @returns {import("../dom.js").Child[]} */
export function aboutLine({ benchmarks, commits, newest, targets, health, error_rates }, now) {
  const rate = error_rates?.all.false_alarms?.rate ?? null;
  const machines = [...new Set(targets.map(({ machine }) => machine))];
  const failed = targets.reduce((total, each) => total + each.failed, 0);
  const pythons = [...new Set(targets.map(({ python }) => python))];
  const idle = health.newest !== null && now - health.newest > IDLE;
  return [
    `${counted(benchmarks, "benchmark")} on ${counted(commits, "commit")}`,
    ...(newest ? [", the newest ", element("code", {}, link(newest.url, shortHash(newest.hash))), newest.date === null ? "" : ` of ${date(newest.date)}`] : []),
    ". ",
    pythons.length ? `${pythons.length === 1 ? `All on ${targetTitle(pythons[0])}` : `On ${counted(pythons.length, "Python")}`}, ${machines.length === 1 ? machines[0] : counted(machines.length, "machine")}. ` : "",
    health.newest === null ? "" : idle ? element("span", { class: "attention" }, `Nothing was measured since ${date(health.newest)}. `) : `Measured ${date(health.newest)}. `,
    failed ? element("span", { class: "attention" }, `${counted(failed, "case")} failed. `) : "",
    health.untried ? `${counted(health.untried, "benchmark")} ${health.untried === 1 ? "has" : "have"} no result. ` : "",
    health.stale ? `${counted(health.stale, "benchmark")} ${health.stale === 1 ? "was" : "were"} not measured on the newest commit. ` : "",
    `False alarms: ${rate === null ? "at most 1 %" : `${Number((rate * 100).toPrecision(2))} %`}. `,
    method(),
  ];
}

/** A change in a line. @param {Site} site @param {Recent} event */
export function line(site, { benchmark, unit, relative_change, before, after, commit, date: day, members, direction }) {
  const level = (/** @type {number} */ value) => quantity(value, null, unit).value;
  return element(
    "div",
    { class: "row" },
    element("span", { class: direction === "regressed" ? "worse" : "better" }, `${sizeWords(relative_change, unit)}${members > 1 ? `, and ${counted(members - 1, "more case", "more cases")}` : ""}`),
    element("span", {}, ...benchmarkName(benchmark)),
    element("span", {}, `${level(before)} → ${level(after)}`),
    element("span", { class: "detail" }, element("code", {}, link(site.commit_url && `${site.commit_url}${commit}`, shortHash(commit))), `, ${dayWords(day)}`),
  );
}

/** The benchmarks with the largest times. @param {readonly import("../models/types.js").Listed[]} listed @returns {Node[]} */
function slowest(listed) {
  const value = (/** @type {import("../models/types.js").Listed} */ { last }) => last ?? 0;
  const timed = listed.filter(({ unit, last }) => unit === "seconds" && last !== null).toSorted((one, other) => value(other) - value(one)).slice(0, MOST_OPEN);
  const rows = timed.map((each) => element("tr", {}, element("th", { scope: "row" }, ...benchmarkName(each.name)), element("td", {}, quantity(value(each), null, each.unit).value)));
  return rows.length === 0 ? [] : [element("h2", {}, "The slowest benchmarks"), element("table", { class: "slowest" }, element("caption", { class: "unseen" }, "The newest time of each benchmark, the largest first"), element("thead", { class: "unseen" }, element("tr", {}, element("th", { scope: "col" }, "benchmark"), element("th", { scope: "col" }, "time"))), element("tbody", {}, ...rows)), element("p", {}, element("a", { href: address("benchmarks", { order: "value" }) }, `All ${counted(listed.length, "benchmark")}`))];
}

/** The newest commits of benchmarks that changed there. @param {Site} site @returns {Node[]} */
function map({ map: found, commits }) {
  if (!found || commits < FEWEST) {
    return [];
  }
  const words = (/** @type {number | null} */ cell) => (cell === null ? "not measured" : cell === 1 ? "within the noise" : sizeWords(cell - 1, "unit"));
  const rows = found.rows.map(({ benchmark, more_is_worse: up, cells }) => {
    const last = cells.findLast((each) => each !== null) ?? null;
    const newest = last === null || last === 1 ? "–" : last >= 2 ? `${digits(last)}×` : `${last > 1 ? "+" : "−"}${digits(Math.abs(last - 1) * 100)} %`;
    const squares = cells.map((cell, at) => element("td", { class: `cell ${shade(cell, up)}` }, element("a", { tabindex: -1, href: address("benchmark", { name: benchmark, zoom: `${Math.max(0, found.first + at - 15)}_${found.first + at + 15}` }), title: `${found.hashes[at]}, ${date(found.dates[at])}: ${words(cell)}` }, element("span", { class: "unseen" }, words(cell)))));
    return element("tr", {}, element("th", { scope: "row" }, element("a", { href: address("benchmark", { name: benchmark }) }, benchmark.slice(benchmark.lastIndexOf(".") + 1))), ...squares, element("td", { class: `now ${last === null || last === 1 ? "" : last > 1 === up ? "worse" : "better"}` }, newest));
  });
  const heads = found.hashes.map((hash, at) => element("th", { scope: "col", class: "day" }, element("span", { class: "unseen" }, `${hash}, ${date(found.dates[at])}`)));
  const ends = element("p", { class: "map-ends", "aria-hidden": "true" }, element("span", {}, date(found.dates[0])), element("span", {}, date(found.dates[found.dates.length - 1])));
  const box = element("table", { class: "map" }, element("caption", { class: "unseen" }, "For each commit the median of the cases of a benchmark, against the level before"), element("thead", {}, element("tr", {}, element("th", { scope: "col" }, element("span", { class: "unseen" }, "benchmark")), ...heads, element("th", { scope: "col", class: "now" }, "now"))), element("tbody", {}, ...rows));
  const key = [["w1", "slower or more, from 3 %"], ["w2", "15 %"], ["w3", "40 %"], ["b2", "faster or less"], ["none", "within the noise"]].map(([kind, text]) => element("span", {}, element("i", { class: `cell ${kind}` }), text));
  return [element("h2", {}, `The last ${found.hashes.length} commits`), element("p", { class: "about" }, `${counted(found.rows.length, "benchmark")} changed. A cell is a commit, the median of its cases against the level before; it opens the history there.`), wide("Map of the newest commits", element("div", { class: "map-box" }, ends, box)), element("p", { class: "key" }, ...key)];
}

/** @param {number | null} cell @param {boolean} up whether more is worse */
function shade(cell, up) {
  if (cell === null || cell <= 0) {
    return "absent";
  }
  const depth = DEPTHS.filter((each) => Math.max(cell, 1 / cell) >= each).length;
  return depth === 0 ? "none" : `${cell > 1 === up ? "w" : "b"}${depth}`;
}

/** What stands at the end: a comparison that the reader chooses. @returns {Node[]} */
function compareForm() {
  const links = [["the newest 10 runs and the 10 before", { runs: 10 }], ["the newest run and the one before", { runs: 1 }]].map(([words, choices]) => element("li", {}, element("a", { href: address("compare", /** @type {import("../dom.js").Choices} */ (choices)) }, /** @type {string} */ (words))));
  const form = element("form", { class: "controls", action: "./" }, element("input", { type: "hidden", name: "page", value: "compare" }), ...[["base", "from"], ["head", "to"]].map(([name, words]) => element("label", {}, element("span", {}, words), element("input", { name, placeholder: "commit, release or day", autocomplete: "off", spellcheck: "false" }))), element("button", { type: "submit" }, "Compare"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [base, head] = ["base", "head"].map((name) => String(new FormData(form).get(name) ?? "").trim());
    element("a", { href: address("compare", { base, head }) }).click();
  });
  return [element("h2", {}, "Compare two commits or releases"), form, element("ul", { class: "links" }, ...links)];
}
