// One benchmark: its history, its changes, its alerts and its data.

import { element, name as broken } from "../dom.js";
import { DataError } from "../data.js";
import { counted, day } from "../format.js";
import { chosenIn, offered } from "../models/benchmark.js";
import { range } from "../models/choices.js";
import { commitRange, missing, MOST_DETAIL } from "../models/detail.js";
import { chosenSeries, MOST_LINES, sameHues } from "../models/history.js";
import { benchmarkChart, benchmarkControls, files } from "../views/benchmark.js";
import { alertParts } from "../views/alerts.js";
import { steadyPart } from "../views/steadiness.js";
import { changeTable } from "../views/changes.js";
import { help } from "../views/parts.js";

/** What the name of a benchmark of counts has after the name of the benchmark whose instructions it counts. */
const COUNTS = ".instructions";
const CHART = "A series is a case, a benchmark with its parameters, in an environment on a machine. The line is the median, the band its interval; where the line breaks, a run has no value. Solid vertical lines are changes, dotted ones releases, dashed ones what else changed at a commit: the machine, Python, packages, the benchmark itself.";
const INSTRUCTIONS = "How many instructions a call executes: the median over hash seeds, and the interval from their spread. Instructions hardly vary, and do not see waiting, the system, caches and memory layout.";

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw(context) {
  const site = await context.data.site();
  const name = context.choices.get("name") ?? "";
  const listed = site.benchmarks.find((each) => each.name === name);
  if (listed === undefined) {
    throw new DataError(`There is no benchmark “${name}” on this site. It may have been renamed; “Benchmarks” lists all.`);
  }
  const other = site.benchmarks.find((each) => each.name === `${name}${COUNTS}`);
  const names = other === undefined ? [name] : [name, other.name];
  const [whole, wholeCounts, { changes, alerts }, marks] = await Promise.all([context.data.benchmark(listed), other === undefined ? null : context.data.benchmark(other), context.data.changesOf(names), context.data.marks()]);
  const benchmark = await detailed(context, site, whole);
  context.data.commits(benchmark.exact_from, Infinity).catch(() => {}); // for the points' hashes; the page does not wait
  const counts = wholeCounts === null ? null : await detailed(context, site, wholeCounts);
  return { title: `${name} · ${site.project.name}`, content: [...content(context, site, benchmark, counts, changes, marks?.marks ?? []), ...ownAlerts(site, alerts, name), element("h2", {}, "Data"), files(context, site, benchmark)] };
}

/**
 * The benchmark with a point for each commit in the zoomed range, where that is short enough.
 *
 * @param {import("../main.js").Context} context
 * @param {import("../models/types.js").Site} site
 * @param {import("../models/types.js").BenchmarkFile} benchmark
 */
async function detailed(context, site, benchmark) {
  Object.entries(benchmark.changed).forEach(([hash, at]) => (site.commits.hash[at] = hash));
  const chosen = chosenIn(context.choices, offered(benchmark.series, benchmark.params, site.targets), benchmark.series, site.targets);
  const wanted = missing(benchmark, commitRange(site, range(context.choices, "zoom"), chosen.axis === "dates"));
  const drawn = chosenSeries(benchmark.series, chosen.params, chosen, site.targets).slice(0, MOST_LINES);
  return wanted === null ? benchmark : context.data.detail(benchmark, new Set(drawn.map(({ series }) => series.target)), wanted);
}

/**
 * @param {import("../main.js").Context} context
 * @param {import("../models/types.js").Site} site
 * @param {import("../models/types.js").BenchmarkFile} benchmark
 * @param {import("../models/types.js").BenchmarkFile | null} counts of its instructions
 * @param {readonly import("../types.js").Change[]} changes newest first
 * @param {readonly import("../types.js").RunMark[]} marks
 * @returns {Node[]}
 */
function content(context, site, benchmark, counts, changes, marks) {
  const can = offered(benchmark.series, benchmark.params, site.targets);
  const chosen = chosenIn(context.choices, can, benchmark.series, site.targets);
  const all = chosenSeries(benchmark.series, chosen.params, chosen, site.targets);
  const drawn = all.slice(0, MOST_LINES);
  const few = all.length === drawn.length ? null : `${all.length} series fit; the first ${MOST_LINES} are drawn. Choose parameters or a Python to see others.`;
  const beside = counts !== null && ["commits", "dates"].includes(chosen.axis);
  return [
    element("h1", { tabindex: -1 }, ...broken(benchmark.name)),
    element("div", { class: "headed" }, element("p", { class: "lead" }, `${counted(benchmark.series.length, "series", "series")} in ${benchmark.unit}`), help("series", CHART)),
    benchmarkControls(context, benchmark, can, chosen),
    few === null ? null : element("p", { class: "aside" }, few),
    coarseNote(site, benchmark, drawn),
    ...(drawn.length ? benchmarkChart({ context, site, benchmark, chosen, can, drawn, marks, changes: beside ? changes : changes.filter((each) => each.benchmark === benchmark.name), counted: beside ? countsOf(counts, chosen, drawn, site) : [] }) : [element("p", { class: "empty" }, "Nothing was measured for this choice.")]),
    beside ? element("div", { class: "headed" }, element("p", { class: "aside" }, "Dotted: instructions of a call, with the axis at the right"), help("instructions", INSTRUCTIONS)) : null,
    steadyPart(drawn, benchmark.exact_from),
    ...(counts === null || beside ? [] : instructionParts(context, site, counts, chosen, can, drawn, changes)),
    element("h2", {}, "Changes"),
    changes.length ? changeTable(site, changes, `Changes of ${benchmark.name}, newest first`, { benchmark: true }) : element("p", { class: "empty" }, "No relevant change was found."),
  ].filter((each) => each !== null);
}

/** @param {import("../models/types.js").Site} site @param {import("../models/types.js").BenchmarkFile} benchmark @param {readonly import("../models/history.js").Drawn[]} drawn */
function coarseNote(site, { exact_from, commits_per_point }, drawn) {
  if (!drawn.some(({ series }) => series.commits[0] < exact_from)) {
    return null;
  }
  const date = site.commits.date[exact_from] ?? null;
  const words = `${date === null ? "Older commits" : `Before ${day(date)}`}, a point is the median of up to ${commits_per_point} commits`;
  return element("div", { class: "headed" }, element("p", { class: "aside" }, words), help("points of several commits", `The band encloses the values and intervals of all of them. Zoom in to ${MOST_DETAIL} commits or fewer to see each.`));
}

/**
 * The instructions along a parameter, with the same choices; along commits they are lines of the chart of times.
 *
 * @param {import("../main.js").Context} context
 * @param {import("../models/types.js").Site} site
 * @param {import("../models/types.js").BenchmarkFile} counts
 * @param {import("../models/benchmark.js").Chosen} chosen
 * @param {ReturnType<typeof offered>} can
 * @param {readonly import("../models/history.js").Drawn[]} timed the lines of the chart of times
 * @param {readonly import("../types.js").Change[]} changes newest first
 * @returns {Node[]}
 */
function instructionParts(context, site, counts, chosen, can, timed, changes) {
  const drawn = countsOf(counts, chosen, timed, site);
  const own = changes.filter((each) => each.benchmark === counts.name);
  return [
    element("h2", {}, "Instructions"),
    element("p", { class: "aside" }, INSTRUCTIONS),
    ...(drawn.length ? benchmarkChart({ context, site, benchmark: counts, chosen, can, drawn, changes: own }) : [element("p", { class: "empty" }, "No instructions were counted for this choice.")]),
  ];
}

/** The lines of the instructions of the cases that are drawn. @param {import("../models/types.js").BenchmarkFile} counts @param {import("../models/benchmark.js").Chosen} chosen @param {readonly import("../models/history.js").Drawn[]} timed @param {import("../models/types.js").Site} site */
function countsOf(counts, chosen, timed, site) {
  return sameHues(chosenSeries(counts.series, chosen.params, chosen, site.targets).slice(0, MOST_LINES), timed);
}

/**
 * @param {import("../models/types.js").Site} site
 * @param {readonly import("../types.js").ShownAlert[]} alerts newest first
 * @param {string} name
 * @returns {Node[]}
 */
function ownAlerts({ project }, alerts, name) {
  return alerts.length === 0 ? [] : [element("h2", {}, "Alerts"), ...alertParts(alerts, `Alerts for ${name}, newest first`, project.commit_url)];
}
