import assert from "node:assert/strict";
import { test } from "node:test";

import { commitRange, isShared, missing } from "../page/models/detail.js";

const site = { commits: { date: [10, 20, null, 40, 50] } };

test("a zoomed range names commits, by position or by date", () => {
  assert.deepEqual(commitRange(site, [0.6, 2.2], false), [0, 3]);
  assert.deepEqual(commitRange(site, [15, 45], true), [1, 3]);
  assert.equal(commitRange(site, [60, 70], true), null);
  assert.equal(commitRange(site, null, false), null);
});

test("detail is loaded for short ranges of older commits, once", () => {
  const benchmark = { exact_from: 1000, detailed: null };
  assert.deepEqual(missing(benchmark, [900, 1100]), [900, 999]);
  assert.equal(missing(benchmark, [1000, 1100]), null);
  assert.equal(missing(benchmark, [0, 900]), null);
  assert.equal(missing({ ...benchmark, detailed: [896, 1000] }, [900, 1100]), null);
});

test("an older point stands for several commits until they are loaded", () => {
  assert.ok(isShared({ exact_from: 100, detailed: [64, 100] }, 63));
  assert.ok(!isShared({ exact_from: 100, detailed: [64, 100] }, 64));
  assert.ok(!isShared({ exact_from: 100, detailed: null }, 100));
});
