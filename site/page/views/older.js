// What was measured at another commit than the newest of its target says so.

import { element, link } from "../dom.js";
import { shortHash } from "../format.js";

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {number} target
 * @param {number} commit
 */
export function olderCommit(overview, target, commit) {
  const { hash, url } = overview.commits[commit];
  return commit === overview.targets[target].commit ? null : element("span", { class: "detail" }, "older: ", link(url, shortHash(hash)));
}
