// What was measured at another commit than the newest of its place says so.

import { element, link } from "../dom.js";
import { shortHash } from "../format.js";

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {number} place
 * @param {number} commit
 */
export function olderCommit(overview, place, commit) {
  const { hash, url } = overview.commits[commit];
  return commit === overview.places[place].commit ? null : element("span", { class: "detail" }, "older: ", link(url, shortHash(hash)));
}
