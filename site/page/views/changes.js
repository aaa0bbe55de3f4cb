// Changes of level: size, commit and status.

import { address, element, link, name, table } from "../dom.js";
import { change as worded, plain, quantity, shortHash, targetTitle } from "../format.js";
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
  const rows = changes.map((each) => [benchmark ? [where(site, each), pictureLink(each)] : [benchmarkLink(each), element("span", { class: "detail" }, where(site, each))], sizeParts(each), levelParts(each), ...(commit ? [] : [commitParts(site, each)])]);
  return table({ caption, kind: "changes", head: [benchmark ? "case" : "benchmark", "change", "levels", ...(commit ? [] : ["commit"])], rows });
}

/** @param {Change} change @returns {import("../dom.js").Child[]} */
function levelParts({ unit, before, after, status, shares }) {
  const words = (/** @type {number} */ value) => quantity(value, null, unit ?? "unit").value;
  const percent = (/** @type {number} */ value) => `${Math.round(100 * value)} %`;
  if (shares) {
    return [`${words(shares.high)} instead of ${words(shares.low)} in ${percent(shares.before)} → ${percent(shares.after)} of runs`, element("span", { class: "detail" }, STATUS[status] ?? status)];
  }
  return [`${words(before)} → ${words(after)}`, element("span", { class: "detail" }, STATUS[status] ?? status)];
}

/** @param {Change} change */
export function benchmarkLink({ benchmark }) {
  return element("a", { href: address("benchmark", { name: benchmark }) }, ...name(benchmark));
}

/** The case, and the short name of its target. @param {Site} site @param {Change} change */
function where({ targets }, { params, environment, machine }) {
  const target = targets.find((each) => each.environment === environment && each.machine === machine);
  return [params.map(plain).join(", "), ...(target ? [targetTitle(target.name)] : [environment, machine])].filter(Boolean).join(" · ");
}

/** @param {Change} change */
function pictureLink({ event }) {
  return element("span", { class: "detail" }, element("a", { href: `${address("changes")}#event-${event}` }, "picture and cause"));
}

/** @param {Pick<Change, "relative_change" | "interval" | "direction" | "kind">} change @returns {Node[]} */
export function sizeParts({ relative_change, interval, direction, kind }) {
  const side = direction === "regressed" ? "more" : "less";
  const words = relative_change === null ? null : worded(relative_change, interval && [interval.low, interval.high]);
  return [
    element("span", { class: "value" }, words?.value ?? "from zero"),
    element("span", { class: `verdict ${side}` }, KINDS[kind] ? `${direction}, ${KINDS[kind]}` : direction),
    ...(words?.interval ? [element("span", { class: "interval" }, words.interval)] : []),
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
  const about = [known.subject, date.slice(0, 10)].filter(Boolean).join(", ");
  const range = candidate_count > 1 ? `one of ${candidate_count} commits` : null;
  return [
    element("code", {}, link(known.url, shortHash(commit))),
    ...(diff === null ? [] : [" ", link(diff, "difference")]),
    element("span", { class: "detail" }, [about, range, releaseOf(site, index)].filter(Boolean).join(" · ")),
  ];
}
