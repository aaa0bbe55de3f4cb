import assert from "node:assert/strict";
import { test } from "node:test";

import { format, parse } from "../page/state.js";

const choices = { places: ["3.12", "3.13, lab"], loads: ["quick", "standard"], load: "quick" };

test("an address without a query is the default", () => {
  assert.deepEqual(parse("", choices), { python: "all", load: "quick", show: "ratio", find: "" });
});

test("every state survives the address", () => {
  for (const state of [
    { python: "3.13, lab", load: "standard", show: "time", find: "a b&c=<d>" },
    { python: "all", load: "quick", show: "ratio", find: "" },
  ]) {
    assert.deepEqual(parse(format(state, choices), choices), state);
  }
});

test("what is the default is not in the address", () => {
  assert.equal(format(parse("?python=all&load=quick", choices), choices), "?");
});

test("what does not exist falls back to the default", () => {
  assert.deepEqual(parse("?python=2.7&load=huge&show=magic&other=1", choices), parse("", choices));
});
