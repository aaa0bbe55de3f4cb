import assert from "node:assert/strict";
import { test } from "node:test";

import { added, fitting, functionCosts, placed, reached, seen, shade } from "../page/models/flame.js";

const frame = (depth, name, base, head, touched = false) => ({ depth, name, place: `pkg/${name}.py:1`, base, head, touched });
const FRAMES = placed([
  frame(0, "benchmark", 100, 300),
  frame(1, "parse", 80, 270, true),
  frame(2, "split", 20, 220),
  frame(2, "strip", 30, 30),
  frame(1, "strip", 20, 20),
]);

test("a frame is as wide as its cost on both commits, within the one around it and beside the others", () => {
  assert.deepEqual(FRAMES.map(({ left, width, parent }) => [left, width, parent]), [[0, 1, -1], [0, 0.875, 0], [0, 0.6, 1], [0.6, 0.15, 1], [0.875, 0.1, 0]]);
});

test("frames that cost more than the one around them end at the edge", () => {
  const [, one, other] = placed([frame(0, "all", 1, 1), frame(1, "most", 1, 0.6), frame(1, "more", 1, 1)]);
  assert.deepEqual([one.left, one.width], [0, 0.8]);
  assert.ok(Math.abs(other.left + other.width - 1) < 1e-12);
});

test("a frame that fills the width is seen with those around it and in it", () => {
  const shown = seen(FRAMES, 1, 700, 1);
  assert.deepEqual(shown.map(({ at }) => at), [0, 1, 2, 3]);
  assert.deepEqual(shown.map(({ x, wide }) => [Math.round(x), Math.round(wide)]), [[0, 700], [0, 700], [0, 480], [480, 120]]);
  assert.deepEqual(seen(FRAMES, 0, 400, 50).map(({ at }) => at), [0, 1, 2, 3]);
});

test("a graph without any cost has places for its frames", () => {
  const shown = seen(placed([frame(0, "all", 1, 0), frame(1, "none", 0, 0)]), 1, 100, 1);
  assert.ok(shown.every(({ x, wide }) => Number.isFinite(x) && Number.isFinite(wide)));
});

test("arrow keys go to what is called, to the caller and to the calls beside it, but never out of the graph", () => {
  const all = FRAMES.map((_, index) => index);
  const go = (at, ...keys) => keys.reduce((here, key) => reached(FRAMES, all, here, key), at);
  assert.equal(go(0, "ArrowDown", "ArrowDown", "ArrowRight"), 3);
  assert.equal(go(3, "ArrowUp", "ArrowRight", "ArrowRight"), 4);
  assert.deepEqual([go(0, "ArrowUp"), go(4, "ArrowDown"), go(2, "ArrowLeft"), go(4, "Home"), go(2, "x")], [0, 4, 2, 0, 2]);
  assert.equal(reached(FRAMES, [0, 1], 1, "ArrowDown"), 1, "frames that are not drawn are not reached");
});

test("own costs of a function are those of all its frames without what they call, the largest difference first", () => {
  const found = functionCosts(FRAMES).map(({ name, base, head, touched }) => [name, base, head, touched]);
  assert.deepEqual(found, [["split", 20, 220, false], ["parse", 30, 20, true], ["strip", 50, 50, false]]);
});

test("a shade has a direction and a strength; half a percent is none", () => {
  assert.deepEqual([[100, 100.4], [100, 105], [100, 120], [100, 300], [0, 1], [1, 0], [0, 0]].map(([base, head]) => shade(base, head)), ["", "more-1", "more-2", "more-3", "more-3", "less-3", ""]);
});

test("a label is the name, its last part, or the beginning of that", () => {
  assert.deepEqual([20, 8, 5, 2].map((letters) => fitting("Parser.parse_all", letters)), ["Parser.parse_all", "parse_a…", "pars…", ""]);
  assert.equal(fitting("Parser.parse_all", 9), "parse_all");
});

test("what a function adds is a share of the whole with its sign", () => {
  assert.deepEqual([added(86.2, 100), added(-3, 100), added(0.001, 100), added(1, 0)], ["+86 %", "−3.0 %", "0 %", "–"]);
});
