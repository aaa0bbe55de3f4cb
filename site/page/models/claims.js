// What the page of claims shows: each claim once, with a row for each test and Python that has a value.

import { one, wordsOf } from "./choices.js";

export const ALL = "all";
/** What becomes of a claim. */
export const OUTCOMES = /** @type {const} */ (["holds", "direction", "fails", "depends", "limit", "undecided", "unmeasured"]);

/** @type {Record<string, typeof OUTCOMES[number]>} */
const NAMES = { holds: "holds", holds_in_direction: "direction", fails: "fails", about_at_the_limit: "limit", undecided: "undecided" };

/** @typedef {typeof OUTCOMES[number]} Outcome */
/** @typedef {import("../types.js").ClaimBoard} Board */
/** @typedef {import("../types.js").DecidedClaim} Decision */
/** @typedef {import("../types.js").DecidedTest} Test */
/** @typedef {import("../types.js").ClaimTarget} Target */

/**
 * @typedef {{outcome: string, source: string, find: string}} Chosen
 * @typedef {{target: Target, decision: Decision, test: Test}} Row
 *
 * @typedef {object} Shown
 * @property {import("../types.js").ClaimStatement} claim
 * @property {Outcome} outcome
 * @property {{target: Target, decision: Decision}[]} decisions at the targets that measured it
 * @property {{names: string[], reason: string}[]} others the targets that did not, by reason
 * @property {number} decisive the test that decides
 * @property {Row[][]} tests the rows of each test
 */

/** @param {URLSearchParams} choices @param {Board} board @returns {Chosen} */
export function chosenOf(choices, { sources }) {
  return {
    outcome: one(choices, "decision", OUTCOMES, ALL),
    source: one(choices, "source", sources.map(({ id }) => id), ALL),
    find: choices.get("find") ?? "",
  };
}

/** Every claim once, in the order of the claims file. @param {Board} board @returns {Shown[]} */
export function allClaims(board) {
  const targets = new Map(board.targets.map((each) => [each.name, each]));
  /** @type {Map<string, Decision[]>} */
  const own = new Map();
  board.decisions.forEach((each) => own.set(each.claim, [...(own.get(each.claim) ?? []), each]));
  return board.claims.map((claim) => shownOf(claim, own.get(claim.id) ?? [], targets));
}

/** @param {import("../types.js").ClaimStatement} claim @param {readonly Decision[]} decisions @param {ReadonlyMap<string, Target>} targets @returns {Shown} */
function shownOf(claim, decisions, targets) {
  const known = decisions.flatMap((decision) => {
    const target = targets.get(decision.target);
    return target ? [{ target, decision }] : [];
  });
  const measured = known.filter(({ decision }) => decision.tests.some(isMeasured));
  /** @type {Map<string, string[]>} */
  const others = new Map();
  known.filter((each) => !measured.includes(each)).forEach(({ decision: { reason, target } }) => others.set(reason, [...(others.get(reason) ?? []), target]));
  const count = Math.max(0, ...measured.map(({ decision }) => decision.tests.length));
  const tests = Array.from({ length: count }, (_, index) => measured.flatMap(({ target, decision }) => (decision.tests[index] === undefined ? [] : [{ target, decision, test: decision.tests[index] }])));
  const outcome = outcomeOf(measured.map(({ decision }) => decision.decision));
  const deciding = measured.find(({ decision }) => NAMES[decision.decision] === outcome) ?? measured[0];
  return { claim, outcome, decisions: measured, others: [...others].map(([reason, names]) => ({ names, reason })), decisive: deciding?.decision.decisive ?? 0, tests };
}

/** @param {Test} test */
function isMeasured({ ratio, contender, baseline }) {
  return ratio !== null || contender.value !== null || baseline.value !== null;
}

/** A claim counts once: what all Pythons that decide say. @param {readonly string[]} decisions where it was measured @returns {Outcome} */
export function outcomeOf(decisions) {
  const names = new Set(decisions.map((each) => NAMES[each] ?? "undecided"));
  const holds = names.has("direction") ? "direction" : names.has("holds") ? "holds" : null;
  return holds && names.has("fails") ? "depends" : (holds ?? (names.has("fails") ? "fails" : names.has("limit") ? "limit" : names.size ? "undecided" : "unmeasured"));
}

/** How many claims have each outcome. @param {readonly Shown[]} all @returns {Record<Outcome, number>} */
export function countsOf(all) {
  return /** @type {Record<Outcome, number>} */ (Object.fromEntries(OUTCOMES.map((outcome) => [outcome, all.filter((each) => each.outcome === outcome).length])));
}

/** The claims that match the choices. @param {readonly Shown[]} all @param {Chosen} chosen @returns {Shown[]} */
export function matching(all, { outcome, source, find }) {
  const words = wordsOf(find);
  return all.filter(({ claim, outcome: own }) => {
    const text = `${claim.id} ${claim.sentence}`.toLowerCase();
    return (outcome === ALL || outcome === own) && (source === ALL || source === claim.source) && words.every((word) => text.includes(word));
  });
}

/** All values of the chart of a test: ratios, intervals, ends of the band, published figures. @param {readonly Row[]} rows */
export function valuesOf(rows) {
  const all = rows.flatMap(({ test }) => [test.ratio, test.interval?.low, test.interval?.high, test.low, test.high, test.published]);
  return all.filter((each) => typeof each === "number" && Number.isFinite(each) && each > 0).map(Number);
}
