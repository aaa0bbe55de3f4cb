// One benchmark: its answer, its history, its series, its changes, its alerts and its data.

import { address, element, heading, method, name as broken } from "../dom.js";
import { DataError } from "../data.js";
import { counted, listed, targetTitle } from "../format.js";
import { date, FEWEST } from "../words.js";
import { chosenIn, offered } from "../models/benchmark.js";
import { range } from "../models/choices.js";
import { commitRange, missing, MOST_DETAIL } from "../models/detail.js";
import { byBranch, chosenSeries, MOST_LINES } from "../models/history.js";
import { levelsOf, movedBy, movedWords } from "../models/levels.js";
import { jobOf, nameOf, usualLoad } from "../models/scenarios.js";
import { benchmarkChart, benchmarkControls, changedAt, files } from "../views/benchmark.js";
import { alertParts } from "../views/alerts.js";
import { sinceWords } from "../views/series.js";
import { jobTable } from "../views/jobs.js";
import { profileParts, samplesTable } from "../views/samples.js";
import { steadyPart } from "../views/steadiness.js";
import { changeTable } from "../views/changes.js";
import { wide } from "../views/parts.js";

/** What the name of a benchmark of counts has after the name of the benchmark whose instructions it counts. */
const COUNTS = ".instructions";

/** @typedef {import("../models/types.js").Site} Site */
/** @typedef {import("../models/types.js").BenchmarkFile} BenchmarkFile */
/** @typedef {import("../types.js").Change} Change */

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw(context) {
  const { data } = context;
  const site = await data.site();
  const name = context.choices.get("name") ?? "";
  const listing = site.benchmarks.find((each) => each.name === name);
  if (listing === undefined) {
    throw new DataError(`There is no benchmark “${name}” on this site. It may have been renamed; “Benchmarks” lists all.`);
  }
  const other = site.benchmarks.find((each) => each.name === `${name}${COUNTS}`);
  const names = other === undefined ? [name] : [name, other.name];
  const front = await data.front();
  const [whole, wholeCounts, { changes, alerts }, marks, factors, overview] = await Promise.all([data.benchmark(listing), other === undefined ? null : data.benchmark(other), data.changesOf(names), data.marks(), data.factors(), front.scenarios > 0 ? data.scenarios() : null]);
  const benchmark = await detailed(context, site, whole);
  const points = data.commits(benchmark.exact_from, Infinity).catch(() => {}); // for hashes and branches of points; the page waits for branches alone
  await (site.branches.length > 1 ? points : null);
  const counts = wholeCounts === null ? null : await detailed(context, site, wholeCounts);
  const scenario = overview?.scenarios.find((each) => each.benchmark === name);
  const can = offered(benchmark.series, benchmark.params, site.targets);
  const chosen = chosenIn(context.choices, can, benchmark.series, site.targets);
  const all = byBranch(chosenSeries(benchmark.series, chosen.params, chosen, site.targets, benchmark.params), site.commits.branch, site.branches);
  const drawn = all.slice(0, MOST_LINES);
  const own = changes.filter((each) => each.benchmark === name);
  const shared = { context, site, chosen, can, marks: marks?.marks ?? [], factors };
  const commits = new Set(drawn.flatMap(({ series }) => series.commits)).size;
  const isShort = commits < FEWEST && chosen.axis === "commits";
  return {
    title: `${name} · ${site.project.name}`,
    content: [
      crumbs(name),
      ...heading(broken(scenario ? nameOf(front.board, scenario) : name.slice(name.lastIndexOf(".") + 1)), [answer(site, benchmark, own, isShort ? commits : null)], about(site, benchmark, context, chosen, factors.size > 0, isShort)),
      benchmarkControls(context, benchmark, can, chosen, isShort),
      all.length === drawn.length ? null : element("p", { class: "about" }, `${all.length} series fit; the first ${MOST_LINES} are drawn. Choose parameters or a Python to see others.`),
      coarseNote(site, benchmark, drawn),
      ...(scenario && overview ? job(context, front, overview, scenario, isShort) : []),
      ...(drawn.length ? benchmarkChart({ ...shared, benchmark, drawn, changes: own, isShort }) : [element("p", { class: "empty" }, "Nothing was measured for this choice.")]),
      ...(counts === null ? [] : instructions(shared, counts, changes)),
      isShort ? null : steadyPart(drawn, benchmark.exact_from),
      ...(own.length ? [element("h2", {}, "Changes"), changeTable(site, own, `Changes of ${name}, newest first`, { benchmark: true })] : []),
      ...(alerts.length ? [element("h2", {}, "Alerts"), ...alertParts(alerts, `Alerts for ${name}, newest first`, site.project.commit_url)] : []),
      element("h2", {}, "Data"),
      files(context, site, benchmark),
    ].filter((each) => each !== null),
  };
}

/** The way back: the list, and the benchmarks of the same class. @param {string} name */
function crumbs(name) {
  const at = name.lastIndexOf(".");
  const parts = [element("a", { href: address("benchmarks") }, "Benchmarks"), ...(at > 0 ? [" › ", element("a", { href: address("group", { name: name.slice(0, at) }) }, ...broken(name.slice(0, at)))] : []), " ›"];
  return element("p", { class: "crumbs" }, ...parts);
}

/** How the series moved since the first level. @param {Site} site @param {BenchmarkFile} benchmark @param {readonly Change[]} changes @param {number | null} few commits, where they are too few for changes */
function answer(site, { series, unit, changed }, changes, few) {
  if (few !== null) {
    return `${counted(series.length, "series", "series")}, ${counted(few, "commit")}. Changes show from ${FEWEST} commits on.`;
  }
  return movedWords(series.map((each) => movedBy(levelsOf(each, changedAt(each, changes, site, changed)))), "series", unit, sinceWords(site, series));
}

/** What all series share, and what is taken out. @param {Site} site @param {BenchmarkFile} benchmark @param {import("../main.js").Context} context @param {import("../models/benchmark.js").Chosen} chosen @param {boolean} hasFactors @param {boolean} isShort @returns {import("../dom.js").Child[]} */
function about(site, { series, unit, confidence }, { choices }, { raw }, hasFactors, isShort) {
  const targets = [...new Set(series.map(({ target }) => target))].map((each) => site.targets[each]);
  const [pythons, machines] = [[...new Set(targets.map(({ python }) => python))], [...new Set(targets.map(({ machine }) => machine))]];
  const commits = new Set(series.flatMap((each) => each.commits)).size;
  const where = `${pythons.length > 3 ? counted(pythons.length, "Python") : pythons.every((each) => /^\d/.test(each)) ? `Python ${listed(pythons)}` : listed(pythons)} on ${machines.length > 1 ? counted(machines.length, "machine") : machines[0]}, ${counted(commits, "commit")}. `;
  const asked = { ...Object.fromEntries(choices), raw: raw ? null : "yes", page: null };
  const corrected = hasFactors && unit === "seconds" && !isShort ? [raw ? "As measured. " : "What the machine did to all times of a run is taken out. ", element("a", { href: address("benchmark", asked), "data-key": "raw" }, raw ? "Take it out" : "Show as measured"), ". "] : [];
  return [where, ...corrected, `Intervals have ${Math.round(confidence * 100)} % confidence here; tables of ways and the terminal's have 95 %. `, method()];
}

/**
 * The ways of a scenario side by side, with their samples.
 *
 * @param {import("../main.js").Context} context
 * @param {import("../types.js").SiteData} front
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../types.js").ScenarioData} scenario
 * @param {boolean} open
 * @returns {Node[]}
 */
function job({ choices }, front, overview, scenario, open) {
  const asked = choices.get(`.${scenario.load_parameter}`) ?? benchmarkLoad(choices, scenario);
  const known = scenario.loads.findIndex(({ parameter }) => parameter === asked);
  const found = jobOf(scenario, front.board, known >= 0 ? known : usualLoad(scenario));
  if (found.ways.every(({ cases }) => cases.every(({ case: { result } }) => typeof result === "string"))) {
    return [];
  }
  const samples = samplesTable(found, overview);
  const profiles = scenario.kind === "profile" ? profileParts(overview, found) : [];
  return [element("div", { class: "ways" }, element("h2", {}, found.load ? `The newest run, load ${found.load}` : "The newest run"), jobTable(found, overview.targets), ...profiles, samples && element("details", { class: "disclosure", open: open || scenario.kind === "latency" }, element("summary", {}, "Samples"), wide(`Samples of ${found.name}`, samples)))];
}

/** The load that the address chooses by the position of its parameter. @param {URLSearchParams} choices @param {import("../types.js").ScenarioData} scenario */
function benchmarkLoad(choices, { loads }) {
  return [...choices].find(([key, value]) => /^p\d+$/.test(key) && loads.some(({ parameter }) => parameter === value))?.[1] ?? "";
}

/**
 * The benchmark with a point for each commit in the zoomed range, where that is short enough.
 *
 * @param {import("../main.js").Context} context
 * @param {Site} site
 * @param {BenchmarkFile} benchmark
 */
async function detailed(context, site, benchmark) {
  Object.entries(benchmark.changed).forEach(([hash, at]) => (site.commits.hash[at] = hash));
  const chosen = chosenIn(context.choices, offered(benchmark.series, benchmark.params, site.targets), benchmark.series, site.targets);
  const wanted = missing(benchmark, commitRange(site, range(context.choices, "zoom"), chosen.axis === "dates"));
  const drawn = chosenSeries(benchmark.series, chosen.params, chosen, site.targets).slice(0, MOST_LINES);
  return wanted === null ? benchmark : context.data.detail(benchmark, new Set(drawn.map(({ series }) => series.target)), wanted);
}

/** @param {Site} site @param {BenchmarkFile} benchmark @param {readonly import("../models/history.js").Drawn[]} drawn */
function coarseNote(site, { exact_from, commits_per_point }, drawn) {
  const day = site.commits.date[exact_from] ?? null;
  return drawn.some(({ series }) => series.commits[0] < exact_from) ? element("p", { class: "about" }, `${day === null ? "Older commits" : `Before ${date(day)}`}, a point is the median of up to ${commits_per_point} commits. Zoom in to ${MOST_DETAIL} commits or fewer to see each.`) : null;
}

/** The instructions of the same cases. @param {Pick<Parameters<typeof benchmarkChart>[0], "context" | "site" | "chosen" | "can" | "marks" | "factors">} shared @param {BenchmarkFile} counts @param {readonly Change[]} changes @returns {Node[]} */
function instructions(shared, counts, changes) {
  const drawn = chosenSeries(counts.series, shared.chosen.params, shared.chosen, shared.site.targets, counts.params).slice(0, MOST_LINES);
  return [element("h2", { id: "instructions" }, "Instructions"), element("p", { class: "about" }, "How many instructions a call executes: the median over hash seeds. They hardly vary, and do not see waiting, the system, caches and memory layout."), ...(drawn.length ? benchmarkChart({ ...shared, benchmark: counts, drawn, changes: changes.filter((each) => each.benchmark === counts.name), isShort: false }) : [element("p", { class: "empty" }, "No instructions were counted for this choice.")])];
}
