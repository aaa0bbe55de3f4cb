import assert from "node:assert/strict";
import { test } from "node:test";

import { DataError } from "../page/data.js";
import { readReadings, readRuns, readSite, seriesOf } from "../page/reading.js";

const packed = { target: 0, params: [], digits: 3, commits: [4, 1, 3], values: [1500, null, -500], below: [100, null, null], above: [200, null, null] };
const columns = {
  units: ["seconds"], name: ["a.time_x"], file: ["benchmarks/a.json"], unit: [0], params: [["variant"]], cases: [2], measured: [1],
  target: [0], target_sets: [[0]], measured_at: [0], case: [["'sync'"]], last: [1.5], low: [null], high: [null], trend: [null], spark: ["0.z"], stale: [0],
};
const index = { board: { variant: "variant", load: "load", reference: null }, project: { name: "p", url: null }, commit_url: "https://x/commit/", files: { commits: ["late.json", "early.json"], benchmarks: "benchmarks.json", runs: "runs.json" } };
const files = {
  "benchmarks.json": columns,
  "late.json": { first: 1, hash: ["b"], subject: [null], author: [null], date: [null] },
  "early.json": { first: 0, hash: ["a"], subject: ["s"], author: ["x"], date: [5] },
  "runs.json": { commit: [5, 4], target: [0, 0], file: [0, 0], files: ["runs/0.json"] },
  "runs/0.json": { series: [{ ...packed, benchmark: 0, params: ["'sync'"] }] },
  "runs/odd.json": { series: [{ ...packed, benchmark: 7 }] },
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
  assert.deepEqual(newest, { commit: 5, target: 0, file: "runs/0.json" });
  const [reading] = await readReadings(load, index, [newest, older, { ...newest, commit: 77 }]);
  assert.deepEqual([reading.benchmark, reading.variant, reading.unit], ["a.time_x", 0, "seconds"]);
  assert.deepEqual([reading.values, reading.low, reading.high], [[null, 1.5, null], [null, 1.4, null], [null, 1.7, null]]);
});

test("a run of an unlisted benchmark is refused, and the error names the file", async () => {
  await assert.rejects(readReadings(load, index, [{ commit: 4, target: 0, file: "runs/odd.json" }]), (error) => error instanceof DataError && /runs\/odd\.json/.test(error.message));
});
