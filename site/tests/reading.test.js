import assert from "node:assert/strict";
import { test } from "node:test";

import { DataError } from "../page/data.js";
import { seriesOf } from "../page/columns.js";
import { findCommit, readBranch, readDetail, readReadings, readRuns, readSite } from "../page/reading.js";

const packed = { target: 0, params: [], digits: 3, commits: [4, 1, 3], values: [1500, null, -500], below: [100, null, null], above: [200, null, null] };
const columns = {
  units: ["seconds"], name: ["a.time_x"], file: ["benchmarks/a.json"], unit: [0], params: [["variant"]], cases: [2], measured: [1],
  target: [0], target_sets: [[0]], measured_at: [0], case: [["'sync'"]], last: [1.5], low: [null], high: [null], trend: [null], spark: ["0.z"], stale: [0],
};
const index = { commits: 2, dates: [5], board: { variant: "variant", load: "load", reference: null }, project: { name: "p", url: null }, commit_url: "https://x/commit/", files: { commits: ["late.json", "early.json"], benchmarks: "benchmarks.json", runs: "runs.json" } };
const files = {
  "benchmarks.json": columns,
  "late.json": { first: 1, hash: ["b"], subject: [null], author: [null], date: [null] },
  "early.json": { first: 0, hash: ["a"], subject: ["s"], author: ["x"], date: [5] },
  "runs.json": { starts: [0, 4], blocks: [{ target: 0, block: 1, commits: [4, 1], files: ["runs/0.json"], first: [0] }] },
  "runs/0.json": { benchmarks: ["a.time_x"], series: [{ ...packed, commits: [0, 1, 3], benchmark: 0, params: ["'sync'"] }] },
  "runs/odd.json": { benchmarks: ["no.such"], series: [{ ...packed, benchmark: 0 }] },
};
const load = async (file) => files[file];

test("steps are decoded to values with limits; differences skip gaps", () => {
  const series = seriesOf(packed);
  assert.deepEqual(series.commits, [4, 5, 8]);
  assert.deepEqual(series.values, [1.5, null, 1]);
  assert.deepEqual([series.low, series.high], [[1.4, null, null], [1.7, null, null]]);
});

test("negative digits multiply", () => {
  assert.deepEqual(seriesOf({ ...packed, digits: -2 }).values, [150000, null, 100000]);
});

test("commits are joined in order, whatever the order of their files", async () => {
  const site = await readSite(load, index);
  assert.deepEqual(site.commits.hash, ["a", "b"]);
  assert.equal(site.project.commit_url, "https://x/commit/");
  assert.deepEqual(site.benchmarks[0].spark, [0, null, 35]);
  assert.equal(site.benchmarks[0].interval, null);
});

test("runs have the values of their commits, in the order of the runs; a run without the case has none", async () => {
  const [newest, older] = await readRuns(load, index);
  assert.deepEqual(newest, { commit: 5, start: 4, target: 0, files: ["runs/0.json"], first: [0] });
  const [reading] = await readReadings(load, index, [newest, older, { ...newest, commit: 77 }], () => true);
  assert.deepEqual([reading.benchmark, reading.variant, reading.unit], ["a.time_x", 0, "seconds"]);
  assert.deepEqual([reading.values, reading.low, reading.high], [[null, 1.5, null], [null, 1.4, null], [null, 1.7, null]]);
});

test("of the files of runs, only those with wanted benchmarks are loaded", async () => {
  const [run] = await readRuns(load, index);
  const split = { ...run, files: ["runs/0.json", "nowhere.json"], first: [0, 1] };
  assert.equal((await readReadings(load, index, [split], (name) => name === "a.time_x")).length, 1);
  assert.deepEqual(await readReadings(load, index, [split], () => false), []);
});

test("a run of an unlisted benchmark is refused, and the error names the file", async () => {
  await assert.rejects(readReadings(load, index, [{ commit: 4, start: 4, target: 0, files: ["runs/odd.json"], first: [0] }], () => true), (error) => error instanceof DataError && /runs\/odd\.json/.test(error.message));
});

/** A site of 5,000 commits, one a second, in files that count how often they are asked for. */
function longSite() {
  const asked = [];
  const names = Array.from({ length: 10 }, (_, part) => `${part}.json`);
  const load = async (file) => {
    asked.push(file);
    const first = 512 * Number.parseInt(file, 10);
    const some = Array.from({ length: Math.min(512, 5000 - first) }, (_, at) => first + at);
    return file === "benchmarks.json" ? columns : { first, hash: some.map((at) => `c${at}-`), subject: some.map(() => "s"), author: some.map(() => null), date: some, branch: some.map((at) => (at >= 600 && at < 1100 ? 1 : 0)) };
  };
  return { asked, load, index: { ...index, commits: 5000, branches: [{ name: "main", commits: 4500, newest: 4999 }, { name: "2.x", commits: 500, newest: 1099 }], dates: Array.from({ length: 79 }, (_, block) => block * 64), files: { ...index.files, commits: names } } };
}

test("of many commits only the newest are loaded at first; dates of the others are known", async () => {
  const { asked, load, index } = longSite();
  const { commits } = await readSite(load, index);
  assert.deepEqual(asked.toSorted(), ["8.json", "9.json", "benchmarks.json"]);
  assert.deepEqual([commits.hash[4999], commits.hash[100], commits.date[100], commits.hash.length], ["c4999-", "", 100, 5000]);
  assert.equal(await findCommit(load, index, "c100-"), 100);
  assert.equal(await findCommit(load, index, "no such"), -1);
});

test("the commits of a branch are loaded from its newest on, until there are enough", async () => {
  const { asked, load, index } = longSite();
  const { commits } = await readSite(load, index);
  const known = (branch) => commits.branch.filter((each) => each === branch).length;
  await readBranch(load, index, 0, () => true);
  assert.deepEqual([known(0), known(1), asked.length], [904, 0, 3]);
  await readBranch(load, index, 1, () => known(1) > 0);
  assert.deepEqual([known(1), asked.slice(3)], [500, ["1.json", "2.json"]]);
  await readBranch(load, index, 0, () => false);
  assert.deepEqual([known(0), commits.branch.includes(null)], [4500, false]);
});

test("a site that was published without branches has none, and its commits are on none", async () => {
  const { branches, commits } = await readSite(load, { ...index });
  assert.deepEqual([branches, commits.branch], [[], [null, null]]);
});

test("a range of older commits is shown one by one, and the rest as before", async () => {
  const series = { target: 0, params: [], commits: [9, 73, 137, 138, 139], values: [0, 1, 2, 3, 4], low: Array(5).fill(null), high: Array(5).fill(null) };
  const block = (first, ...values) => ({ benchmarks: ["other", "a.time_x"], series: [{ benchmark: 1, params: [], digits: 0, commits: [first, 5], values: [values[0], values[1] - values[0]], below: [null, null], above: [null, null] }] });
  const runs = { starts: [0, 10, 64, 64], blocks: [{ target: 0, block: 2, commits: [80, 5], files: ["wrong", "runs/b"], first: [-1, 0] }, { target: 0, block: 1, commits: [10, 5], files: ["runs/a"], first: [0] }] };
  const parts = { "runs/a": block(0, 10, 20), "runs/b": block(6, 30, 40), "runs.json": runs };
  const load = async (file) => parts[file] ?? files[file];
  const benchmark = { name: "a.time_x", exact_from: 138, commits_per_point: 64, detailed: null, series: [series, { ...series, target: 1 }] };
  const found = await readDetail(load, { ...index, commits: 140 }, benchmark, new Set([0]), [76, 100]);
  assert.deepEqual([found.series[0].commits, found.series[0].values], [[9, 73, 80, 85, 138, 139], [0, 1, 30, 40, 3, 4]]);
  assert.deepEqual([found.detailed, found.series[1].commits], [[74, 138], [9, 73, 137, 138, 139]]);
  const wide = await readDetail(load, { ...index, commits: 140 }, { ...benchmark, commits_per_point: 128 }, new Set([0]), [76, 77]);
  assert.deepEqual([wide.detailed, wide.series[0].commits], [[74, 138], [9, 73, 80, 85, 138, 139]]);
  const both = await readDetail(load, { ...index, commits: 140 }, { ...benchmark, commits_per_point: 128 }, new Set([0]), [5, 6]);
  assert.deepEqual([both.detailed, both.series[0].commits], [[0, 74], [10, 15, 137, 138, 139]]);
});
