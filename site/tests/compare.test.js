import assert from "node:assert/strict";
import { test } from "node:test";

import { namedCommit, releaseOf } from "../page/models/commits.js";
import { filtered, overall, pairs, quotient, variantsOf } from "../page/models/compare.js";
import { neighbours, rank, shift, steadiness } from "../page/models/evidence.js";
import { comparisonCsv } from "../page/models/exports.js";
import { alone, allDecide, before, EVERYTHING, FIRST, isIn, locate, modulesOf, SECOND, setOf, withoutMachine } from "../page/models/runsets.js";

const aReading = ({ benchmark = "a.time_x", params = [], variant = -1, values = [1], width = 0.01 } = {}) => ({
  benchmark, params, unit: "seconds", variant, values, low: values.map((each) => each && each - width), high: values.map((each) => each && each + width),
});
const runsOf = (count, target = 0) => Array.from({ length: count }, (_, at) => ({ commit: count - 1 - at, target, file: "f" }));
const aSide = (readings, { from = 0, count = 1, target = 0, branch = -1 } = {}) => ({ runs: runsOf(readings[0].values.length, target), from, count, branch, readings });
const ALL = { base: "", head: "" };

test("the rank of an interval's end is that of the tables of the Mann-Whitney statistic", () => {
  assert.deepEqual([rank(4, 5), rank(5, 5), rank(10, 10), rank(20, 20), rank(1, 1)], [0, 1, 17, 106, 0]); // Mann and Whitney 1947; two-sided 1 %
});

test("the interval of a shift contains it, and sets that are too small have none", () => {
  const noise = [0, 0.01, -0.02, 0.03, -0.01, 0.02];
  const { middle, interval } = shift(noise, noise.map((each) => each + 0.5));
  assert.ok(Math.abs(middle - 0.5) < 1e-9 && interval[0] > 0.4 && interval[1] < 0.6);
  assert.deepEqual(shift([0], [1]), { middle: 1, interval: null });
});

test("neighbouring runs are counted over gaps", () => {
  assert.deepEqual(neighbours([0, null, 1, 1.5], 0.9), { larger: 1, of: 2 });
  assert.deepEqual(neighbours([0, 1, 0, 1], 1, [1, 2]), { larger: 2, of: 2 });
});

test("two sets have a verdict where their runs differ clearly, and none where one run is off", async () => {
  const values = [2, 2.1, 2, 1.9, 2, 2.05, 1, 1.1, 1, 0.9, 1, 1.05];
  const [clear] = await pairs(aSide([aReading({ values })], { from: 6, count: 6 }), aSide([aReading({ values })], { count: 6 }), ALL);
  assert.deepEqual([clear.verdict, clear.base.value, clear.head.limits], ["more", 1, [1.9, 2.1]]);
  const [open] = await pairs(aSide([aReading({ values })], { from: 5, count: 6 }), aSide([aReading({ values })], { count: 6 }), ALL);
  assert.equal(open.verdict, "open");
});

test("two single runs are compared with neighbouring runs; a few of those say nothing about one in a hundred", async () => {
  const noisy = Array.from({ length: 110 }, (_, at) => (at % 3 === 0 ? 2 : 1));
  const verdict = async (values) => (await pairs(aSide([aReading({ values })], { from: 1 }), aSide([aReading({ values })]), ALL))[0];
  const open = await verdict(noisy);
  assert.equal(open.verdict, "open");
  assert.match(open.reason, /72 of 108 neighbouring runs differ as much/);
  assert.equal((await verdict([3, ...new Array(109).fill(1)])).verdict, "more");
  const few = await verdict([3, 1, 1, 1]);
  assert.deepEqual([few.verdict, few.reason], ["unknown", "larger than all 2 differences between neighbouring runs"]);
  assert.equal((await verdict([1, null])).ratio, null);
});

test("what moved all times of a run alike is taken out, and what one case did stays", () => {
  const cases = Array.from({ length: 9 }, (_, at) => aReading({ benchmark: `b${at}`, values: [2, 1, 1, 1, 1].map((each) => each * (at + 1)) }));
  const odd = aReading({ benchmark: "odd", values: [6, 1, 1, 1, 1] });
  const values = withoutMachine(aSide([...cases, odd])).readings.map((each) => each.values[0]);
  assert.deepEqual([values[0], values[8], values[9]], [1, 9, 3]);
});

test("a set ends at a commit or the nearest run before it, and has others around", () => {
  const runs = [...runsOf(300), ...runsOf(3, 1)];
  const set = setOf(runs, 0, 250, 10, 1);
  assert.deepEqual([set.runs[set.from].commit, set.count, before(set), set.runs.length], [250, 10, 240, 120]);
  assert.deepEqual([setOf(runs, 0, 5, 10, 1).count, before(setOf(runs, 0, 5, 10, 1))], [6, -1]);
  assert.equal(setOf(runs, 1, 99, 1, 1).runs.length, 3);
});

test("the runs of two sets suffice where each case has at least five values; then a verdict needs no run around them", async () => {
  const values = [2, 2.1, 2, 1.9, 2, 1, 1.1, 1, 0.9, 1, 7, 7];
  const [second, first] = [aSide([aReading({ values })], { count: 5 }), aSide([aReading({ values })], { from: 5, count: 5 })];
  const own = (side) => ({ ...alone(side), readings: [aReading({ values: values.slice(side.from, side.from + side.count) })] });
  assert.deepEqual(own(first).runs.map(({ commit }) => commit), [6, 5, 4, 3, 2]);
  assert.deepEqual(await pairs(own(first), own(second), ALL), await pairs(first, second, ALL));
  const enough = (...some) => allDecide(some.map((each) => aReading({ values: each })));
  assert.deepEqual([enough(values, [null, null]), enough([1, 2, 3, 4]), enough([0, 1, 2, 3, 4]), enough([1, 2, 3, 4, 5])], [true, false, false, true]);
});

test("the interval of a ratio within a run is the widest that both intervals allow", () => {
  assert.deepEqual(quotient([2, 3], [1, 2]), [1, 3]);
  assert.deepEqual([quotient([2, 3], [0, 2]), quotient(null, [1, 2])], [null, null]);
});

test("cases are paired by parameter values; a case of one side alone has no ratio", async () => {
  const base = aSide([aReading({ params: ["1"] }), aReading({ params: ["2"], values: [null] }), aReading({ params: ["3"] })]);
  const head = aSide([aReading({ params: ["2"] }), aReading({ params: ["1"], values: [2] })]);
  const found = await pairs(base, head, ALL);
  assert.deepEqual(found.map(({ params, ratio, verdict }) => [params[0], ratio, verdict]), [["2", null, "unknown"], ["1", 2, "more"]]);
  assert.deepEqual(filtered(found, { show: "all", find: "" }).map(({ ratio }) => ratio), [2, null]);
  assert.equal(filtered(found, { show: "slower", find: "TIME_X 1" }).length, 1);
  assert.equal(filtered(found, { show: "faster", find: "" }).length, 0);
  assert.deepEqual([overall(found), overall([])], [2, null]);
  assert.match(comparisonCsv(found).split("\r\n")[2], /^a.time_x,1,seconds,2,.*,more,measured in turns in one run,1,0.99,1.01,1,2,/);
});

test("variants are compared for each combination of the other parameters", async () => {
  const run = aSide(["'sync'", "'gather'"].flatMap((variant, index) => ["1", "9"].map((load) => aReading({ params: [variant, load], variant: 0, values: [(index + 1) * Number(load)] }))));
  assert.deepEqual(variantsOf(run.readings), ["'sync'", "'gather'"]);
  assert.deepEqual((await pairs(run, run, { base: "'gather'", head: "'sync'" })).map(({ params, ratio }) => [params, ratio]), [[["1"], 0.5], [["9"], 0.5]]);
});

test("a commit is named by a release, the beginning of its hash, or a day", () => {
  const day = (text) => Date.parse(`${text}T12:00:00Z`) / 1000;
  const site = { releases: [{ name: "1.0", commit: 0 }], commits: { hash: ["aaaa1", "bbbb2", "cccc3"], date: [day("2026-01-01"), day("2026-01-02"), null] } };
  assert.deepEqual(["1.0", "bbbb", "2026-01-02", "2026-01-09", "2025-01-01", "zzzz", "b", ""].map((text) => namedCommit(site, text)), [0, 1, 1, 1, -1, -1, -1, -1]);
});

/** Eight commits of main after six of 2.x, and what the page asks of the data; the newest of 2.x is measured elsewhere. */
function twoBranches(loaded = new Array(6).fill(1).concat(new Array(8).fill(0))) {
  const hash = Array.from({ length: 14 }, (_, at) => `${at.toString(16)}aaa`);
  const site = {
    branches: [{ name: "main", commits: 8, newest: 13 }, { name: "2.x", commits: 6, newest: 5 }],
    targets: [{ name: "3.12" }, { name: "3.13" }],
    releases: [{ name: "2.1", commit: 4 }],
    commits: { hash, date: hash.map((_, at) => Date.parse("2026-01-01T12:00:00Z") / 1000 + (at % 8) * 86400), branch: loaded },
  };
  const runs = [...runsOf(14), { commit: 5, target: 1, file: "f" }].filter(({ commit, target }) => commit !== 5 || target === 1).sort((one, other) => other.commit - one.commit);
  const place = (address, keys = SECOND, data = { branch: async () => {}, commit: async () => -1 }) => locate({ choices: new URLSearchParams(address), data }, site, runs, keys, 0);
  return { site, place };
}

test("a side is on the branch that the address names, and its commit is one of that branch", async () => {
  const { place } = twoBranches();
  const found = async (address, keys) => {
    const { branch, target, commit, runs } = await place(address, keys);
    return [branch, target, commit, runs.length, runs[0].commit];
  };
  assert.deepEqual(await found(""), [-1, 0, -1, 14, 13]);
  assert.deepEqual(await found("head-branch=2.x"), [1, 0, -1, 6, 5]);
  assert.deepEqual(await found("base-branch=main&head-branch=2.x", FIRST), [0, 0, -1, 8, 13]);
  assert.deepEqual(await found("head-branch=2.x&on=3.13"), [1, 1, -1, 6, 5]);
  assert.deepEqual(await found("head-branch=main&on=3.13"), [0, 0, -1, 8, 13]); // never measured there
  assert.deepEqual(await found("head-branch=2.x&head=2026-01-03"), [1, 0, 2, 6, 5]);
  assert.deepEqual(await found("head-branch=main&head=2.1"), [0, 0, -1, 8, 13]); // a release of 2.x
  assert.deepEqual(await found("head-branch=3.x&head=4aaa"), [-1, 0, 4, 14, 13]);
});

test("commits of a branch are loaded until its runs are known, all of them for a commit that is not found", async () => {
  const asked = [];
  const data = (loaded) => ({ branch: async (branch, isEnough) => { asked.push([branch, isEnough()]); loaded.fill(1, 0, 6); }, commit: async () => 7 });
  const loaded = new Array(14).fill(null);
  const { place } = twoBranches(loaded);
  assert.equal((await place("head-branch=2.x", SECOND, data(loaded))).runs.length, 6);
  assert.equal((await place("head-branch=2.x&head=eeee", SECOND, data(loaded))).commit, -1);
  assert.equal((await place("head=eeee", SECOND, data(loaded))).commit, 7);
  assert.deepEqual(asked, [[1, false], [1, false]]);
});

test("runs of two branches are two histories, whose own noise counts", async () => {
  const values = (level) => [level, ...new Array(110).fill(1)];
  const [steady, loud] = [values(3), values(3).map((each, at) => each * (at % 2 ? 5 : 1))];
  const verdict = async (one, other) => (await pairs(aSide([aReading({ values: one })], { branch: 0, from: 1 }), aSide([aReading({ values: other })], { branch: 1 }), ALL))[0];
  assert.equal((await verdict(steady, steady)).verdict, "open"); // the step within each branch is as large
  assert.match((await verdict(loud, values(1.001))).reason, /109 of 110 neighbouring runs differ as much/);
});

test("a change came with the first release that contains it, or after the last one", () => {
  const releases = [{ name: "1.0", commit: 3 }, { name: "1.1", commit: 7 }];
  assert.deepEqual([0, 3, 4, 8, -1].map((index) => releaseOf({ releases }, index)), ["first in 1.0", "first in 1.0", "first in 1.1", "after 1.1", null]);
  assert.equal(releaseOf({ releases: [] }, 3), null);
});

test("a history is as steady as its neighbouring runs are alike; a short one says nothing", () => {
  const { runs, gaps, middle, high } = steadiness([null, ...Array.from({ length: 40 }, (_, at) => (at === 7 ? 1.5 : at % 2 ? 1.01 : 1))]);
  assert.deepEqual([runs, gaps, middle.toFixed(4), high.toFixed(2)], [40, 1, "0.0100", "0.50"]);
  assert.equal(steadiness(new Array(20).fill(1)), null);
});

test("modules are the outermost parts of the names that differ, with their cases", () => {
  const suite = (...names) => names.map((name) => ({ name, cases: 2 }));
  assert.deepEqual(modulesOf(suite("b.S.time_x", "a.S.time_x", "a.T.time_y")), [["a", 4], ["b", 2]]);
  assert.deepEqual(modulesOf(suite("p.b.time_x", "p.a.time_x")), [["p.a", 2], ["p.b", 2]]);
  assert.deepEqual(modulesOf(suite("m.S.time_x")), [["m", 2]]);
  assert.deepEqual(["m.S.x", "mm.S.x"].map((name) => isIn(name, "m")), [true, false]);
  assert.ok(isIn("m.x", EVERYTHING) && isIn("m.x", ""));
});
