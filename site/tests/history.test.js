import assert from "node:assert/strict";
import { test } from "node:test";

import { historyAddress } from "../page/views/history.js";

test("the address of a history is what asv's pages read", () => {
  const address = historyAddress("asv/", "sleep.Sleep.time_run", { name: "load", value: "'quick'" });
  assert.equal(address, "asv/#sleep.Sleep.time_run?p-load='quick'");
});

test("names cannot break out of their place in the address", () => {
  const address = historyAddress("asv/", "a?b#c&d", { name: "x=y", value: "1&z=2" });
  assert.equal(address, "asv/#a%3Fb%23c%26d?p-x%3Dy=1%26z%3D2");
});

test("without asv's pages there is no address", () => {
  assert.equal(historyAddress(null, "a", null), null);
});
