import assert from "node:assert/strict";
import { test } from "node:test";

import { DataError, load, parse } from "../page/data.js";

const answer = (body, status = 200) => async () => new Response(body, { status });
const refuses = (promise, pattern) => assert.rejects(promise, (error) => error instanceof DataError && pattern.test(error.message));

test("an overview of the right version is taken", async () => {
  const text = '{"format":"windtunnel/overview","version":1}';
  assert.deepEqual(await load(answer(text)), JSON.parse(text));
});

test("whatever is wrong is said with the name of the file", async () => {
  const unreachable = async () => {
    throw new TypeError("offline");
  };
  await refuses(load(answer("", 404)), /overview\.json is missing \(404\)/);
  await refuses(load(unreachable), /overview\.json cannot be reached/);
  await refuses(load(answer("{")), /overview\.json is broken/);
  await refuses(load(answer('{"format":"windtunnel/overview","version":2}')), /version 2; this page reads version 1/);
});

test("other JSON is no overview", () => {
  for (const text of ["null", "[]", "3", '{"format":"other"}']) {
    assert.throws(() => parse(text), DataError);
  }
});
