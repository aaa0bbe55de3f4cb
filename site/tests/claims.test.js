// Which claims the page of claims shows, and the names of their cases.

import assert from "node:assert/strict";
import { test } from "node:test";

import { caseName } from "../page/format.js";
import { chosenOf, grouped, shownClaims, valuesOf } from "../page/models/claims.js";

const test_ = (/** @type {object} */ more = {}) => ({ ratio: 0.5, interval: { low: 0.4, high: 0.6 }, low: null, high: 0.9, published: 0.3, block_ratios: [0.45], ...more });
const decided = (/** @type {string} */ claim, /** @type {string} */ target, /** @type {string} */ decision, /** @type {object[]} */ tests = [test_()]) => ({ claim, target, decision, tests });
/** @type {any} */
const BOARD = {
  sources: [{ id: "Z", title: "one" }, { id: "Q", title: "other" }],
  targets: [{ name: "3.12" }, { name: "3.13" }],
  claims: [{ id: "Z1", source: "Z", sentence: "Gathering is faster." }, { id: "Q1", source: "Q", sentence: "Threads are faster." }],
  decisions: [decided("Z1", "3.12", "holds", [test_(), test_()]), decided("Z1", "3.13", "fails"), decided("Q1", "3.12", "out_of_scope", [])],
};
const shown = (/** @type {string} */ query) => shownClaims(BOARD, chosenOf(new URLSearchParams(query), BOARD));

test("claims are chosen by decision, source, Python and words", () => {
  const ids = (/** @type {string} */ query) => shown(query).map(({ claim }) => claim.id);
  assert.deepEqual(ids(""), ["Z1", "Q1"]);
  assert.deepEqual(ids("decision=fails"), ["Z1"]);
  assert.deepEqual(ids("decision=fails&python=3.12"), []);
  assert.deepEqual(ids("source=Q"), ["Q1"]);
  assert.deepEqual(ids("source=nothing"), ["Z1", "Q1"]);
  assert.deepEqual(ids("find=FASTER+threads"), ["Q1"]);
});

test("a claim has a row for each test and each target that has it", () => {
  const [{ tests }, out] = shown("");
  assert.deepEqual(tests.map((rows) => rows.map(({ target }) => target.name)), [["3.12", "3.13"], ["3.12"]]);
  assert.deepEqual(out.tests, []);
});

test("targets are grouped by their decision", () => {
  const [{ decisions }] = shown("");
  assert.deepEqual(grouped(decisions).map(({ decision, of }) => [decision, of.length]), [["holds", 1], ["fails", 1]]);
});

test("the axis of a test shows ratios, intervals, the band and the published ratio, above zero alone", () => {
  /** @type {any} */
  const row = { test: test_({ low: 0 }) };
  assert.deepEqual(valuesOf([row]), [0.5, 0.4, 0.6, 0.9, 0.3, 0.45]);
});

test("a case is called by what the other one does not share", () => {
  const sleep = { benchmark: "s.time", params: ["'gather'", "'standard'"] };
  const sync = { benchmark: "s.time", params: ["'sync'", "'standard'"] };
  assert.equal(caseName(sleep, sync, []), "gather");
  assert.equal(caseName(sleep, { ...sync, benchmark: "s.cpu" }, ["'standard'"]), "gather · s.time");
  assert.equal(caseName({ benchmark: "s.time", params: [] }, sync, []), "s.time");
});
