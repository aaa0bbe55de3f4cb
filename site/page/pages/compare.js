// Compares two commits, or two sets of runs, of any branches, targets and variants, case by case.

import { DataError } from "../data.js";
import { address, element, heading, link, method } from "../dom.js";
import { counted, day, plain, shortHash, targetTitle } from "../format.js";
import { sizeWords } from "../words.js";
import { one } from "../models/choices.js";
import { commitAt, diffAddress, isOn } from "../models/commits.js";
import { filtered, overall, pairs, SHOWN, variantsOf } from "../models/compare.js";
import { alone, allDecide, before, decides, EVERYTHING, FIRST, isIn, locate, MANY_CASES, modulesOf, SECOND, setOf, SIZES, withoutMachine } from "../models/runsets.js";
import { ERROR } from "../models/evidence.js";
import { comparisonCsv, comparisonJson } from "../models/exports.js";
import { check, choice, controls, entry, finder, group } from "../views/controls.js";
import { comparisonTable, meaning, moduleList } from "../views/comparison.js";
import { save } from "../views/parts.js";

/** Commits that are suggested; any other can be typed. */
const SUGGESTED = 60;
const USUAL = "10";

/** @typedef {import("../models/types.js").Site} Site */
/** @typedef {import("../models/runsets.js").Side} Side */
/** @typedef {import("../models/types.js").Run} Run */
/** @typedef {import("../main.js").Context} Context */

/** @param {Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ choices, data, choose, note }) {
  const [site, runs] = await Promise.all([data.site(), data.runs()]);
  const [newest] = runs;
  if (newest === undefined) {
    throw new DataError("There is nothing to compare: this site has claims, and no history of a benchmark.");
  }
  const modules = modulesOf(site.benchmarks);
  const module = one(choices, "module", [EVERYTHING, ...modules.map(([name]) => name)], "");
  if (module === "" && modules.reduce((sum, [, cases]) => sum + cases, 0) > MANY_CASES) {
    return { title: `Compare · ${site.project.name}`, content: [...moduleList(modules, Object.fromEntries(choices))] };
  }
  const isAlike = choices.get("machine") === "out";
  const { first, second, head, base, size } = await sidesOf({ choices, data }, site, runs, newest, { module, isAlike });
  const variants = variantsOf([...base.readings, ...head.readings]);
  const chosen = { base: one(choices, "from", ["", ...variants], ""), head: one(choices, "to", ["", ...variants], "") };
  const all = await (isAlike ? pairs(withoutMachine(base), withoutMachine(head), chosen) : pairs(base, head, chosen));
  const list = element("div", { class: "listing" });
  const shown = (/** @type {string} */ find) => filtered(all, { show: one(choices, "show", SHOWN, "all"), find });
  const fill = (/** @type {string} */ find) => list.replaceChildren(...comparisonTable(shown(find), one(choices, "show", SHOWN, "all") !== "all" || find !== ""));
  fill(choices.get("find") ?? "");
  const typed = (/** @type {string} */ find) => {
    note({ find });
    fill(find);
  };
  const sides = { first: described(site, base), second: described(site, head) };
  const saved = `compare-${shortHash(sides.first.commit)}-${shortHash(sides.second.commit)}`;
  return {
    title: `Compare · ${site.project.name}`,
    content: [
      ...summary(site, base, head, all),
      presets(site, runs, module),
      controls(
        element("div", { class: "sides" }, sideControls("First", FIRST, { site, place: first, side: base, variants, variant: chosen.base, choose }), sideControls("Second", SECOND, { site, place: second, side: head, variants, variant: chosen.head, choose })),
        choice({ name: "module", label: "Module", options: modules.length > 1 ? [[module === "" ? "" : EVERYTHING, "all"], ...modules.map(([name, cases]) => /** @type {[string, string]} */ ([name, `${name} (${cases})`]))] : [], chosen: module, choose }),
        choice({ name: "runs", label: "Runs a side", options: SIZES.map((each) => [each, each === "1" ? "1" : `the last ${each}`]), chosen: String(size), choose }),
        choice({ name: "show", label: "Show", options: SHOWN.map((each) => [each, each === "clear" ? "clear differences" : each]), chosen: one(choices, "show", SHOWN, "all"), choose }),
        finder("Find", choices.get("find") ?? "", typed),
        check({ name: "machine", label: "take out what moved all times of a run alike", checked: isAlike, choose: (on) => choose({ machine: on ? "out" : null }) }),
      ),
      ...missing(site, choices, FIRST, first),
      ...missing(site, choices, SECOND, second),
      list,
      meaning(),
      element("p", { class: "files" }, save(saved, "csv", () => comparisonCsv(shown(choices.get("find") ?? ""))), " ", save(saved, "json", () => comparisonJson(shown(choices.get("find") ?? ""), sides)), " ", element("a", { href: pinned(site, base, head, { choices, size }) }, "Link to exactly this comparison")),
    ].filter((each) => each !== null),
  };
}

/**
 * The two sets that the address names; by default the newest runs of a target and those before them.
 *
 * @param {Pick<Context, "choices" | "data">} context
 * @param {Site} site
 * @param {readonly Run[]} runs newest first
 * @param {Run} newest
 * @param {{module: string, isAlike: boolean}} what *isAlike*: what moved all times of a run alike is taken out
 */
async function sidesOf({ choices, data }, site, runs, newest, { module, isAlike }) {
  const second = await locate({ choices, data }, site, runs, SECOND, newest.target);
  const first = await locate({ choices, data }, site, runs, FIRST, second.target);
  const isOneBranch = first.branch === second.branch;
  const isShort = isOneBranch && second.runs.filter((each) => each.target === second.target).length < 2 * Number(USUAL);
  const size = Number(one(choices, "runs", SIZES, choices.has("base") || choices.has("head") || isShort ? "1" : USUAL));
  const cases = site.benchmarks.reduce((sum, each) => sum + (isIn(each.name, module) ? each.cases : 0), 0);
  const wanted = (/** @type {string} */ name) => isIn(name, module);
  const latest = Number.MAX_SAFE_INTEGER;
  const head = setOf(second.runs, second.target, second.commit < 0 ? latest : second.commit, size, cases);
  const earlier = isOneBranch && first.target === second.target ? before(head) : latest;
  const base = setOf(first.runs, first.target, first.commit >= 0 ? first.commit : earlier < 0 ? latest : earlier, size, cases);
  const load = (/** @type {Omit<Side, "readings" | "branch">} */ { runs: near, from, count }) => data.commits(near[from + count - 1].commit, near[from].commit);
  const read = async (/** @type {Parameters<typeof load>[0]} */ one, /** @type {Parameters<typeof load>[0]} */ other) => {
    const [older, newer] = await Promise.all([data.readings(one.runs, wanted), data.readings(other.runs, wanted), load(one), load(other)]);
    return { first, second, size, base: { ...one, branch: first.branch, readings: older }, head: { ...other, branch: second.branch, readings: newer } };
  };
  const sets = decides(size) && !isAlike ? await read(alone(base), alone(head)) : null;
  return sets !== null && allDecide([...sets.base.readings, ...sets.head.readings]) ? sets : read(base, head);
}

/** Comparisons that many want. @param {Site} site @param {readonly Run[]} runs @param {string} module */
function presets(site, runs, module) {
  const [newest] = runs;
  const python = (/** @type {Run} */ each) => site.targets[each.target].python;
  const other = runs.find((each) => python(each) !== python(newest) && each.commit === newest.commit) ?? runs.find((each) => python(each) !== python(newest));
  const [main, ...others] = site.branches;
  const date = (/** @type {import("../types.js").SiteBranch} */ { newest: at }) => site.commits.date[at] ?? 0;
  const [branch] = others.sort((each, next) => date(next) - date(each));
  const [last, previous] = site.releases.toReversed().filter(({ commit }, at, all) => all.findIndex((each) => each.commit === commit) === at);
  const links = [
    ["the newest run and the one before", { runs: 1 }],
    ["the last 20 runs and the 20 before", { runs: 20 }],
    ...(branch ? [[`the last 20 runs of ${main.name} and of ${branch.name}`, { [FIRST.branch]: main.name, [SECOND.branch]: branch.name, runs: 20 }]] : []),
    ...(previous ? [[`${previous.name} and ${last.name}`, { base: previous.name, head: last.name, runs: 10 }]] : []),
    ...(other ? [[`${targetTitle(python(other))} and ${targetTitle(python(newest))}`, { against: site.targets[other.target].name, on: site.targets[newest.target].name, runs: 10 }]] : []),
  ];
  const items = links.map(([words, choices]) => element("li", {}, element("a", { href: address("compare", { .../** @type {import("../dom.js").Choices} */ (choices), module }) }, /** @type {string} */ (words))));
  return element("ul", { class: "links" }, ...items);
}

/**
 * @param {string} title
 * @param {typeof FIRST} keys in the address
 * @param {{site: Site, place: import("../models/runsets.js").Place, side: Side, variants: readonly string[], variant: string, choose: Context["choose"]}} what
 */
function sideControls(title, keys, { site, place, side, variants, variant, choose }) {
  const { branch, target, runs } = place;
  const options = /** @type {[string, string][]} */ (variants.length > 1 ? [["", "each with itself"], ...variants.map((each) => [each, plain(each)])] : []);
  const branches = site.branches.some(({ commits }) => commits < site.commits.hash.length) ? [["", "all"], ...site.branches.map(({ name }) => [name, name])] : [];
  const releases = site.releases.filter(({ commit }) => isOn(site.commits, commit, branch)).slice(-SUGGESTED).map((each) => /** @type {[string, string]} */ ([each.name, "release"])).reverse();
  const near = runs.filter((each) => each.target === target).slice(0, SUGGESTED).map(({ commit }) => /** @type {[string, string]} */ ([shortHash(site.commits.hash[commit]), about(site, commit)]));
  return group(
    title,
    choice({ name: keys.branch, label: "branch", options: /** @type {[string, string][]} */ (branches), chosen: site.branches[branch]?.name ?? "", choose: (change) => choose({ ...change, [keys.commit]: null }) }),
    entry({ name: keys.commit, label: "commit", hint: "A hash, a release or a day", value: shortHash(site.commits.hash[side.runs[side.from].commit]), options: [...releases, ...near], choose }),
    choice({ name: keys.target, label: "on", options: site.targets.map(({ name: each }) => [each, targetTitle(each)]), chosen: site.targets[target].name, choose }),
    choice({ name: keys.variant, label: "variant", options, chosen: variant, choose }),
    element("p", { class: "about" }, extent(site, side)),
  );
}

/** @param {Site} site @param {number} index */
function about(site, index) {
  const { subject, date } = commitAt(site, index);
  return [date === null ? null : day(date), subject].filter(Boolean).join(" · ");
}

/** What a set is, in words. @param {Site} site @param {Side} side */
function extent(site, { runs, from, count }) {
  const [newest, oldest] = [runs[from], runs[from + count - 1]];
  const whole = about(site, newest.commit) || shortHash(site.commits.hash[newest.commit]);
  const since = about(site, oldest.commit).slice(0, 10) || shortHash(site.commits.hash[oldest.commit]);
  return count === 1 ? whole : `${count} runs since ${since}, up to ${whole}`;
}

/** What a side of the address names and the site does not have. @param {Site} site @param {URLSearchParams} choices @param {typeof FIRST} keys @param {import("../models/runsets.js").Place} place */
function missing(site, choices, keys, { branch, target, commit }) {
  const [asked, text, on] = [keys.branch, keys.commit, keys.target].map((key) => choices.get(key) ?? "");
  const name = site.branches[branch]?.name;
  const shown = site.targets[target].name;
  const notes = [
    asked !== "" && branch < 0 ? `No branch “${asked}” has results here; those of all branches are shown instead.` : "",
    text !== "" && commit < 0 ? `No commit, release or day “${text}” has results ${name === undefined ? "here" : `on ${name}`}; the newest is shown instead.` : "",
    on !== "" && on !== shown ? `${name === undefined ? "There are" : `${name} has`} no results on “${targetTitle(on)}”; those on ${targetTitle(shown)} are shown instead.` : "",
  ];
  return notes.filter(Boolean).map((each) => element("p", { class: "attention", role: "status" }, each));
}

/** @param {Site} site @param {Side} side */
function described(site, { runs, from, count, branch }) {
  return { branch: site.branches[branch]?.name ?? null, commit: site.commits.hash[runs[from].commit], target: site.targets[runs[from].target].name, runs: runs.slice(from, from + count).map(({ commit }) => site.commits.hash[commit]) };
}

/** The address that stays the same comparison when newer runs come. @param {Site} site @param {Side} base @param {Side} head @param {{choices: URLSearchParams, size: number}} what */
function pinned(site, base, head, { choices, size }) {
  const [first, second] = [described(site, base), described(site, head)];
  const kept = Object.fromEntries([...choices].filter(([key]) => key !== "page"));
  return address("compare", { ...kept, base: first.commit, against: first.target, head: second.commit, on: second.target, runs: size });
}

/** How many cases are clearly different. @param {Site} site @param {Side} base @param {Side} head @param {readonly import("../models/compare.js").Pair[]} all */
function summary(site, base, head, all) {
  const [first, second] = [base, head].map(({ runs, from }) => commitAt(site, runs[from].commit));
  const diff = first.hash === second.hash ? null : diffAddress(site, first, second);
  const count = (/** @type {string} */ which) => all.filter(({ verdict }) => verdict === which).length;
  const [more, less, unknown] = ["more", "less", "unknown"].map(count);
  const decided = all.length - unknown;
  const middle = overall(all);
  const chance = decided > 0 ? `; about ${Math.max(1, Math.round(decided * ERROR))} would be by chance` : "";
  const clear = more + less;
  const answer = all.length === 0 ? "Both sides share no case" : decided === 0 ? `${counted(all.length, "case")}, and too few runs to say` : `${clear} of ${counted(all.length, "case")} ${clear === 1 ? "is" : "are"} clearly different`;
  const parts = [clear ? `${more} slower or larger, ${less} faster or smaller${chance}.` : decided ? `No clear difference${chance}.` : "From 5 runs a side on, the runs decide. Fewer say less, because a run can be off as a whole.", decided > 0 && unknown ? ` ${unknown} have too few runs to say.` : "", middle === null ? "" : ` Overall ${sizeWords(middle - 1, "unit")} (geometric mean).`];
  const shared = head.runs.slice(head.from, head.from + head.count).filter((each) => base.runs.slice(base.from, base.from + base.count).some((other) => other.commit === each.commit && other.target === each.target)).length;
  const overlap = shared > 0 && head.count > 1 ? `The two sides share ${counted(shared, "run")}. ` : "";
  return heading([answer], parts, [`${extent(site, base)} against ${extent(site, head)}. `, overlap, ...(diff === null ? [] : [link(diff, "Code difference"), " · "]), method()]);
}
