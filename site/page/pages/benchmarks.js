// All benchmarks: search, and for each the last value, the trend and, of a scenario, the fastest way.

import { address, benchmarkName, element, heading, method, sparkline } from "../dom.js";
import { counted, listed as enumerated, quantity, targetTitle } from "../format.js";
import { trendWords } from "../words.js";
import { one, wordsOf } from "../models/choices.js";
import { jobsOf, middle, shareWords } from "../models/scenarios.js";
import { counts, FACETS, ordered, ORDERS, searcher } from "../models/search.js";
import { choice, controls, finder, marked } from "../views/controls.js";

const PAGE = 50;
const WORDS = { change: "change", name: "name", value: "largest value" };
const LABELS = { module: "Module", parameter: "Parameter", python: "Python", unit: "Unit" };

/** @typedef {import("../models/types.js").Listed} Listed */
/** @typedef {import("../models/search.js").Chosen} Chosen */
/** @typedef {ReadonlyMap<string, import("../models/scenarios.js").Job>} Jobs */

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ choices, data, choose, note }) {
  const [site, front] = await Promise.all([data.site(), data.front()]);
  const jobs = front.scenarios > 0 ? new Map(jobsOf(await data.scenarios(), front.board).map((job) => [job.scenario.benchmark, job])) : new Map();
  const search = searcher(site.benchmarks, site.targets);
  const order = one(choices, "order", ORDERS, "change");
  const chosen = /** @type {Chosen} */ (Object.fromEntries(FACETS.map((facet) => [facet, choices.get(facet) ?? ""])));
  const list = element("div", { class: "listing" });
  const fill = (/** @type {string} */ text) => list.replaceChildren(...area(text, chosen), ...listing(ordered(search(text, chosen), order), wordsOf(text), jobs));
  const text = choices.get("find") ?? "";
  fill(text);
  const typed = (/** @type {string} */ find) => {
    note({ find });
    fill(find);
  };
  const orders = ORDERS.map((each) => /** @type {[string, string]} */ ([each, WORDS[/** @type {keyof typeof WORDS} */ (each)]]));
  return {
    title: `Benchmarks · ${site.project.name}`,
    content: [
      ...top(site.benchmarks, site.targets, front),
      controls(
        finder("Find", text, typed),
        ...FACETS.map((facet) => facetChoice(facet, counts((narrowed) => search(text, narrowed), facet, chosen, site.targets), chosen[facet], choose)),
        choice({ name: "order", label: "Order by", options: orders, chosen: order, choose }),
      ),
      list,
    ].filter((each) => each !== null),
  };
}

/** How many changed. @param {readonly Listed[]} all @param {readonly import("../types.js").SiteTarget[]} targets @param {import("../types.js").SiteData} front */
function top(all, targets, { health, claims }) {
  const count = (/** @type {(trend: number) => boolean} */ is) => all.filter(({ trend }) => trend !== null && is(trend)).length;
  const [up, down] = [count((trend) => trend > 0), count((trend) => trend < 0)];
  const known = all.filter(({ trend }) => trend !== null).length;
  const words = up + down === 0 ? (known ? "All are steady." : "Trends show from 6 commits on.") : `${up ? `${up} slower or larger` : ""}${up && down ? ", " : ""}${down ? `${down} faster or smaller` : ""}, the others are steady.`;
  const pythons = [...new Set(targets.map(({ python }) => targetTitle(python)))];
  const machines = [...new Set(targets.map(({ machine }) => machine))];
  const untried = health.untried ? `${counted(health.untried, "more benchmark has", "more benchmarks have")} no result. ` : "";
  const compare = claims === null ? [] : [element("a", { href: address("compare") }, "Compare two sets of runs"), " · "];
  return heading([counted(all.length, "benchmark")], [words], [`${pythons.length > 3 ? counted(pythons.length, "Python") : enumerated(pythons)} on ${machines.length > 1 ? counted(machines.length, "machine") : (machines[0] ?? "no machine")}. The trend is the level now against that of the oldest third of the last 24 runs; what the machine did is taken out. ${untried}`, ...compare, method()]);
}

/**
 * @param {import("../models/search.js").Facet} facet
 * @param {readonly [string, number][]} found
 * @param {string} chosen
 * @param {import("../main.js").Context["choose"]} choose
 */
function facetChoice(facet, found, chosen, choose) {
  const options = found.map(([value, count]) => /** @type {[string, string]} */ ([value, `${facet === "module" ? "\u00a0\u00a0".repeat(value.split(".").length - 1) : ""}${facet === "module" ? value.split(".").at(-1) : value} (${count})`]));
  const known = chosen === "" || found.some(([value]) => value === chosen) ? [] : [/** @type {[string, string]} */ ([chosen, `${chosen} (0)`])];
  return found.length < 2 && chosen === "" ? null : choice({ name: facet, label: LABELS[facet], options: [["", "all"], ...options, ...known], chosen, choose });
}

/** What to bookmark for a part of the suite: its open regressions. @param {string} text @param {Chosen} chosen @returns {Node[]} */
function area(text, { module }) {
  const find = [module, text].filter(Boolean).join(" ");
  return find === "" ? [] : [element("p", { class: "about" }, "To bookmark: ", element("a", { href: address("changes", { direction: "regressed", state: "current", find }) }, "regressions here that still hold"))];
}

/** @param {readonly Listed[]} found @param {readonly string[]} words @param {Jobs} jobs @returns {Node[]} */
function listing(found, words, jobs) {
  const summary = element("p", { class: found.length ? "unseen" : "empty", role: "status" }, found.length === 0 ? "No benchmark matches. Remove a word or a choice." : counted(found.length, "benchmark"));
  if (found.length === 0) {
    return [summary];
  }
  const body = element("tbody");
  const more = element("button", { type: "button", class: "show-more" });
  const grow = () => {
    const from = body.rows.length;
    body.append(...found.slice(from, from + PAGE).map((each) => line(each, words, jobs)));
    const left = found.length - body.rows.length;
    more.hidden = left === 0;
    more.textContent = `Show ${Math.min(PAGE, left)} more of ${left}`;
  };
  more.addEventListener("click", grow);
  grow();
  const head = element("thead", {}, element("tr", {}, ...["benchmark", "last value", "trend", ...(jobs.size ? ["fastest way"] : [])].map((text) => element("th", { scope: "col" }, text))));
  return [summary, element("table", { class: "listing-table" }, element("caption", { class: "unseen" }, "Each benchmark: its newest value and its trend"), head, body), more];
}

/** @param {Listed} listed @param {readonly string[]} words @param {Jobs} jobs */
function line(listed, words, jobs) {
  const { name, unit, trend, last, params, measured, cases, stale } = listed;
  const at = name.lastIndexOf(".");
  const job = jobs.get(name);
  const link = job !== undefined ? [element("a", { class: "name", href: address("benchmark", { name }) }, ...marked(job.name, words)), " ", element("span", { class: "detail" }, ...marked(name, words))] : words.length ? [element("a", { class: "name", href: address("benchmark", { name }) }, ...marked(name.slice(at + 1), words)), " ", element("span", { class: "detail" }, ...marked(name.slice(0, Math.max(0, at)), words))] : benchmarkName(name);
  const beside = [params.length ? params.join(", ") : "", measured < cases ? `${measured} of ${cases} cases have a value` : "", stale ? `last measured ${counted(stale, "commit")} ago` : ""].filter(Boolean).join(" · ");
  const side = trend === null || trend === 0 ? "detail" : "moved";
  const best = job === undefined ? [] : [element("td", {}, job.best.length === 0 ? element("span", { class: "detail" }, job.few ? "too few samples" : "none is clearly faster") : `${enumerated(job.best.map((each) => each.name), "or")}: ${shareWords(middle(job.best[0]))}`, job.small ? element("span", { class: "detail line" }, `load ${job.load}: too small to judge on`) : null)];
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, ...link, beside ? element("span", { class: "detail line" }, ...marked(beside, words)) : null),
    element("td", {}, last === null ? element("span", { class: "absent" }, "no value") : quantity(last, null, unit).value),
    element("td", { class: "trend" }, sparkline(listed.spark), " ", element("span", { class: side }, trendWords(trend, unit))),
    ...(jobs.size ? (best.length ? best : [element("td", {})]) : []),
  );
}
