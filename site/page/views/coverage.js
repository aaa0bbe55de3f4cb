// What was measured, where, at which commit, and what is missing.

import { element, link, name } from "./dom.js";
import { counted, day, shortHash } from "../format.js";

const COLUMNS = ["Python", "commit", "measured", "failed", "skipped"];

/** @param {import("../types.js").Overview} overview */
export function coverageTable(overview) {
  return element(
    "table",
    { class: "coverage" },
    element("caption", {}, "Each Python with its machine, the newest commit measured there, and how its cases ended"),
    element("thead", {}, element("tr", {}, ...COLUMNS.map((text) => element("th", { scope: "col" }, text)))),
    element("tbody", {}, ...overview.places.map((place) => row(overview, place))),
  );
}

/** @param {import("../types.js").Commit} commit */
export function commitWords(commit) {
  const about = [commit.subject, commit.date === null ? null : day(commit.date)].filter(Boolean).join(", ");
  const hash = element("code", {}, link(commit.url, shortHash(commit.hash)));
  return about ? [hash, element("span", { class: "detail" }, about)] : [hash];
}

/**
 * Cases without a value, place by place, with the reasons that are known.
 *
 * @param {import("../types.js").Overview} overview
 */
export function absenceLists(overview) {
  return overview.places
    .filter(({ absences }) => absences.length > 0)
    .map(({ name: place, absences }) =>
      element(
        "details",
        {},
        element("summary", {}, `${counted(absences.length, "case")} without a value on ${place}`),
        element("ul", { class: "notes" }, ...absences.map(({ case: which, state, reason }) => element("li", {}, ...name(which), ` ${state}: ${reason}`))),
      ),
    );
}

/**
 * Which commit a figure is from, when it is not the newest one at its place.
 *
 * @param {import("../types.js").Overview} overview
 * @param {number} place
 * @param {number} commit
 */
export function olderCommit(overview, place, commit) {
  const { hash, url } = overview.commits[commit];
  return commit === overview.places[place].commit ? null : element("span", { class: "detail" }, "older: ", link(url, shortHash(hash)));
}

/** @param {readonly string[]} notes */
export function noteList(notes) {
  return notes.length === 0 ? null : element("ul", { class: "notes" }, ...notes.map((note) => element("li", {}, note)));
}

function row(overview, place) {
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, place.name, element("span", { class: "detail" }, place.machine)),
    element("td", {}, ...commitWords(overview.commits[place.commit])),
    ...[place.measured, place.failed, place.skipped].map((count, index) =>
      element("td", { class: index > 0 && count > 0 ? "count attention" : "count" }, String(count)),
    ),
  );
}
