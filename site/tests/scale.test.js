import assert from "node:assert/strict";
import { test } from "node:test";

import { scaleOf } from "../page/charts/scale.js";

const MOST = 6;

test("all values are inside the axis, with space at both ends", () => {
  for (const values of [[1, 2], [0.001, 30], [0, 5], [-3, 4], [7]]) {
    const { position } = scaleOf(values, MOST);
    for (const value of values) {
      assert.ok(position(value) > 0 && position(value) < 1, `${value} of ${values}`);
    }
  }
});

test("positive values that differ threefold have a logarithmic axis", () => {
  assert.equal(scaleOf([1, 3], MOST).kind, "log");
  assert.equal(scaleOf([1, 2.9], MOST).kind, "linear");
  assert.equal(scaleOf([0, 300], MOST).kind, "linear");
});

test("halving and doubling have the same length on a logarithmic axis", () => {
  const { position } = scaleOf([0.1, 10], MOST);
  assert.ok(Math.abs(position(1) - position(0.5) - (position(2) - position(1))) < 1e-12);
  assert.equal(position(0), -Infinity);
});

test("nearly equal values do not fill the axis", () => {
  const { domain } = scaleOf([1, 1.0001], MOST);
  assert.ok(domain[1] - domain[0] > 0.09);
});

test("ticks ascend, are inside the axis and do not exceed the maximum number", () => {
  for (const values of [[1, 2], [0.3, 1.1], [1e-9, 1e6], [0, 5], [5, 5], [0, 0], [-2, 3], [1e-300, 2e-300]]) {
    for (const most of [2, 4, 8]) {
      const { ticks, domain } = scaleOf(values, most);
      assert.ok(ticks.length <= most + 1, `${ticks} for ${most}`);
      assert.ok(ticks.every((tick, index) => tick >= domain[0] && tick <= domain[1] && !(tick <= ticks[index - 1])), `${ticks} in ${domain}`);
    }
  }
  assert.deepEqual(scaleOf([0.33, 1], 4).ticks, [0.4, 0.6, 0.8, 1]);
  assert.deepEqual(scaleOf([1, 1000], 4).ticks, [1, 10, 100, 1000]);
});
