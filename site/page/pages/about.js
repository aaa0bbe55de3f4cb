// The method, its error rates, where the figures were measured, how to cite them.

import { element, heading, link, table } from "../dom.js";
import { counted, targetTitle } from "../format.js";
import { date, digits } from "../words.js";
import { noteList, wide } from "../views/parts.js";
import { errorRates } from "../views/rates.js";

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ data }) {
  const site = await data.front();
  const { project, health, error_rates, benchmarks, commits } = site;
  const failed = site.targets.reduce((/** @type {number} */ total, /** @type {{failed: number}} */ each) => total + each.failed, 0);
  const rate = error_rates?.all.false_alarms?.rate ?? null;
  const about = [
    `${counted(benchmarks, "benchmark")}, ${counted(health.series, "series", "series")}, ${counted(commits, "commit")}`,
    health.newest === null ? "" : `the newest result measured ${date(health.newest)}`,
    failed ? `${counted(failed, "case")} failed` : "no case failed",
    health.untried ? `${counted(health.untried, "benchmark")} without any result` : "",
    health.stale ? `${counted(health.stale, "benchmark")} not measured on the newest commit` : "",
  ].filter(Boolean).join(", ");
  return {
    title: `How this is measured · ${project.name}`,
    content: [
      ...heading(["How this is measured"], [rate === null ? "At most 1 % of comparisons without any change raise an alarm." : `${digits(rate * 100)} % of comparisons without any change raised an alarm; at most 1 % is promised.`], [`${about}.`]),
      element("h2", { id: "method" }, "The method in short"),
      ...method(site.confidence),
      element("h2", { id: "errors" }, "How often it is wrong"),
      ...errors(site),
      element("h2", { id: "coverage" }, "Where it was measured"),
      ...where(site),
      noteList(site.notes),
      element("h2", { id: "cite" }, "How to cite"),
      element("p", {}, "Name the project, the benchmark, the commit, the target and the interval; the address of each view contains its choices. For example:"),
      element("blockquote", {}, citation(site)),
      element("h2", { id: "data" }, "The data"),
      element("p", {}, "Every figure of this site is in data files: ", element("a", { href: "site.json" }, "site.json"), " lists them. The site sends no request to another host. Project: ", link(project.url, project.name), "."),
    ].filter((each) => each !== null),
  };
}

/** @param {number} confidence */
function method(confidence) {
  const percent = `${Number((confidence * 100).toPrecision(4))} %`;
  return [
    element(
      "ol",
      { class: "prose" },
      element("li", {}, "Each benchmark runs many times, in several processes, alternating with the others. So a slow minute of the machine affects all of them."),
      element("li", {}, `A value is the median of its calls. Its interval holds the true median with a confidence of at least ${percent} if calls do not influence each other. Calls within a process are more alike than calls of different processes, so the real uncertainty is at least as large. Tables of ways and those in the terminal have intervals of 95 %, which are narrower than the ${percent} of histories.`),
      element("li", {}, "A change is reported when a history moves to a new level, by more than the noise of single runs, and stays there. A shift of nearly all benchmarks of a machine at once is reported once, as a shift of the machine."),
      element("li", {}, "A case that failed, was skipped or has no finite value is a gap. No missing value is filled in or counts as zero."),
    ),
  ];
}

/** @param {import("../types.js").SiteData} site */
function errors({ error_rates }) {
  return [...errorRates(error_rates), element("p", {}, "“No clear difference” means that the data shows no difference. It does not prove that there is none.")];
}

/** One table of targets, and each machine. @param {import("../types.js").SiteData} site @returns {Node[]} */
function where({ targets: all, machines }) {
  const rows = all.map(({ name, environment, machine, runs, measured, failed }) => [[targetTitle(name), element("span", { class: "detail line" }, environment)], [machine], [String(runs)], [String(measured)], [element("span", { class: failed ? "attention" : null }, String(failed))]]);
  const details = machines.map(({ name, details: pairs }) => element("details", { class: "disclosure" }, element("summary", {}, name), element("dl", { class: "reading" }, ...pairs.flatMap(([term, value]) => [element("dt", {}, term), element("dd", {}, value || "not said")]))));
  return [wide("Targets", table({ caption: "Each Python with its requirements on a machine, and how the cases of its newest commit ended", kind: "targets", head: ["target", "machine", "commits", "with a value", "failed"], rows })), ...details];
}

/** @param {import("../types.js").SiteData} site */
function citation({ project, newest, targets: [target] }) {
  return newest && target ? `${project.name}, benchmark results at commit ${newest.hash.slice(0, 12)}, ${target.name} on ${target.machine}, ${location.origin}${location.pathname}` : project.name;
}
