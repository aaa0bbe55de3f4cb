// The levels of a series between its changes, and how far they are apart.

import { counted } from "../format.js";
import { sizeWords } from "../words.js";
import { median } from "./evidence.js";

/** @typedef {{from: number, to: number, value: number}} Level of neighbouring values, by their indices */

/** The last level in relation to the first. @param {readonly Level[]} levels */
export function movedBy(levels) {
  const [first, last] = [levels[0]?.value ?? 0, levels[levels.length - 1]?.value ?? 0];
  return first > 0 && last > 0 ? last / first - 1 : 0;
}

/** The median between changes. @param {Pick<import("./history.js").Series, "commits" | "values">} series @param {readonly number[]} changed commits, ascending @returns {Level[]} */
export function levelsOf({ commits, values }, changed) {
  const starts = [0, ...changed.map((commit) => commits.findIndex((each) => each >= commit))].filter((each, index, all) => each >= 0 && all.indexOf(each) === index);
  return starts.flatMap((from, index) => {
    const to = (starts[index + 1] ?? commits.length) - 1;
    const known = values.slice(from, to + 1).filter((value) => value !== null);
    return known.length ? [{ from, to, value: median(known) }] : [];
  });
}

/**
 * How series or benchmarks moved since the first level: “2 of 15 benchmarks are slower than in July 2025, 1 is faster.”
 *
 * @param {readonly number[]} moves the last level in relation to the first, one for each
 * @param {string} noun
 * @param {string} unit asv's word
 * @param {string} since “than in July 2025”
 */
export function movedWords(moves, noun, unit, since) {
  const words = unit === "seconds" ? ["slower", "faster"] : unit === "bytes" ? ["larger", "smaller"] : ["more", "less"];
  const counts = [moves.filter((each) => each >= 0.03).length, moves.filter((each) => each <= -0.03).length];
  const count = counted(moves.length, noun, noun === "series" ? noun : undefined);
  const parts = counts.flatMap((each, at) => (each ? [`${each === 1 ? "is" : "are"} ${words[at]}`] : []));
  const [first, second] = counts.filter(Boolean);
  if (parts.length === 0) {
    return `${count}: none is at another level ${since}.`;
  }
  return moves.length === 1 ? `It ${unit === "seconds" ? "is" : "takes"} ${sizeWords(moves[0], unit)} ${since}.` : `${first} of ${count} ${parts[0]} ${since}${second ? `, ${second} ${parts[1]}` : ""}.`;
}
