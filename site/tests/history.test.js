import assert from "node:assert/strict";
import { test } from "node:test";

import { stretches } from "../page/charts/overlays.js";
import { chosenIn, offered } from "../page/models/benchmark.js";
import { aligned, ANY, chosenSeries, positive, sameHues, sweep, valuesOf } from "../page/models/history.js";
import { plain } from "../page/format.js";
import { axisOf, besideOf, changesOf, marksOf } from "../page/models/marks.js";

const targets = ["3.12", "3.13"].map((python) => ({ name: python, python, machine: "desk" }));
const aSeries = ({ target = 0, params = [], commits = [0, 1], values = commits.map(() => 1), width = 0.1 } = {}) => ({
  target, params, commits, values,
  low: values.map((value) => (value === null ? null : value - width)),
  high: values.map((value) => (value === null ? null : value + width)),
});
const aSite = (date, releases = []) => ({ commits: { hash: date.map((_, index) => `${index}`.repeat(40)), date, subject: [], author: [] }, releases });

test("a commit that only another series has is not a gap; a run without a value is", () => {
  const drawn = [aSeries({ commits: [0, 2], values: [1, 2] }), aSeries({ target: 1, commits: [0, 1, 2], values: [1, null, 3] })];
  const { commits, lines } = aligned(chosenSeries(drawn, [], { machine: ANY, python: ANY }, targets), false);
  assert.deepEqual(commits, [0, 1, 2]);
  assert.deepEqual(lines.map(({ label, values }) => [label, values]), [["3.12", [1, undefined, 2]], ["3.13", [1, null, 3]]]);
});

test("relative lines and their limits start at 1; a line that starts at zero has none", () => {
  const drawn = chosenSeries([aSeries({ values: [4, 6] }), aSeries({ target: 1, values: [0, 3] })], [], { machine: ANY, python: ANY }, targets);
  const [first, second] = aligned(drawn, true).lines;
  assert.deepEqual([first.values, first.low], [[1, 1.5], [3.9 / 4, 5.9 / 4]]);
  assert.deepEqual(second.values, [0, 1]);
});

test("lines are labelled with what distinguishes them, without Python's quotes", () => {
  const series = [["'a'", "1"], ["'b'", "1"]].map((params) => aSeries({ params }));
  const all = { machine: ANY, python: ANY };
  assert.deepEqual(chosenSeries(series, [ANY, ANY], all, targets).map(({ label }) => label), ["a", "b"]);
  assert.deepEqual(chosenSeries(series, ["'b'", ANY], all, targets).map(({ label }) => label), ["3.12"]);
  assert.deepEqual(["'a'", "'it\\'s'", "None", "'", "''"].map(plain), ["a", "'it\\'s'", "None", "'", ""]);
});

test("the lines of counts have the hues of the times of the same case and target", () => {
  const all = { machine: ANY, python: ANY };
  const timed = chosenSeries([["'a'"], ["'b'"]].map((params) => aSeries({ params })), [ANY], all, targets);
  const counted = chosenSeries([["'b'"], ["'c'"]].map((params) => aSeries({ params })), [ANY], all, targets);
  assert.deepEqual(sameHues(counted, timed).map(({ label, hue }) => [label, hue]), [["b", 1], ["c", 1]]);
});

test("a parameter becomes the axis: a line for each combination of the others and each target", () => {
  const series = [["1", "'x'"], ["10", "'x'"], ["1", "'y'"]].map((params, index) => aSeries({ params, values: [index, index + 1] }));
  series.push(aSeries({ target: 1, params: ["10", "'x'"], values: [7, null] }));
  const drawn = chosenSeries(series, [ANY, ANY], { machine: ANY, python: ANY }, targets);
  const lines = sweep(drawn, 0, valuesOf(series, 2)[0], targets);
  assert.deepEqual(lines.map(({ label, values }) => [label, values]), [["x · 3.12", [1, 2]], ["y · 3.12", [3, undefined]], ["x · 3.13", [undefined, 7]]]);
});

test("zero and negative values are not drawn on a logarithmic axis", () => {
  assert.ok(positive([{ values: [1, null, undefined] }]));
  assert.ok(!positive([{ values: [1, 0] }]));
});

test("bands end at gaps and continue past commits of other series", () => {
  assert.deepEqual(stretches([1, undefined, 1, null, 1], [2, undefined, 2, null, 2]), [[0, 2], [4]]);
  assert.deepEqual(stretches([], []), []);
});

test("dates never decrease on the axis; without dates the axis counts commits", () => {
  const { xs } = axisOf(aSite([10, 5, 20]), [0, 1, 2], true);
  assert.ok(xs[1] > xs[0] && xs[2] === 20);
  assert.equal(axisOf(aSite([10, null]), [0, 1], true).dates, false);
  assert.equal(axisOf(aSite([86400]), [0], false).labelOf(0), "1970-01-02");
});

test("marks are at the first commit of the axis that has the change", () => {
  const change = { commit: "1".repeat(40), direction: "regressed", relative_change: 0.25 };
  const site = aSite([0, 1, 2], [{ name: "v1", commit: 2 }]);
  assert.deepEqual(marksOf(site, [0, 2], [change]), [{ at: 1, kind: "release", label: "v1" }, { at: 1, kind: "regressed", label: "+25.0 %" }]);
  assert.deepEqual(marksOf(site, [0, 2], [{ ...change, commit: "unknown" }]).length, 1);
  const drawn = chosenSeries([aSeries()], [], { machine: ANY, python: ANY }, targets);
  const mark = { commit: 1, kind: "package", label: "numpy 1 → 2", targets: [0], benchmark: "" };
  const others = besideOf([mark, { ...mark, targets: [1] }, { ...mark, targets: [], benchmark: "other" }], "mine", drawn);
  assert.deepEqual(marksOf(site, [0, 2], [], others).at(-1), { at: 1, kind: "beside", label: "numpy 1 → 2" });
});

test("few lines are all shown; many are limited", () => {
  const few = ["1", "2"].map((value) => aSeries({ params: [value] }));
  const many = Array.from({ length: 40 }, (_, index) => aSeries({ params: [String(index % 8), String(Math.floor(index / 8))] }));
  const chosen = (series, count, text = "") => chosenIn(new URLSearchParams(text), offered(series, Array(count).fill("n"), targets), series, targets);
  assert.deepEqual(chosen(few, 1).params, [ANY]);
  assert.deepEqual(chosen(many, 2).params, [ANY, "0"]);
  assert.deepEqual(chosen(many, 2, "p0=3&p1=9&axis=p1&scale=log").params, ["3", "0"]);
  assert.equal(chosen(many, 2, "axis=p1").axis, "p1");
  assert.equal(chosen(many, 2, "axis=p7").axis, "commits");
});

test("marks belong to drawn series; a commit has the mark of its largest change", () => {
  const site = { ...aSite([1, 2, 3]), releases: [] };
  const here = targets.map((target) => ({ ...target, environment: `py${target.python}` }));
  const aChange = (relative_change, params = ["1"], environment = "py3.12") => ({ commit: "1".repeat(40), direction: "regressed", relative_change, params, machine: "desk", environment });
  const drawn = chosenSeries([aSeries({ params: ["1"] })], [ANY], { machine: ANY, python: ANY }, here);
  const changes = changesOf([aChange(4), aChange(1.5), aChange(9, ["2"]), aChange(8, ["1"], "py3.13")], drawn, here);
  assert.deepEqual(marksOf(site, [0, 1, 2], changes), [{ at: 1, kind: "regressed", label: "5.00×" }]);
});
