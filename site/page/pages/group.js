// The benchmarks of a class or a module in one chart, each in relation to its first level.

import { address, element, heading, method, name as broken } from "../dom.js";
import { DataError } from "../data.js";
import { counted, listed, parameterText } from "../format.js";
import { one, range } from "../models/choices.js";
import { aligned, MOST_LINES } from "../models/history.js";
import { movedWords } from "../models/levels.js";
import { axisOf, marksOf } from "../models/marks.js";
import { changedAt } from "../views/benchmark.js";
import { historySection, historyTable } from "../views/history.js";
import { seriesList, sinceWords } from "../views/series.js";
import { choice, controls } from "../views/controls.js";

/** Benchmarks whose histories are loaded. */
const MOST = 60;

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ choices, data, choose }) {
  const site = await data.site();
  const name = choices.get("name") ?? "";
  const all = site.benchmarks.filter((each) => each.name.startsWith(`${name}.`));
  if (all.length === 0) {
    throw new DataError(`There is no benchmark in “${name}” on this site; “Benchmarks” lists all.`);
  }
  const members = all.slice(0, MOST);
  const [files, { changes }, factors] = await Promise.all([Promise.all(members.map((each) => data.benchmark(each))), data.changesOf(members.map((each) => each.name)), data.factors()]);
  const isWhole = files.reduce((sum, { series }) => sum + series.length, 0) <= MOST_LINES;
  const isMixed = isWhole && new Set(files.flatMap(({ series }) => series.map(({ target }) => target))).size > 1;
  const raw = choices.get("raw") === "yes";
  const drawn = files.flatMap((file, at) => {
    Object.entries(file.changed).forEach(([hash, index]) => (site.commits.hash[index] = hash));
    const own = changes.filter(({ benchmark }) => benchmark === file.name);
    const series = isWhole ? file.series : file.series.filter(({ params, target }) => target === members[at].target && params.join() === members[at].case.join());
    const short = file.name.slice(name.length + 1);
    return series.map((each) => ({ file, changed: changedAt(each, own, site, file.changed), label: [short, ...(file.series.length > 1 && isWhole ? each.params.map((value, index) => parameterText(file.params[index] ?? "", value)) : []), ...(isMixed ? [site.targets[each.target].name] : [])].join(", "), brief: isMixed ? `${short} ${site.targets[each.target].python}` : short, series: each }));
  });
  const of = new Map(drawn.map((each) => [each.series, each]));
  const { commits, lines } = aligned(drawn, { relative: true, changed: (series) => of.get(series)?.changed ?? [], factors: (series) => (raw || of.get(series)?.file.unit !== "seconds" ? undefined : factors.get(series.target)), ticked: (choices.get("tick") ?? "").split("|").filter(Boolean) });
  const along = one(choices, "axis", ["commits", "dates"], "commits");
  const axis = { ...axisOf(site, commits, along === "dates"), log: true, zoom: range(choices, "zoom") };
  const shown = { site, name, unit: "seconds", unitOf: (/** @type {import("../models/history.js").Line} */ { series }) => of.get(series)?.file.unit ?? "unit", relative: true, commits, lines, marks: marksOf(site, commits, []), isShared: (/** @type {number} */ commit) => files.some(({ exact_from }) => commit < exact_from), perPoint: files[0].commits_per_point };
  const moves = files.map((file) => lines.filter(({ series }) => of.get(series)?.file === file).map(({ moved }) => moved ?? 0).reduce((most, each) => (Math.abs(each) > Math.abs(most) ? each : most), 0));
  const targets = [...new Set(drawn.map(({ series }) => series.target))].map((each) => site.targets[each]);
  const kept = Object.fromEntries(choices);
  const taken = factors.size ? [raw ? "As measured. " : "What the machine did to all times of a run is taken out. ", element("a", { href: address("group", { ...kept, page: null, raw: raw ? null : "yes" }) }, raw ? "Take it out" : "Show as measured"), ". "] : [];
  const many = all.length > MOST ? `The first ${MOST} of ${all.length} benchmarks. ` : "";
  const at = name.lastIndexOf(".");
  return {
    title: `${name} · ${site.project.name}`,
    content: [
      element("p", { class: "crumbs" }, element("a", { href: address("benchmarks") }, "Benchmarks"), ...(at > 0 ? [" › ", element("a", { href: address("group", { name: name.slice(0, at) }) }, ...broken(name.slice(0, at)))] : []), " ›"),
      ...heading(broken(name.slice(at + 1)), [movedWords(moves, "benchmark", files.every(({ unit }) => unit === "bytes") ? "bytes" : "seconds", sinceWords(site, drawn.map(({ series }) => series)))], [`Python ${listed([...new Set(targets.map(({ python }) => python))])} on ${listed([...new Set(targets.map(({ machine }) => machine))])}, ${counted(commits.length, "commit")}. ${many}${isWhole ? "" : "Of each benchmark one case. "}`, ...taken, method()]),
      controls(choice({ name: "axis", label: "Along", options: [["commits", "commits"], ["dates", "dates"]], chosen: along, choose: (each) => choose({ ...each, zoom: null }) })),
      ...historySection(shown, axis, (zoom) => choose({ zoom: zoom && zoom.map((each) => Number(each.toFixed(3))).join("_") })),
      element("p", { class: "about" }, "In relation to the first level of each. A dot is a run, a line the level between detected changes. At most six are coloured: those that changed most. Tick others."),
      ...seriesList(shown, (ticked) => choose({ tick: ticked.join("|") }), ({ series, label }) => ({ unit: of.get(series)?.file.unit ?? "unit", name: element("a", { href: address("benchmark", { name: of.get(series)?.file.name }) }, label) })),
      historyTable(shown),
    ].filter((each) => each !== null),
  };
}
