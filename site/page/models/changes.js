// Changes, filtered and grouped by their cause.

import { wordsOf } from "./choices.js";

/** @typedef {import("./types.js").AllChanges} Changes */
/** @typedef {{event: import("../types.js").ChangeEvent, members: import("../types.js").Change[]}} Group */

export const STATES = ["all", "current", "recovered", "superseded", "removed"];
export const DIRECTIONS = ["both", "regressed", "improved"];

/**
 * Events, newest first, each with its changes that match the choices, the largest first.
 *
 * @param {Changes} changes
 * @param {{direction: string, state: string, find: string}} chosen
 * @returns {Group[]}
 */
export function groupsOf(changes, { direction, state, find }) {
  const known = new Map(changes.changes.map((each) => [each.id, each]));
  const words = wordsOf(find);
  const fits = (/** @type {import("../types.js").Change} */ each) =>
    (direction === "both" || each.direction === direction) &&
    (state === "all" || each.status === state) &&
    words.every((word) => `${each.benchmark} ${each.params.join(" ")} ${each.commit}`.toLowerCase().includes(word));
  return changes.events
    .map((event) => ({ event, members: event.members.flatMap((id) => known.get(id) ?? []).filter(fits).sort(bySize) }))
    .filter(({ members }) => members.length > 0)
    .reverse();
}

/** @param {import("../types.js").Change} one @param {import("../types.js").Change} other */
function bySize(one, other) {
  return size(other) - size(one);
}

/** The size of a change; a factor and its inverse have the same size. @param {{relative_change: number | null}} change */
export function size({ relative_change }) {
  return relative_change === null || relative_change <= -1 ? Infinity : Math.abs(Math.log1p(relative_change));
}
