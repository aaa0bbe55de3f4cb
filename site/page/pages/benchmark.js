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
import { changeTable } from "../views/changes.js";

/** What the name of a benchmark of counts has after the name of the benchmark whose instructions it counts. */
const COUNTS = ".instructions";

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw(context) {
  const site = await context.data.site();
  const name = context.choices.get("name") ?? "";
  const listed = site.benchmarks.find((each) => each.name === name);
  if (listed === undefined) {
    throw new DataError(`There is no benchmark “${name}” on this site. It may have been renamed; “Benchmarks” lists all.`);
  }
  const other = site.benchmarks.find((each) => each.name === `${name}${COUNTS}`);
  const [whole, wholeCounts, changes, alerts] = await Promise.all([context.data.benchmark(listed), other === undefined ? null : context.data.benchmark(other), context.data.changes(), context.data.alerts()]);
  const benchmark = await detailed(context, site, whole);
  const counts = wholeCounts === null ? null : await detailed(context, site, wholeCounts);
  const own = (changes?.changes ?? []).filter((each) => each.benchmark === name || each.benchmark === other?.name).reverse();
  return { title: `${name} · ${site.project.name}`, content: [...content(context, site, benchmark, counts, own), ...ownAlerts(site, alerts, [name, other?.name]), element("h2", {}, "Data"), files(site, benchmark)] };
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
 * @returns {Node[]}
 */
function content(context, site, benchmark, counts, changes) {
  const can = offered(benchmark.series, benchmark.params, site.targets);
  const chosen = chosenIn(context.choices, can, benchmark.series, site.targets);
  const all = chosenSeries(benchmark.series, chosen.params, chosen, site.targets);
  const drawn = all.slice(0, MOST_LINES);
  const few = all.length === drawn.length ? null : `${all.length} series fit; the first ${MOST_LINES} are drawn. Choose parameters or a Python to see others.`;
  return [
    element("h1", { tabindex: -1 }, ...broken(benchmark.name)),
    element("p", { class: "lead" }, `${counted(benchmark.series.length, "series", "series")}. The line is the median, the band its interval; where the line breaks, a run has no value.`),
    benchmarkControls(context, benchmark, can, chosen),
    few === null ? null : element("p", { class: "aside" }, few),
    coarseNote(site, benchmark, drawn),
    ...(drawn.length ? benchmarkChart({ context, site, benchmark, chosen, can, drawn, changes: changes.filter((each) => each.benchmark === benchmark.name) }) : [element("p", { class: "empty" }, "Nothing was measured for this choice.")]),
    ...(counts === null ? [] : instructionParts(context, site, counts, chosen, can, drawn, changes)),
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
  const words = `${date === null ? "Older commits" : `Before ${day(date)}`}, a point is the median of up to ${commits_per_point} commits, and the band encloses them all. Zoom in to ${MOST_DETAIL} commits or fewer to see each.`;
  return element("p", { class: "aside" }, words);
}

/**
 * The history of the instructions beside that of the times, with the same choices.
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
  const drawn = sameHues(chosenSeries(counts.series, chosen.params, chosen, site.targets).slice(0, MOST_LINES), timed);
  const own = changes.filter((each) => each.benchmark === counts.name);
  return [
    element("h2", {}, "Instructions"),
    element("p", { class: "aside" }, "How many instructions a call executes: the median over hash seeds, and the interval from their spread. Instructions hardly vary, and do not see waiting, the system, caches and memory layout."),
    ...(drawn.length ? benchmarkChart({ context, site, benchmark: counts, chosen, can, drawn, changes: own }) : [element("p", { class: "empty" }, "No instructions were counted for this choice.")]),
  ];
}

/** @param {import("../models/types.js").Site} site @param {import("../types.js").Alerts | null} alerts @param {(string | undefined)[]} names of the benchmark and of its counts @returns {Node[]} */
function ownAlerts(site, alerts, names) {
  const own = (alerts?.alerts ?? []).filter(({ cases }) => cases.some(({ benchmark }) => names.includes(benchmark)));
  return own.length ? [element("h2", {}, "Alerts"), ...alertParts(own.toReversed(), `Alerts for ${names[0]}, newest first`, site.project.commit_url)] : [];
}
