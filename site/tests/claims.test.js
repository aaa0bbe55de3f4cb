// What becomes of a claim, which claims the page shows, and the names of their cases.

import assert from "node:assert/strict";
import { test } from "node:test";

import { caseName } from "../page/format.js";
import { reasonWords } from "../page/views/articles.js";
import { allClaims, chosenOf, countsOf, matching, outcomeOf, valuesOf } from "../page/models/claims.js";

const side = { value: 1 };
const test_ = (/** @type {object} */ more = {}) => ({ ratio: 0.5, interval: { low: 0.4, high: 0.6 }, low: null, high: 0.9, published: 0.3, block_ratios: [0.45], contender: side, baseline: side, ...more });
const decided = (/** @type {string} */ claim, /** @type {string} */ target, /** @type {string} */ decision, /** @type {object[]} */ tests = [test_()], reason = "") => ({ claim, target, decision, tests, reason, decisive: 0 });
const missing = test_({ ratio: null, contender: { value: null }, baseline: { value: null } });
/** @type {any} */
const BOARD = {
  sources: [{ id: "Z", title: "one" }, { id: "Q", title: "other" }],
  targets: [{ name: "3.12" }, { name: "3.13" }],
  claims: [{ id: "Z1", source: "Z", sentence: "Gathering is faster." }, { id: "Q1", source: "Q", sentence: "Threads are faster." }],
  decisions: [decided("Z1", "3.12", "holds", [test_(), test_()]), decided("Z1", "3.13", "fails"), decided("Q1", "3.12", "out_of_scope", [], "needs 8 cores"), decided("Q1", "3.13", "undecided", [missing], "not measured")],
};
const all = allClaims(BOARD);

test("a claim counts once: what all Pythons that decide say", () => {
  const outcomes = [["holds", "holds"], ["holds", "undecided"], ["fails"], ["holds", "fails"], ["undecided"], [], ["holds", "holds_in_direction"], ["undecided", "about_at_the_limit"]].map(outcomeOf);
  assert.deepEqual(outcomes, ["holds", "holds", "fails", "depends", "undecided", "unmeasured", "direction", "limit"]);
});

test("“not measured” is no decision, has no row, and names its reasons", () => {
  const [first, second] = all;
  assert.deepEqual([first.outcome, second.outcome], ["depends", "unmeasured"]);
  assert.deepEqual(second.tests, []);
  assert.deepEqual(second.others.map(({ names, reason }) => [names.join(), reason]), [["3.12", "needs 8 cores"], ["3.13", "not measured"]]);
  assert.deepEqual(countsOf(all), { holds: 0, direction: 0, fails: 0, depends: 1, limit: 0, undecided: 0, unmeasured: 1 });
});

test("claims are chosen by outcome, source and words", () => {
  const ids = (/** @type {string} */ query) => matching(all, chosenOf(new URLSearchParams(query), BOARD)).map(({ claim }) => claim.id);
  assert.deepEqual([ids(""), ids("decision=depends"), ids("decision=holds"), ids("source=Q"), ids("source=nothing"), ids("find=FASTER+threads")], [["Z1", "Q1"], ["Z1"], [], ["Q1"], ["Z1", "Q1"], ["Q1"]]);
});

test("a claim has a row for each test and each target that has it", () => {
  assert.deepEqual(all[0].tests.map((rows) => rows.map(({ target }) => target.name)), [["3.12", "3.13"], ["3.12"]]);
});

test("the axis of a test shows ratios, intervals, the band and the published ratio, above zero alone", () => {
  /** @type {any} */
  const row = { test: test_({ low: 0 }) };
  assert.deepEqual(valuesOf([row]), [0.5, 0.4, 0.6, 0.9, 0.3]);
});

test("a case is called by what the other one does not share", () => {
  const sleep = { benchmark: "s.time", params: ["'gather'", "'standard'"] };
  const sync = { benchmark: "s.time", params: ["'sync'", "'standard'"] };
  assert.equal(caseName(sleep, sync, []), "gather");
  assert.equal(caseName(sleep, { ...sync, benchmark: "s.cpu" }, ["'standard'"]), "gather · s.time");
  assert.equal(caseName({ benchmark: "s.time", params: [] }, sync, []), "s.time");
});

test("a reason has words instead of calls, exceptions and expressions", () => {
  const reasons = [
    "files.FilesTwoDisks.time_run('aiofiles_gather', 'standard') not measured",
    "files.FilesTwoDisks.time_run('sync', 'standard') skipped: UnavailableError('no second disk found; name a folder on one')",
    "the claim is about Pythons that match 3\\.(1[4-9]|[2-9]\\d).*",
    "the claim is about Pythons that match pypy.*",
    "the claim is about Pythons that match 3\\.11",
    "the ratio is near the end 1.5 of the band: given up after 10 blocks, a decision would need about 37",
  ];
  assert.deepEqual(reasons.map(reasonWords), ["aiofiles gather not measured", "sync skipped: no second disk found; name a folder on one", "the claim is about Python 3.14 or newer", "the claim is about PyPy", "the claim is about other Pythons", reasons[5]]);
});
