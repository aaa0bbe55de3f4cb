import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { absence, counted, day, heights, listed, targetTitle, quantity, ratio, shortHash, tick } from "../page/format.js";

const golden = JSON.parse(readFileSync(new URL("../../tests/golden/numbers.json", import.meta.url), "utf8"));

test("quantities are formatted as in windtunnel/text/numbers.py", () => {
  for (const { value, interval, unit, worded } of golden.quantities) {
    assert.deepEqual(quantity(value, interval, unit), worded);
  }
});

test("ratios are formatted as in windtunnel/text/numbers.py", () => {
  for (const { value, interval, worded } of golden.ratios) {
    assert.deepEqual(ratio(value, interval), worded);
  }
});

test("a unit with the name of an object property is a unit like any other", () => {
  assert.equal(quantity(2, null, "constructor").value, "2.00 constructor");
});

test("ticks have no superfluous digits", () => {
  assert.deepEqual([0.30000000000000004, 1, 20].map((value) => tick(value, null)), ["0.3×", "1×", "20×"]);
  assert.deepEqual([0.002, 0, 1.5].map((value) => tick(value, "seconds")), ["2 ms", "0 s", "1.5 s"]);
  assert.equal(tick(-0.5, null), "−0.5×");
  assert.deepEqual([0, 842, 1_500_000].map((value) => tick(value, "instructions")), ["0", "842", "1.5 M"]);
});

test("counts, hashes and lists are formatted", () => {
  assert.deepEqual([counted(1, "case"), counted(0, "case"), counted(2, "axis", "axes")], ["1 case", "0 cases", "2 axes"]);
  assert.deepEqual([listed([]), listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])], ["", "a", "a and b", "a, b and c"]);
  assert.equal(day(1_700_000_000), "2023-11-14");
  assert.equal(shortHash("0123456789abcdef"), "01234567");
  assert.deepEqual(["3.13t", "pypy3.11"].map(targetTitle), ["Python 3.13t", "pypy3.11"]);
  assert.deepEqual(["failed", "missing"].map(absence), ["failed", "not measured"]);
});

test("a sparkline has heights and gaps", () => {
  assert.deepEqual(heights("0.z"), [0, null, 35]);
});
