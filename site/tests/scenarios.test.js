import assert from "node:assert/strict";
import { test } from "node:test";

import { jobOf, jobsOf, middle, nameOf, shareWords, usualLoad } from "../page/models/scenarios.js";
import { jobsWords, noteOf } from "../page/views/jobs.js";
import { aCase, anOverview, aScenario, failed, measured } from "./builders.js";

const ratio = (value, interval = [value * 0.9, value * 1.1]) => ({ value, interval });
const BOARD = { variant: "variant", load: "load", reference: "sync", never: ["quick"], names: { "sleep.Sleep": "Three waits", gather: "asyncio.gather", "files.Files.sync": "open and write" } };
const [SLEEP, CPU, FILES] = ["sleep.Sleep", "cpu.CpuSum", "files.Files"].map((path) => ({ name: path.split(".")[0], benchmark: `${path}.time_run` }));

test("the load shown first is the one with the most figures, not counting failures", () => {
  const failures = [0, 1, 2].map((variant) => aCase({ load: 2, variant, result: failed }));
  const scenario = aScenario({ loads: ["quick", "standard", "article"], cases: [aCase({ load: 0 }), aCase({ load: 1 }), aCase({ load: 1, variant: 1 }), ...failures] });
  assert.equal(usualLoad(scenario), 1);
});

test("scenarios and variants have the names of the configuration", () => {
  assert.deepEqual([nameOf(BOARD, SLEEP), nameOf(BOARD, CPU), nameOf(BOARD, SLEEP, "gather"), nameOf(BOARD, FILES, "sync"), nameOf(BOARD, SLEEP, "sync"), nameOf(BOARD, SLEEP, "constructor")], ["Three waits", "cpu", "asyncio.gather", "open and write", "sync", "constructor"]);
});

test("the best way is clearly below the reference on every Python", () => {
  const cases = (second) => [0, 1].flatMap((target) => [aCase({ target }), aCase({ target, variant: 1, ratio: target === 0 ? ratio(0.33) : second })]);
  assert.equal(jobOf(aScenario({ cases: cases(ratio(0.34)) }), BOARD, 0).best[0]?.name, "asyncio.gather");
  assert.equal(jobOf(aScenario({ cases: cases(ratio(0.34, [0.2, 1.1])) }), BOARD, 0).best[0], undefined);
  assert.equal(jobOf(aScenario({ cases: cases(ratio(0.98, [0.97, 0.99])) }), BOARD, 0).best[0], undefined); // below 3 %
  assert.equal(jobOf(aScenario({ cases: cases(null) }), BOARD, 0).best[0], undefined);
  const few = cases({ value: 0.34, interval: null });
  assert.equal(jobOf(aScenario({ cases: few }), BOARD, 0).best[0]?.name, "asyncio.gather"); // too few samples say nothing
  assert.deepEqual([jobOf(aScenario({ cases: few.slice(2) }), BOARD, 0)].map(({ best, few: none }) => [best, none]), [[[], true]]);
});

test("ways that equal the fastest are named with it, and slower ways are told from undecided ones", () => {
  const way = (variant, value, interval, own = ratio(value, interval)) => aCase({ variant, result: measured(value, interval), ratio: own });
  const scenario = aScenario({ variants: ["sync", "gather", "threads", "other", "even", "slow"], cases: [aCase(), way(1, 0.334, [0.333, 0.335]), way(2, 0.33, [0.329, 0.331]), way(3, 0.5, [0.49, 0.51]), way(4, 1, [0.9, 1.1]), way(5, 2, [1.9, 2.1])] });
  const job = jobOf(scenario, BOARD, 0);
  const names = (ways) => ways.map(({ variant }) => variant);
  assert.deepEqual([job.best, job.faster, job.open, job.slower].map(names), [["gather", "threads"], ["other"], ["even"], ["slow"]]);
  assert.equal(noteOf(job), "A third of the time with asyncio.gather or threads, against sync, at this small load. other: clearly faster too. even: not clearly different. slow: clearly slower.");
  const none = jobOf(aScenario({ variants: ["sync", "even", "slow"], cases: [aCase(), way(1, 1, [0.9, 1.1]), way(2, 2, [1.9, 2.1])] }), null, 0);
  assert.equal(noteOf(none), "No way is clearly faster than sync. even: not clearly different. slow: clearly slower.");
  assert.deepEqual(jobsWords([job, none]), ["Three waits: a third of the time with asyncio.gather or threads", "No way is clearly faster on each Python for sleep."]);
  assert.deepEqual(jobsWords([none]), ["No way is clearly faster here", "Measured: sleep."]);
});

test("jobs stand in the order of the configured names, those with an answer first", () => {
  const scenario = (benchmark, more) => ({ ...aScenario({ cases: [aCase(), aCase({ variant: 1, ratio: more })] }), benchmark: `${benchmark}.time_run` });
  const overview = anOverview({ scenarios: [scenario("cpu.CpuSum", ratio(0.5)), scenario("a.Other", ratio(0.5)), scenario("files.Files", ratio(1)), scenario("sleep.Sleep", ratio(0.5))] });
  assert.deepEqual(jobsOf(overview, { ...BOARD, names: { ...BOARD.names, "cpu.CpuSum": "Sums" } }).map((job) => job.scenario.benchmark), ["sleep.Sleep", "cpu.CpuSum", "a.Other", "files.Files"].map((name) => `${name}.time_run`));
});

test("a load that is too small to judge on is known, and a job with figures of one way alone is left out", () => {
  const overview = anOverview({ scenarios: [aScenario({ cases: [aCase(), aCase({ variant: 1, ratio: ratio(0.5) })] }), aScenario({ cases: [aCase({ result: failed })] }), aScenario({ cases: [aCase(), aCase({ variant: 1, result: "skipped" })] })] });
  const jobs = jobsOf(overview, BOARD);
  assert.deepEqual(jobs.map(({ small, ways }) => [small, ways.map(({ name }) => name)]), [[true, ["sync", "asyncio.gather"]]]);
  assert.equal(middle(jobs[0].ways[1]), 0.5);
});

test("shares are words where there is one", () => {
  assert.deepEqual([0.335, 0.5, 0.1, 0.42].map(shareWords), ["a third", "half", "a tenth", "42 %"]);
});
