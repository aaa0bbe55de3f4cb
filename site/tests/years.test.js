import assert from "node:assert/strict";
import { test } from "node:test";

import { answerOf, changedBetween, commandOf, elsewhere, linesOf, nameOf, onEachPython, ringsOf, signed } from "../page/models/years.js";

const dates = ["2023-05-01", "2024-02-01", "2024-05-01", "2024-08-01"];
const job = { id: "Http", title: "HTTP", each: "a request", cases: { httpx: [null, 2, 2, 2.1], aiohttp: [8, null, 2, 1] } };
const cause = (version) => ({ library: "aiohttp", version, text: "", link: "", alone: null });
const aStep = (step = {}) => ({ job: "Http", case: "aiohttp", since: dates[0], date: dates[2], before: 8, after: 2, null: "", null_change: null, causes: [cause("3.9.0")], ...step });
const flat = { position: () => 0.5 };

test("the answer is the case that moved most since its first value, then the others", () => {
  assert.deepEqual(answerOf(job, dates, "instructions"), ["Instructions for a request: 88 % less with aiohttp since May 2023", "5.0 % more with httpx since February 2024."]);
  assert.deepEqual(answerOf({ ...job, cases: { httpx: [1, 1.005, null, null] } }, dates, "seconds"), ["Seconds for a request: about the same with httpx since May 2023", ""]);
});

test("a level goes on to the next date with a value", () => {
  const lines = linesOf(job);
  assert.deepEqual(lines.map(({ label, words, hue }) => [label, words, hue]), [["httpx", "+5 %", 1], ["aiohttp", "−88 %", 0]]);
  assert.deepEqual(lines[1].levels, [{ from: 0, to: 2, value: 8 }, { from: 2, to: 3, value: 2 }, { from: 3, to: 3, value: 1 }]);
});

test("a ring is a step of 3 %, named where something explains it and the name has room", () => {
  const steps = [aStep(), aStep({ case: "httpx" }), aStep({ date: dates[3], causes: [] }), aStep({ date: dates[3], before: 2, after: 1.95 })];
  const rings = ringsOf(steps, linesOf(job), dates, flat);
  assert.deepEqual(rings.map(({ at, hue, label, named }) => [at, hue, label, named]), [[2, 0, "aiohttp 3.9.0", true], [2, 1, "aiohttp 3.9.0", false], [3, 0, "No explanation found", false]]);
});

test("a move has a sign, unless it is none", () => {
  assert.deepEqual([signed(-0.924), signed(0.05), signed(-0.001)], ["−92 %", "+5 %", "0 %"]);
});

test("a step is named by two releases at most", () => {
  const names = [["1"], ["1", "2"], ["1", "2", "3"], []].map((versions) => nameOf(aStep({ causes: versions.map(cause) })));
  assert.deepEqual(names, ["aiohttp 1", "aiohttp 1 and aiohttp 2", "aiohttp 1, aiohttp 2 and 1 more", "No explanation found"]);
});

test("what changed between two locks is listed, and a step can be repeated", () => {
  const years = { dates, packages: { a: ["1", "1", "2", "2"], b: [null, "1", "1", "1"], c: ["1", "1", "1", "2"] }, command: "{job} {case} {since} {until} {months}" };
  assert.deepEqual(changedBetween(years, aStep()), [["a", "1", "2"], ["b", "none", "1"]]);
  assert.equal(commandOf(years, aStep()), "Http aiohttp 2023-05 2024-05 12");
});

test("a step stands beside the same dates on other Pythons, and the values beside those of the last date that all have", () => {
  const pythons = { 3.12: { aiohttp: [null, 8, 7, null] }, 3.13: { aiohttp: [8, null, 4, null], httpx: [1, 1, null, null] } };
  const years = { dates, jobs: [{ ...job, pythons }] };
  assert.deepEqual(elsewhere(years, aStep()), ["50 % less on 3.13"]);
  assert.deepEqual(elsewhere(years, aStep({ case: "httpx", date: dates[1] })), ["unchanged on 3.13"]);
  assert.deepEqual(onEachPython(years, { ...job, pythons }), [2, [["aiohttp", [2, 7, 4]]]]);
});
