import assert from "node:assert/strict";
import { test } from "node:test";

import { scaleOf } from "../page/charts/scale.js";
import { chosenIn, keyByName, offered } from "../page/models/benchmark.js";
import { processProfiles, summary } from "../page/models/samples.js";
import { groups, measureOf } from "../page/models/scenarios.js";
import { levelName, shownLevels, distributions, strips } from "../page/models/samples.js";
import { aCase, aScenario } from "./builders.js";

const LEVELS = [0, 0.5, 0.95, 1];
const spread = (quantiles, processes = 2) => ({ quantiles, processes });
const tableOf = (...cases) => groups(aScenario({ cases }), "quick", [0]);

test("each variant has its quantiles by level; unknown quantiles are null", () => {
  const table = tableOf(aCase({ distribution: spread([1, 2, null, 4]) }), aCase({ variant: 1 }));
  const [line, ...others] = distributions(table, LEVELS);
  assert.equal(others.length, 0);
  const [mark] = line.marks;
  assert.deepEqual([0, 0.5, 0.95, 0.99, 1].map(mark.at), [1, 2, null, null, 4]);
  assert.deepEqual([line.variant, mark.samples, mark.processes], ["sync", 6, 2]);
});

test("the axis of strips contains every quantile; without quantiles there is no axis", () => {
  const [low, high] = strips(distributions(tableOf(aCase({ distribution: spread([1, 2, 3, 40]) })), LEVELS), LEVELS, "seconds", 5).scale.domain;
  assert.ok(low < 1 && high > 40);
  assert.equal(strips(distributions(tableOf(aCase({ distribution: spread([null, null, null, null]) })), LEVELS), LEVELS, "seconds", 5), null);
});

test("tables show the tail of latencies and the middle of other kinds", () => {
  assert.deepEqual(shownLevels("latency").map(levelName), ["median", "90 %", "95 %", "99 %", "maximum"]);
  assert.deepEqual(shownLevels("time").map(levelName), ["minimum", "25 %", "median", "75 %", "95 %", "maximum"]);
});

test("a profile is summarised by the process with the highest maximum", () => {
  const [course, ...others] = processProfiles(tableOf(aCase({ variant: 1, profiles: [[1, 2, 1], [1, 5, 3, 2, 4], [9]] })));
  assert.equal(others.length, 0);
  assert.deepEqual([course.variant, course.hue, course.processes.length], ["gather", 0, 2]);
  assert.deepEqual(summary(course), { begin: 1, most: 5, when: 0.25, end: 4 });
});

test("ticks of bytes are powers of two", () => {
  const { ticks } = scaleOf([0, 4.2 * 1024 ** 2], 5, "bytes");
  assert.deepEqual(ticks.map((each) => each / 1024 ** 2), [0, 1, 2, 3, 4]);
});

test("every measured quantity has a name", () => {
  const words = [["time", "seconds"], ["latency", "seconds"], ["peakmemory", "bytes"], ["track", "turns"]];
  assert.deepEqual(words.map(([kind, unit]) => measureOf({ kind, unit })), ["time", "latency", "memory", "turns"]);
});

test("a link may name a parameter where its position is not known; the position wins", () => {
  const series = ["'quick'", "'standard'"].map((load) => ({ target: 0, params: ["'sync'", load], commits: [0], values: [1], low: [null], high: [null] }));
  const targets = [{ name: "3.12", python: "3.12", machine: "desk" }];
  const can = offered(series, ["variant", "load"], targets);
  const chosen = (choices) => chosenIn(new URLSearchParams(choices), can, series, targets).params[1];
  assert.equal(chosen({ [keyByName("load")]: "'standard'" }), "'standard'");
  assert.equal(chosen({ [keyByName("load")]: "'standard'", p1: "*" }), "*");
  assert.equal(chosen({ [keyByName("load")]: "'nothing'" }), "*");
});
