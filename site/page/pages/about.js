// The method, its error rates, where the figures were measured, how to cite them.

import { element, link, table } from "../dom.js";
import { noteList } from "../views/parts.js";
import { cards, coverage } from "../views/health.js";
import { errorRates } from "../views/rates.js";

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ data }) {
  const site = await data.front();
  const { project } = site;
  return {
    title: `About · ${project.name}`,
    content: [
      element("h1", { tabindex: -1 }, "About these figures"),
      ...method(site.confidence),
      element("h2", { id: "errors" }, "How often it is wrong"),
      ...errors(site),
      element("h2", { id: "coverage" }, "Coverage and health"),
      cards(site, Date.now() / 1000),
      coverage(site),
      noteList(site.notes),
      element("h2", { id: "machines" }, "Where it was measured"),
      ...targets(site),
      element("h2", { id: "cite" }, "How to cite"),
      element("p", {}, `Name the project, the benchmark, the commit, the target and the interval; the address of each view contains its choices. For example:`),
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
    element("p", { class: "lead" }, "The method in short."),
    element(
      "ol",
      { class: "prose" },
      element("li", {}, "Each benchmark runs many times, in several processes, alternating with the others. So a slow minute of the machine affects all of them."),
      element("li", {}, `A value is the median of its calls. Its interval holds the true median with a confidence of at least ${percent} if calls do not influence each other. Calls within a process are more alike than calls of different processes, so the real uncertainty is at least as large.`),
      element("li", {}, "A change is reported when a history moves to a new level, by more than the noise of single runs, and stays there. A shift of nearly all benchmarks of a machine at once is reported once, as a shift of the machine."),
      element("li", {}, "A case that failed, was skipped or has no finite value is a gap. No missing value is filled in or counts as zero."),
    ),
  ];
}

/** @param {import("../types.js").SiteData} site */
function errors({ error_rates }) {
  return [...errorRates(error_rates), element("p", {}, "“No clear difference” means that the data shows no difference. It does not prove that there is none.")];
}

/** @param {import("../types.js").SiteData} site @returns {Node[]} */
function targets({ targets: all, machines }) {
  const pythons = table({ caption: "Targets: a Python with its requirements on a machine", kind: "targets", head: ["target", "machine", "commits"], rows: all.map(({ name, environment, machine, runs }) => [[name, element("span", { class: "detail" }, environment)], [machine], [String(runs)]]) });
  const details = machines.map(({ name, details: pairs }) => element("details", {}, element("summary", {}, name), element("dl", { class: "reading" }, ...pairs.flatMap(([term, value]) => [element("dt", {}, term), element("dd", {}, value || "not said")]))));
  return [pythons, ...details];
}

/** @param {import("../types.js").SiteData} site */
function citation({ project, newest, targets: [target] }) {
  return newest && target ? `${project.name}, benchmark results at commit ${newest.hash.slice(0, 12)}, ${target.name} on ${target.machine}, ${location.origin}${location.pathname}` : project.name;
}
