import assert from "node:assert/strict";
import { test } from "node:test";

import { kindOf } from "../page/charts/dots.js";
import { dayRange, figuresOf, grouped, isOpen, measuredWords } from "../page/models/answers.js";

const aTest = (more = {}) => ({ ratio: 0.5, interval: { low: 0.4, high: 0.625 }, contender: { value: 1, unit: "seconds" }, baseline: { value: 2 }, at: "", condition: "", ...more });
const anAnswer = (more = {}, tests = [aTest()]) => ({ best: "baseline", group: "a", figures: [{ target: "3.12", measured: "2026-11-22", tests }], ...more });

test("a ratio is the other way / the recommended way, whichever of the two the claim divides", () => {
  const [same] = figuresOf(anAnswer());
  assert.deepEqual([same.ratio, same.interval, same.other, same.best], [0.5, [0.4, 0.625], 1, 2]);
  const [turned] = figuresOf(anAnswer({ best: "contender" }));
  assert.deepEqual([turned.ratio, turned.interval, turned.other, turned.best], [2, [1.6, 2.5], 2, 1]);
});

test("a target without a ratio has no figure", () => {
  assert.deepEqual(figuresOf(anAnswer({}, [aTest({ ratio: null })])), []);
});

test("the row of a series has its last value, where the advice applies, in each condition; its table has all values", () => {
  const series = anAnswer({}, [aTest({ at: "1 ms", condition: "idle" }), aTest({ at: "5 ms", condition: "idle" }), aTest({ at: "5 ms", condition: "awake" })]);
  assert.deepEqual(figuresOf(series).map(({ target, at }) => [target, at]), [["3.12, idle", "5 ms"], ["3.12, awake", "5 ms"]]);
  assert.deepEqual(figuresOf(series, true).map(({ at }) => at), ["1 ms", "5 ms", "5 ms"]);
});

test("a difference is coloured if its interval excludes 1 and it is at least 3 %", () => {
  const kinds = [[2, [1.5, 3]], [0.5, [0.4, 0.6]], [1.02, [1.01, 1.03]], [2, [0.9, 3]], [2, null]].map(([value, interval]) => kindOf(value, interval, "best", "more"));
  assert.deepEqual(kinds, ["best", "more", "open", "open", "open"]);
  assert.deepEqual([isOpen([{ ratio: 1.02, interval: [1.01, 1.03] }]), isOpen([{ ratio: 2, interval: [1.5, 3] }])], [true, false]);
});

test("answers stand under their headings, in the order of the first one of each", () => {
  const found = grouped([anAnswer({ id: 1 }), anAnswer({ id: 2, group: "b" }), anAnswer({ id: 3 })]);
  assert.deepEqual(found.map(([group, rows]) => [group, rows.map(({ id }) => id)]), [["a", [1, 3]], ["b", [2]]]);
});

test("when and where a board was measured is said in words, without targets that measured nothing", () => {
  const target = (name, machine = "desk") => ({ name, python: name, machine, cores: 2 });
  assert.equal(measuredWords({ answers: [anAnswer()], targets: [target("3.12"), target("3.13", "other")] }), "22 November 2026 on Python 3.12, on one machine with 2 cores");
  assert.deepEqual([dayRange("2026-11-22", "2026-11-23"), dayRange("2026-10-30", "2026-11-23"), dayRange("2026-11-22", "2026-11-22")], ["22 and 23 November 2026", "30 October to 23 November 2026", "22 November 2026"]);
});
