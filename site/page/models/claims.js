// What the page of claims shows: the claims that match the choices, with a row for each test and target.

import { one, wordsOf } from "./choices.js";

export const ALL = "all";
export const DECISIONS = ["holds", "fails", "undecided", "out_of_scope"];

/** @typedef {import("../types.js").ClaimBoard} Board */
/** @typedef {import("../types.js").DecidedClaim} Decision */
/** @typedef {import("../types.js").DecidedTest} Test */
/** @typedef {import("../types.js").ClaimTarget} Target */

/**
 * @typedef {object} Chosen
 * @property {string} decision or ALL
 * @property {string} source its id, or ALL
 * @property {string} python name of a target, or ALL
 * @property {string} find
 *
 * @typedef {object} Row
 * @property {Target} target
 * @property {Decision} decision of the claim
 * @property {Test} test
 *
 * @typedef {object} Shown
 * @property {import("../types.js").ClaimStatement} claim
 * @property {Decision[]} decisions at the targets that are shown
 * @property {Row[][]} tests the rows of each test
 */

/** @param {URLSearchParams} choices @param {Board} board @returns {Chosen} */
export function chosenOf(choices, { sources, targets }) {
  return {
    decision: one(choices, "decision", DECISIONS, ALL),
    source: one(choices, "source", sources.map(({ id }) => id), ALL),
    python: one(choices, "python", targets.map(({ name }) => name), ALL),
    find: choices.get("find") ?? "",
  };
}

/** The claims that match, in the order of the claims file. @param {Board} board @param {Chosen} chosen @returns {Shown[]} */
export function shownClaims(board, chosen) {
  const words = wordsOf(chosen.find);
  const targets = new Map(board.targets.filter(({ name }) => chosen.python === ALL || chosen.python === name).map((each) => [each.name, each]));
  return board.claims.flatMap((claim) => {
    const text = `${claim.id} ${claim.sentence}`.toLowerCase();
    const decisions = board.decisions.filter((each) => each.claim === claim.id && targets.has(each.target));
    const fits = (chosen.source === ALL || claim.source === chosen.source) && words.every((word) => text.includes(word));
    const decided = chosen.decision === ALL || decisions.some(({ decision }) => decision === chosen.decision);
    return fits && decided ? [{ claim, decisions, tests: testsOf(decisions, targets) }] : [];
  });
}

/** @param {readonly Decision[]} decisions @param {Map<string, Target>} targets @returns {Row[][]} */
function testsOf(decisions, targets) {
  const count = Math.max(0, ...decisions.map(({ tests }) => tests.length));
  return Array.from({ length: count }, (_, index) =>
    decisions.flatMap((decision) => {
      const [test, target] = [decision.tests[index], targets.get(decision.target)];
      return test === undefined || target === undefined ? [] : [{ target, decision, test }];
    }),
  );
}

/** The targets of each decision, in the order of DECISIONS. @param {readonly Decision[]} decisions */
export function grouped(decisions) {
  return DECISIONS.map((decision) => ({ decision, of: decisions.filter((each) => each.decision === decision) })).filter(({ of }) => of.length > 0);
}

/** All values of the chart of a test: ratios also of blocks, intervals, ends of the band, published figures. @param {readonly Row[]} rows */
export function valuesOf(rows) {
  const all = rows.flatMap(({ test }) => [test.ratio, test.interval?.low, test.interval?.high, test.low, test.high, test.published, ...test.block_ratios]);
  return all.filter((each) => typeof each === "number" && Number.isFinite(each) && each > 0).map(Number);
}
