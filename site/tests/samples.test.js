import assert from "node:assert/strict";
import { test } from "node:test";

import { scaleOf } from "../page/charts/scale.js";
import { chosenIn, offered } from "../page/models/benchmark.js";
import { keyByName } from "../page/models/choices.js";
import { levelName, processProfiles, shownLevels, summary } from "../page/models/samples.js";
import { jobOf } from "../page/models/scenarios.js";
import { aCase, aScenario } from "./builders.js";

test("tables show the tail of latencies and the middle of other kinds", () => {
  assert.deepEqual(shownLevels("latency").map(levelName), ["median", "90 %", "95 %", "99 %", "maximum"]);
  assert.deepEqual(shownLevels("time").map(levelName), ["minimum", "25 %", "median", "75 %", "95 %", "maximum"]);
});

test("a profile is summarised by the process with the highest maximum", () => {
  const [course, ...others] = processProfiles(jobOf(aScenario({ cases: [aCase({ variant: 1, profiles: [[1, 2, 1], [1, 5, 3, 2, 4], [9]] })] }), null, 0).ways);
  assert.equal(others.length, 0);
  assert.deepEqual([course.name, course.hue, course.processes.length], ["gather", 0, 2]);
  assert.deepEqual(summary(course), { begin: 1, most: 5, when: 0.25, end: 4 });
});

test("ticks of bytes are powers of two", () => {
  const { ticks } = scaleOf([0, 4.2 * 1024 ** 2], 5, "bytes");
  assert.deepEqual(ticks.map((each) => each / 1024 ** 2), [0, 1, 2, 3, 4]);
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
