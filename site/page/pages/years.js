// How the cost of each technique moved with the releases of its libraries: the answer, the chart of a job, its steps, all jobs.

import { DataError } from "../data.js";
import { address, element, heading, method } from "../dom.js";
import { counted } from "../format.js";
import { answerOf } from "../models/years.js";
import { FEWEST, panel, pythonsTable, stepList, valuesTable, yearsChart } from "../views/years.js";

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ choices, data }) {
  const [{ project }, years] = await Promise.all([data.front(), data.years()]);
  if (!years?.jobs.length) {
    throw new DataError("This site has no years. A file that [tool.windtunnel] names as “years” has them (docs/explanation/site.md).");
  }
  const linked = decodeURIComponent(location.hash.replace(/%(?![0-9a-f]{2})/giu, "%25")).replace(/^#step-/u, "");
  const wanted = choices.get("job") ?? linked.split("/")[0];
  const own = years.jobs.find(({ id }) => id === wanted) ?? years.jobs[0];
  const asked = choices.get("python") ?? "";
  const [python, job] = Object.hasOwn(own.pythons, asked) ? [asked, { ...own, cases: own.pythons[asked] }] : [years.python, own];
  const steps = years.steps.filter((each) => each.job === job.id);
  const measured = years.dates.flatMap((_, at) => (Object.values(job.cases).some((values) => values[at] !== null) ? [at] : []));
  const [answer, others] = answerOf(job, years.dates, years.unit);
  return {
    title: `Years · ${project.name}`,
    content: [
      ...heading([answer], others ? [others] : null, [`${years.about} Python ${python}, ${measured.length} of ${counted(years.dates.length, "date")} measured. `, method()]),
      element("p", { class: "chips" }, ...years.jobs.map(({ id, title }) => element("a", { class: "chip", "data-key": `job-${id}`, "aria-current": id === job.id ? "true" : null, href: address("years", { job: id }) }, title))),
      ...(Object.keys(own.pythons).length ? [element("p", { class: "chips" }, ...[years.python, ...Object.keys(own.pythons)].map((each) => element("a", { class: "chip", "data-key": `python-${each}`, "aria-current": each === python ? "true" : null, href: address("years", { job: job.id, python: each }) }, `Python ${each}`)))] : []),
      ...(measured.length < FEWEST ? [] : yearsChart({ ...years, steps: job === own ? steps : [] }, job)),
      valuesTable(years, job, measured),
      ...pythonsTable(years, own),
      element("h2", { id: "steps" }, steps.length ? `Releases that moved a line${job === own ? "" : `, on Python ${years.python}`}` : "No step of 0.5 % or more"),
      ...stepList(years, steps, linked),
      ...(years.jobs.length > 1 ? [element("h2", {}, "All jobs"), element("div", { class: "panels" }, ...years.jobs.map((each) => panel(years, each)))] : []),
    ],
  };
}
