import assert from "node:assert/strict";
import { test } from "node:test";

import { answers, choicesOf, chosenOf, groups, plot, shown, verdict } from "../page/models/scenarios.js";
import { aCase, anOverview, aScenario, failed, measured } from "./builders.js";

const ratio = (value, interval = [value * 0.9, value * 1.1]) => ({ value, interval });

test("the load shown first is the one with the most figures, not counting failures", () => {
  const failures = [0, 1, 2].map((variant) => aCase({ load: 2, variant, result: failed }));
  const cases = [aCase({ load: 0 }), aCase({ load: 1 }), aCase({ load: 1, variant: 1 }), ...failures];
  const choices = choicesOf(anOverview({ scenarios: [aScenario({ loads: ["quick", "standard", "article"], cases })] }));
  assert.deepEqual(choices.loads, ["quick", "standard", "article"]);
  assert.equal(choices.load, "standard");
});

test("without scenarios only the Python can be chosen", () => {
  assert.deepEqual(choicesOf(anOverview()), { targets: ["3.12"], loads: [], load: "" });
});

test("a chosen Python hides the others", () => {
  const overview = anOverview({ targets: ["3.12", "3.13"] });
  assert.deepEqual(shown(overview, { python: "all" }), [0, 1]);
  assert.deepEqual(shown(overview, { python: "3.13" }), [1]);
});

test("variants keep the suite's order whatever the order of the cases", () => {
  const scenario = aScenario({ cases: [aCase({ variant: 1 }), aCase({ variant: 0 })] });
  const [group] = groups(scenario, "quick", [0]);
  assert.deepEqual(group.rows.map(({ variant, reference }) => [variant, reference]), [["sync", true], ["gather", false]]);
});

test("a Python without results for the load has no group", () => {
  const scenario = aScenario({ loads: ["quick", "standard"], cases: [aCase({ target: 1, load: 1 })] });
  assert.deepEqual(groups(scenario, "standard", [0, 1]).map(({ target }) => target), [1]);
  assert.deepEqual(groups(scenario, "quick", [0, 1]), []);
});

test("Pythons with the same fastest variants share a line with the range of their intervals", () => {
  const cases = [0.3, 0.4].map((value, target) => aCase({ target, variant: 1, ratio: ratio(value) }));
  const fastest = [0, 1].map((target) => ({ target, load: 0, variants: [1] }));
  const [line, ...others] = answers(aScenario({ cases, fastest }), "quick", [0, 1]);
  assert.equal(others.length, 0);
  assert.deepEqual([line.names, line.targets, line.reference], [["gather"], [0, 1], false]);
  assert.deepEqual(line.span, [0.3 * 0.9, 0.4 * 1.1]);
});

test("one unknown interval makes the range unknown", () => {
  const cases = [aCase({ variant: 1, ratio: ratio(0.3, null) })];
  assert.equal(answers(aScenario({ cases, fastest: [{ target: 0, load: 0, variants: [1] }] }), "quick", [0])[0].span, null);
});

test("a verdict needs the whole interval on one side of 1", () => {
  const said = [[0.5, 0.9], [1.1, 2], [0.9, 1.1], [0.5, 1]].map((interval) => verdict(ratio(1, interval)));
  assert.deepEqual(said, ["less", "more", "open", "open"]);
  assert.deepEqual([verdict(ratio(1, null)), verdict(null)], ["unknown", "unknown"]);
});

test("a plot of ratios contains 1, the position of the reference", () => {
  const scenario = aScenario({ cases: [aCase(), aCase({ variant: 1, result: measured(0.3), ratio: ratio(0.3) })] });
  const drawn = plot(groups(scenario, "quick", [0]), "ratio", 5);
  assert.deepEqual(drawn.lines.map(({ variant, marks }) => [variant, marks[0].value]), [["sync", 1], ["gather", 0.3]]);
  assert.ok(drawn.scale.domain[0] < 0.27 && drawn.scale.domain[1] > 1);
});

test("a case without a figure is shown as a gap", () => {
  const scenario = aScenario({ cases: [aCase(), aCase({ variant: 1, result: failed })] });
  const drawn = plot(groups(scenario, "quick", [0]), "time", 5);
  assert.deepEqual(drawn.lines[1].marks[0], { target: 0, variant: "gather", state: "failed", value: null, interval: null });
});

test("without figures there is no plot", () => {
  const scenario = aScenario({ cases: [aCase({ result: failed })] });
  assert.equal(plot(groups(scenario, "quick", [0]), "time", 5), null);
});

test("a missing or invalid choice in the address has its default", () => {
  const allowed = { targets: ["3.12"], loads: ["quick", "standard"], load: "standard" };
  const chosen = (text) => chosenOf(new URLSearchParams(text), allowed);
  assert.deepEqual(chosen(""), { python: "all", load: "standard", show: "ratio" });
  assert.deepEqual(chosen("python=3.12&load=quick&show=time"), { python: "3.12", load: "quick", show: "time" });
  assert.deepEqual(chosen("python=2.7&load=__proto__&show=%00"), { python: "all", load: "standard", show: "ratio" });
});
