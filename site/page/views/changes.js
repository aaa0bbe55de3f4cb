// Changes of level: size, commit and status.

import { address, benchmarkName, element, link, table } from "../dom.js";
import { parameterText, quantity, shortHash, targetTitle } from "../format.js";
import { dayWords, sizeInterval, sizeWords } from "../words.js";
import { commitAt, commitIndex, diffAddress, releaseOf } from "../models/commits.js";

const STATUS = { current: "the level holds", superseded: "another level followed", recovered: "recovered", removed: "the case was removed" };
/** How the level changed, where it was not between two runs. @type {Record<string, string>} */
const KINDS = { creep: "creeping", share: "other share of two levels" };

/** @typedef {import("../models/types.js").Site} Site */
/** @typedef {import("../types.js").Change} Change */

/**
 * @param {Site} site
 * @param {readonly Change[]} changes
 * @param {string} caption
 * @param {{commit?: boolean, benchmark?: boolean}} [alike] the column that is left out because all changes have the same value
 */
export function changeTable(site, changes, caption, { commit = false, benchmark = false } = {}) {
  const rows = changes.map((each) => [benchmark ? [where(site, each), pictureLink(each)] : [...benchmarkName(each.benchmark), element("span", { class: "detail line" }, where(site, each))], sizeParts(each), levelParts(each), ...(commit ? [] : [commitParts(site, each)])]);
  return table({ caption, kind: "changes", head: [benchmark ? "case" : "benchmark", "change", "levels", ...(commit ? [] : ["commit"])], rows });
}

/** @param {Change} change @returns {import("../dom.js").Child[]} */
function levelParts({ unit, before, after, status, shares }) {
  const words = (/** @type {number} */ value) => quantity(value, null, unit ?? "unit").value;
  const percent = (/** @type {number} */ value) => `${Math.round(100 * value)} %`;
  if (shares) {
    return [`${words(shares.high)} instead of ${words(shares.low)} in ${percent(shares.before)} → ${percent(shares.after)} of runs`, element("span", { class: "detail line" }, STATUS[status] ?? status)];
  }
  return [`${words(before)} → ${words(after)}`, element("span", { class: "detail line" }, STATUS[status] ?? status)];
}

/** The case, and what of its target differs from others. @param {Site} site @param {Change} change */
function where({ targets, benchmarks }, { benchmark, params, environment, machine }) {
  const target = targets.find((each) => each.environment === environment && each.machine === machine);
  const names = benchmarks.find((each) => each.name === benchmark)?.params ?? [];
  const differ = (/** @type {"python" | "machine"} */ key) => target && targets.some((each) => each[key] !== target[key]);
  return [...params.map((value, at) => parameterText(names[at] ?? "", value)), target ? (differ("python") ? targetTitle(target.python) : "") : environment, target && !differ("machine") ? "" : machine].filter(Boolean).join(", ");
}

/** @param {Change} change */
function pictureLink({ event }) {
  return element("span", { class: "detail line" }, element("a", { href: `${address("changes")}#event-${event}` }, "picture and cause"));
}

/** @param {Pick<Change, "relative_change" | "interval" | "direction" | "kind" | "unit">} change @returns {Node[]} */
export function sizeParts({ relative_change, interval, direction, kind, unit }) {
  return [
    element("span", { class: direction === "regressed" ? "worse" : "better" }, `${sizeWords(relative_change, unit ?? "unit")}${KINDS[kind] ? `, ${KINDS[kind]}` : ""}`),
    ...(interval ? [element("span", { class: "detail line" }, sizeInterval(interval.low, interval.high))] : []),
  ];
}

/**
 * The commit of a change, or its candidates, with web addresses.
 *
 * @param {Site} site
 * @param {{commit: string, previous_commit: string, candidate_count: number, date: string}} where
 * @returns {import("../dom.js").Child[]}
 */
export function commitParts(site, { commit, previous_commit, candidate_count, date }) {
  const index = commitIndex(site, commit);
  const known = commitAt(site, index);
  const [from, to] = [previous_commit, commit].map((hash) => ({ ...known, hash }));
  const diff = diffAddress(site, from, to);
  const about = [dayWords(date), known.subject].filter(Boolean).join(", ");
  const range = candidate_count > 1 ? `one of ${candidate_count} commits` : null;
  return [
    element("code", {}, link(known.url, shortHash(commit))),
    ...(diff === null ? [] : [" ", link(diff, "difference")]),
    element("span", { class: "detail line" }, [about, range, releaseOf(site, index)].filter(Boolean).join(" · ")),
  ];
}
