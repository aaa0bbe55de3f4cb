import assert from "node:assert/strict";
import { test } from "node:test";

import { chosenIn, offered } from "../page/models/benchmark.js";
import { aligned as alignedOf, ANY, byBranch, chosenSeries, sweep, valuesOf } from "../page/models/history.js";
import { levelsOf, movedBy, movedWords } from "../page/models/levels.js";
import { parameterText, plain } from "../page/format.js";
import { axisOf, besideOf, changesOf, marksOf, verticalScale } from "../page/models/marks.js";

const targets = ["3.12", "3.13"].map((python) => ({ name: python, python, machine: "desk" }));
const aSeries = ({ target = 0, params = [], commits = [0, 1], values = commits.map(() => 1), width = 0.1 } = {}) => ({
  target, params, commits, values,
  low: values.map((value) => (value === null ? null : value - width)),
  high: values.map((value) => (value === null ? null : value + width)),
});
const aligned = (drawn, how = {}) => alignedOf(drawn, { relative: false, changed: () => [], factors: () => undefined, ...how });
const ALL = { machine: ANY, python: ANY };
const aSite = (date, releases = []) => ({ commits: { hash: date.map((_, index) => `${index}`.repeat(40)), date, subject: [], author: [] }, releases });

test("a commit that only another series has is not a gap; a run without a value is", () => {
  const drawn = [aSeries({ commits: [0, 2], values: [1, 2] }), aSeries({ target: 1, commits: [0, 1, 2], values: [1, null, 3] })];
  const { commits, lines } = aligned(chosenSeries(drawn, [], ALL, targets));
  assert.deepEqual(commits, [0, 1, 2]);
  assert.deepEqual(lines.map(({ label, values }) => [label, values]).sort(), [["3.12", [1, undefined, 2]], ["3.13", [1, null, 3]]]);
});

test("relative lines and their limits start at their first level; a line that starts at zero has none", () => {
  const drawn = chosenSeries([aSeries({ values: [4, 6] }), aSeries({ target: 1, values: [0, 3] })], [], ALL, targets);
  const lines = aligned(drawn, { relative: true, changed: () => [1] }).lines;
  const [first, second] = ["3.12", "3.13"].map((name) => lines.find(({ label }) => label === name));
  assert.deepEqual([first.values, first.low, first.levels.map(({ value }) => value), first.moved], [[1, 1.5], [3.9 / 4, 5.9 / 4], [1, 1.5], 0.5]);
  assert.deepEqual(second.values, [0, 3]);
});

test("a level is the median between changes, without gaps", () => {
  const series = { commits: [0, 2, 4, 6, 8], values: [1, 3, null, 10, 12] };
  assert.deepEqual(levelsOf(series, [5]), [{ from: 0, to: 2, value: 2 }, { from: 3, to: 4, value: 11 }]);
  assert.deepEqual(levelsOf(series, []), [{ from: 0, to: 4, value: 6.5 }]);
  assert.deepEqual(levelsOf({ commits: [0], values: [null] }, []), []);
  assert.equal(movedBy(levelsOf(series, [5])), 4.5);
});

test("what the machine did is divided out of values and limits", () => {
  const drawn = chosenSeries([aSeries({ values: [1, 2], width: 0.5 })], [], ALL, targets);
  const [line] = aligned(drawn, { factors: () => new Map([[1, 2]]) }).lines;
  assert.deepEqual([line.values, line.high], [[1, 1], [1.5, 1.25]]);
});

test("six lines are in colour, those whose levels are furthest apart, or those that are ticked; the others are behind them", () => {
  const series = Array.from({ length: 9 }, (_, index) => aSeries({ params: [String(index)], values: [1, 1 + index] }));
  const drawn = chosenSeries(series, [ANY], ALL, targets);
  const found = aligned(drawn, { relative: true, changed: () => [1] }).lines;
  assert.deepEqual(found.map(({ label, hue }) => [label, hue]).slice(-6), [["3", 5], ["4", 4], ["5", 3], ["6", 2], ["7", 1], ["8", 0]]);
  assert.ok(found.slice(0, 3).every(({ hue }) => hue === -1));
  const ticked = aligned(drawn, { ticked: ["0~0", "2~0"] }).lines.filter(({ hue }) => hue >= 0);
  assert.deepEqual(ticked.map(({ label }) => label).sort(), ["0", "2"]);
});

test("a numeric value is labelled with the name of its parameter", () => {
  assert.deepEqual([parameterText("n", "5"), parameterText("", "5"), parameterText("runner", "'Parallel'"), parameterText("fast", "True")], ["n 5", "5", "Parallel", "fast True"]);
});

test("the answer counts what is slower and what is faster", () => {
  assert.equal(movedWords([0.1, 0.2, 0, -0.5], "benchmark", "seconds", "than in July 2025"), "2 of 4 benchmarks are slower than in July 2025, 1 is faster.");
  assert.equal(movedWords([-0.5, 0], "series", "bytes", "than at first"), "1 of 2 series is smaller than at first.");
  assert.equal(movedWords([0.01, 0], "series", "seconds", "than at first"), "2 series: none is at another level than at first.");
  assert.equal(movedWords([0.5], "series", "seconds", "than at first"), "It is 50 % slower than at first.");
});

test("lines are labelled with what distinguishes them, without Python's quotes", () => {
  const series = [["'a'", "1"], ["'b'", "1"]].map((params) => aSeries({ params }));
  const all = { machine: ANY, python: ANY };
  assert.deepEqual(chosenSeries(series, [ANY, ANY], all, targets).map(({ label }) => label), ["a", "b"]);
  assert.deepEqual(chosenSeries(series, ["'b'", ANY], all, targets).map(({ label }) => label), ["3.12"]);
  assert.deepEqual(["'a'", "'it\\'s'", "None", "'", "''"].map(plain), ["a", "'it\\'s'", "None", "'", ""]);
});

test("a parameter becomes the axis: a line for each combination of the others and each target", () => {
  const series = [["1", "'x'"], ["10", "'x'"], ["1", "'y'"]].map((params, index) => aSeries({ params, values: [index, index + 1] }));
  series.push(aSeries({ target: 1, params: ["10", "'x'"], values: [7, null] }));
  const drawn = chosenSeries(series, [ANY, ANY], { machine: ANY, python: ANY }, targets);
  const lines = sweep(drawn, 0, valuesOf(series, 2)[0], targets);
  assert.deepEqual(lines.map(({ label, values }) => [label, values]), [["x, 3.12", [1, 2]], ["y, 3.12", [3, undefined]], ["x, 3.13", [undefined, 7]]]);
});

test("the axis is fitted to levels and medians, and is linear where a value has no logarithm", () => {
  const aLine = (values, levels = []) => ({ values, levels: levels.map((value) => ({ value })) });
  const wide = verticalScale([aLine([1, 2, undefined, null], [16])], true);
  assert.ok(wide.kind === "log" && wide.domain[0] < 1 && wide.domain[1] > 16);
  assert.equal(verticalScale([aLine([0, 2])], true).kind, "linear");
  assert.ok(verticalScale([aLine([1, 1.001])], true).domain[1] > 1.08); // noise does not fill the chart
  assert.ok(verticalScale([aLine([])], true).ticks.length > 0);
});

test("dates never decrease on the axis; without dates the axis counts commits", () => {
  const { xs } = axisOf(aSite([10, 5, 20]), [0, 1, 2], true);
  assert.ok(xs[1] > xs[0] && xs[2] === 20);
  assert.equal(axisOf(aSite([10, null]), [0, 1], true).dates, false);
  assert.equal(axisOf(aSite([86400]), [0], false).labelOf(0), "2 Jan 1970");
});

test("marks are at the first commit of the axis that has the change", () => {
  const change = { commit: "1".repeat(40), direction: "regressed", relative_change: 0.25 };
  const site = aSite([0, 1, 2], [{ name: "v1", commit: 2 }]);
  assert.deepEqual(marksOf(site, [0, 2], [change]), [{ at: 1, kind: "release", label: "v1" }, { at: 1, kind: "regressed", label: "25 % more" }]);
  assert.deepEqual(marksOf(site, [0, 2], [{ ...change, commit: "unknown" }]).length, 1);
  const drawn = chosenSeries([aSeries()], [], { machine: ANY, python: ANY }, targets);
  const mark = { commit: 1, kind: "package", label: "numpy 1 → 2", targets: [0], benchmark: "" };
  const others = besideOf([mark, { ...mark, targets: [1] }, { ...mark, targets: [], benchmark: "other" }], "mine", drawn);
  assert.deepEqual(marksOf(site, [0, 2], [], others).at(-1), { at: 1, kind: "beside", label: "numpy 1 → 2" });
  const event = { ...mark, kind: "event", label: "It moved.", url: "https://example.org/why", targets: [] };
  assert.deepEqual(marksOf(site, [0, 2], [], besideOf([event], "mine", drawn)).at(-1), { at: 1, kind: "beside", label: "It moved.", url: "https://example.org/why" });
});

test("few lines are all shown; many are limited", () => {
  const few = ["1", "2"].map((value) => aSeries({ params: [value] }));
  const many = Array.from({ length: 40 }, (_, index) => aSeries({ params: [String(index % 8), String(Math.floor(index / 8))] }));
  const chosen = (series, count, text = "") => chosenIn(new URLSearchParams(text), offered(series, Array(count).fill("n"), targets), series, targets);
  assert.deepEqual(chosen(few, 1).params, [ANY]);
  assert.deepEqual(chosen(many, 2).params, [ANY, ANY]);
  assert.deepEqual(chosen(many, 2, "p0=3&p1=9&axis=p1&scale=log").params, ["3", ANY]);
  assert.equal(chosen(many, 2, "axis=p1").axis, "p1");
  assert.equal(chosen(many, 2, "axis=p7").axis, "commits");
});

test("marks belong to drawn series; a commit has the mark of its largest change", () => {
  const site = { ...aSite([1, 2, 3]), releases: [] };
  const here = targets.map((target) => ({ ...target, environment: `py${target.python}` }));
  const aChange = (relative_change, params = ["1"], environment = "py3.12") => ({ commit: "1".repeat(40), direction: "regressed", relative_change, params, machine: "desk", environment });
  const drawn = chosenSeries([aSeries({ params: ["1"] })], [ANY], { machine: ANY, python: ANY }, here);
  const changes = changesOf([aChange(4), aChange(1.5), aChange(9, ["2"]), aChange(8, ["1"], "py3.13")], drawn, here);
  assert.deepEqual(marksOf(site, [0, 1, 2], changes), [{ at: 1, kind: "regressed", label: "5.0 times as much" }]);
});

test("each branch has a line of its own; commits on none stand with the first", () => {
  const series = { target: 0, params: [], commits: [0, 1, 2, 3], values: [1, 2, 3, 4], low: [0, 1, 2, 3], high: [2, 3, 4, 5] };
  const lines = byBranch([{ label: "3.12", brief: "3.12", series }], [0, 1, null, 1], [{ name: "main" }, { name: "2.x" }]);
  assert.deepEqual(lines.map(({ label, series: { commits, values, high } }) => [label, commits, values, high]), [["3.12, main", [0, 2], [1, 3], [2, 4]], ["3.12, 2.x", [1, 3], [2, 4], [3, 5]]]);
  assert.deepEqual(byBranch([{ label: "3.12", brief: "3.12", series }], [0, 0, 0, 0], [{ name: "main" }, { name: "2.x" }]).map(({ label }) => label), ["3.12"]);
});
