// Compares two commits, Pythons, machines or variants, case by case.

import { DataError } from "../data.js";
import { address, element, link, name, row } from "../dom.js";
import { counted, day, plain, quantity, ratio as worded, shortHash } from "../format.js";
import { one } from "../models/choices.js";
import { commitAt, commitIndex, diffAddress } from "../models/commits.js";
import { filtered, overall, pairs, SHOWN, variantsOf } from "../models/compare.js";
import { choice, controls, finder, group } from "../views/controls.js";
import { verdictPart } from "../views/figures.js";

const ROWS = 100;

/** @typedef {import("../models/types.js").Site} Site */
/** @typedef {{commit: number, target: number, readings: readonly import("../models/types.js").Reading[]}} Side */

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ choices, data, choose, note }) {
  const [site, runs] = await Promise.all([data.site(), data.runs()]);
  const newest = runs[0];
  if (newest === undefined) {
    throw new DataError("There is nothing to compare: this site has claims, and no history of a benchmark.");
  }
  const head = await side(data, site, runs, choices.get("head"), choices.get("on"), newest);
  const before = runs.find(({ target, commit }) => target === head.target && commit < head.commit);
  const base = await side(data, site, runs, choices.get("base"), choices.get("against") ?? choices.get("on"), before ?? newest);
  const variants = variantsOf([...base.readings, ...head.readings]);
  const chosen = { base: one(choices, "from", ["", ...variants], ""), head: one(choices, "to", ["", ...variants], "") };
  const all = pairs(base.readings, head.readings, chosen);
  const list = element("div", { class: "listing" });
  const fill = (/** @type {string} */ find) => list.replaceChildren(...listing(filtered(all, { show: one(choices, "show", SHOWN, "all"), find })));
  fill(choices.get("find") ?? "");
  const typed = (/** @type {string} */ find) => {
    note({ find });
    fill(find);
  };
  return {
    title: `Compare · ${site.project.name}`,
    content: [
      element("h1", { tabindex: -1 }, "Compare"),
      element("p", { class: "lead" }, "A ratio is the second value divided by the first: below 1× the second is smaller. Its interval is the widest that the two intervals allow."),
      controls(
        ...sides(site, runs, base, head, choose),
        ...narrowing(variants, chosen, choose),
        choice({ name: "show", label: "Show", options: SHOWN.map((each) => [each, each === "clear" ? "clear differences" : each]), chosen: one(choices, "show", SHOWN, "all"), choose }),
        finder("Find", choices.get("find") ?? "", typed),
      ),
      summary(site, base, head, all),
      list,
    ].filter((each) => each !== null),
  };
}

/**
 * One side: the chosen run, or the nearest one.
 *
 * @param {import("../data.js").Data} data
 * @param {Site} site
 * @param {readonly {commit: number, target: number, file: string}[]} runs newest first
 * @param {string | null} hash
 * @param {string | null} where name of a target
 * @param {{commit: number, target: number, file: string}} otherwise
 * @returns {Promise<Side>}
 */
async function side(data, site, runs, hash, where, otherwise) {
  const target = where === null ? otherwise.target : site.targets.findIndex(({ name: each }) => each === where);
  const commit = commitIndex(site, hash);
  const there = runs.filter((each) => each.target === target);
  const run = there.find((each) => each.commit === commit) ?? there.find((each) => each.commit <= (commit < 0 ? otherwise.commit : commit)) ?? there[0] ?? otherwise;
  return { ...run, readings: await data.run(run) };
}

/**
 * @param {Site} site
 * @param {readonly {commit: number, target: number}[]} runs
 * @param {Side} base
 * @param {Side} head
 * @param {import("../main.js").Context["choose"]} choose
 */
function sides(site, runs, base, head, choose) {
  const targets = site.targets.map(({ name: each }) => /** @type {[string, string]} */ ([each, each]));
  const commits = (/** @type {number} */ target) => runs.filter((each) => each.target === target).map(({ commit }) => commitOption(site, commit));
  const hash = (/** @type {number} */ index) => site.commits.hash[index];
  return [
    group("First", choice({ name: "base", label: "commit", options: commits(base.target), chosen: hash(base.commit), choose }), choice({ name: "against", label: "target", options: targets, chosen: site.targets[base.target].name, choose })),
    group("Second", choice({ name: "head", label: "commit", options: commits(head.target), chosen: hash(head.commit), choose }), choice({ name: "on", label: "target", options: targets, chosen: site.targets[head.target].name, choose })),
  ];
}

/** @param {Site} site @param {number} index @returns {[string, string]} */
function commitOption(site, index) {
  const { hash, subject, date } = commitAt(site, index);
  const words = [shortHash(hash), date === null ? null : day(date), subject?.slice(0, 50)].filter(Boolean).join(" · ");
  return [hash, words];
}

/**
 * @param {readonly string[]} variants
 * @param {{base: string, head: string}} chosen
 * @param {import("../main.js").Context["choose"]} choose
 */
function narrowing(variants, chosen, choose) {
  const options = /** @type {[string, string][]} */ (variants.length > 1 ? [["", "each with itself"], ...variants.map((each) => [each, plain(each)])] : []);
  return [
    choice({ name: "from", label: "First variant", options, chosen: chosen.base, choose }),
    choice({ name: "to", label: "Second variant", options, chosen: chosen.head, choose }),
  ];
}

/** @param {Site} site @param {Side} base @param {Side} head @param {readonly import("../models/compare.js").Pair[]} all */
function summary(site, base, head, all) {
  const [before, after] = [commitAt(site, base.commit), commitAt(site, head.commit)];
  const diff = before.hash === after.hash ? null : diffAddress(site, before, after);
  const count = (/** @type {string} */ which) => all.filter(({ verdict }) => verdict === which).length;
  const middle = overall(all);
  const words = `${counted(all.length, "case")} on both sides: ${count("more")} clearly more, ${count("less")} clearly less, ${count("open")} with no clear difference, ${count("unknown")} without an interval.`;
  return element("p", { class: "summary", role: "status" }, words, middle === null ? "" : ` Overall ${worded(middle, null).value} (geometric mean).`, ...(diff === null ? [] : [" ", link(diff, "Code difference")]));
}

/** @param {readonly import("../models/compare.js").Pair[]} found @returns {Node[]} */
function listing(found) {
  if (found.length === 0) {
    return [element("p", { class: "empty", role: "status" }, "No matching case.")];
  }
  const head = ["case", "ratio", "first", "second"].map((text) => element("th", { scope: "col" }, text));
  const body = element("tbody", {}, ...found.slice(0, ROWS).map(line));
  const more = element("button", { type: "button", class: "show-more", hidden: found.length <= ROWS }, `Show ${found.length - ROWS} more`);
  more.addEventListener("click", () => {
    body.append(...found.slice(ROWS).map(line));
    more.hidden = true;
  });
  return [element("table", { class: "comparison" }, element("caption", {}, "The largest difference first"), element("thead", {}, element("tr", {}, ...head)), body), more];
}

/** @param {import("../models/compare.js").Pair} pair */
function line({ benchmark, params, unit, base, head, ratio, interval, verdict }) {
  const size = ratio === null ? null : worded(ratio, interval);
  const figure = (/** @type {import("../models/types.js").Reading} */ each) => {
    const words = each.value === null ? null : quantity(each.value, each.interval, unit);
    return words ? [words.value, element("span", { class: "interval" }, words.interval ?? "interval unknown")] : [element("span", { class: "absent" }, "no value")];
  };
  return row([
    [element("a", { href: address("benchmark", { name: benchmark }) }, ...name(benchmark)), element("span", { class: "detail" }, params.map(plain).join(", "))],
    size ? [element("span", { class: "value" }, size.value), verdictPart(verdict, unit), size.interval ? element("span", { class: "interval" }, size.interval) : null] : [element("span", { class: "absent" }, "no ratio")],
    figure(base),
    figure(head),
  ]);
}
