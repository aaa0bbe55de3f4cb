import assert from "node:assert/strict";
import { test } from "node:test";

import { limitsText, rateText, rateWords, scaleOfRates } from "../page/models/rates.js";

test("a share has two digits, and one above zero is never shown as zero", () => {
  assert.deepEqual([0, 0.00001, 0.00109, 0.0112, 0.05, 0.123, 0.876, 0.978, 0.9999, 1].map(rateText), ["0 %", "0.001 %", "0.11 %", "1.1 %", "5 %", "12 %", "88 %", "97.8 %", "100 %", "100 %"]);
});

test("limits have at most two decimals", () => {
  assert.equal(limitsText({ low: 0.0000068, high: 0.0031 }), "(0 to 0.31 %)");
  assert.equal(limitsText({ low: 0.9712, high: 1 }), "(97.1 to 100 %)");
});

test("counts have separators", () => {
  assert.equal(rateWords({ hits: 2, trials: 1840 }, "comparison"), "2 of 1,840 comparisons");
  assert.equal(rateWords({ hits: 0, trials: 1 }, "run"), "0 of 1 run");
});

test("the axis shows every rate and the limit", () => {
  const { domain, ticks, position } = scaleOfRates([0], 0.01);
  assert.deepEqual([domain, ticks, position(0.01)], [[0, 0.02], [0, 0.01, 0.02], 0.5]);
  assert.equal(scaleOfRates([0.97], null).domain[1], 1);
  assert.equal(scaleOfRates([0], null).domain[1], 0.002);
});
