// Changes, filtered and grouped by their cause.

import { wordsOf } from "./choices.js";

/** @typedef {import("../types.js").Change} Change */
/** @typedef {{direction: string, state: string, find: string}} Chosen */
/** @typedef {{event: import("../types.js").ChangeEvent, members: Change[], count: number, shown: import("../types.js").ShownEvent}} Group an event with its members that are wanted, of *count* */
/** @typedef {{events: (block: string) => Promise<import("../types.js").ShownEvent[]>, members: (shown: import("../types.js").ShownEvent) => Promise<Change[]>}} EventData */

export const STATES = ["all", "current", "recovered", "superseded", "removed"];
export const DIRECTIONS = ["both", "regressed", "improved"];

/**
 * Events that have changes as chosen, newest first, each with those changes, the largest first; files are loaded one after the other.
 *
 * @param {EventData} data
 * @param {readonly string[]} blocks
 * @param {Chosen} chosen
 * @returns {AsyncGenerator<Group>}
 */
export async function* chosenEvents(data, blocks, chosen) {
  const words = wordsOf(chosen.find);
  const everything = chosen.direction === "both" && chosen.state === "all" && words.length === 0;
  for (const block of blocks) {
    for (const shown of await data.events(block)) {
      const members = everything ? shown.members : (await data.members(shown)).filter((each) => fits(each, chosen, words));
      if (members.length > 0) {
        yield { event: shown.event, members: members.toSorted(bySize), count: everything ? shown.member_count : members.length, shown };
      }
    }
  }
}

/** @param {Change} change @param {Chosen} chosen @param {readonly string[]} words */
function fits(change, { direction, state }, words) {
  const text = `${change.benchmark} ${change.params.join(" ")} ${change.commit}`.toLowerCase();
  return (direction === "both" || change.direction === direction) && (state === "all" || change.status === state) && words.every((word) => text.includes(word));
}

/** @param {import("../types.js").Change} one @param {import("../types.js").Change} other */
function bySize(one, other) {
  return size(other) - size(one);
}

/** The size of a change; a factor and its inverse have the same size. @param {{relative_change: number | null}} change */
export function size({ relative_change }) {
  return relative_change === null || relative_change <= -1 ? Infinity : Math.abs(Math.log1p(relative_change));
}
