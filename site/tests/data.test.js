import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { createLoader, DataError, madeInTurns, parse } from "../page/data.js";

const SCHEMA = "windtunnel.site/1";
const good = JSON.stringify({ schema: SCHEMA, commits: 3 });
const answering = (body, status = 200) => createLoader(async () => new Response(body, { status }));
const refuses = (promise, pattern) => assert.rejects(promise, (error) => error instanceof DataError && pattern.test(error.message));

test("a file with the expected format is loaded, compressed or not", async () => {
  assert.equal((await answering(good)("site.json", SCHEMA)).commits, 3);
  assert.equal((await answering(gzipSync(good))("site.json.gz", SCHEMA)).commits, 3);
});

test("every error names the file", async () => {
  const unreachable = createLoader(async () => {
    throw new TypeError("offline");
  });
  await refuses(answering("", 404)("a/b.json", SCHEMA), /^a\/b\.json is missing \(404\)/);
  await refuses(unreachable("a/b.json", SCHEMA), /^a\/b\.json cannot be reached/);
  await refuses(answering("{")("a/b.json", SCHEMA), /^a\/b\.json is broken/);
  await refuses(answering(gzipSync(good).subarray(0, 30))("a/b.json.gz", SCHEMA), /^a\/b\.json\.gz is broken: it cannot be unpacked/);
  await refuses(answering('{"schema":"windtunnel.site/2"}')("a/b.json", SCHEMA), /has the format "windtunnel\.site\/2"; this page reads "windtunnel\.site\/1"/);
});

test("other JSON is refused", () => {
  for (const text of ["null", "[]", "3", '{"schema":"other"}']) {
    assert.throws(() => parse("x.json", text, SCHEMA), DataError);
  }
});

test("long work lets the page do other things in between", async () => {
  let isDone = false;
  setTimeout(() => (isDone = true));
  const busy = (item) => {
    const end = performance.now() + 6;
    while (performance.now() < end);
    return [item, isDone];
  };
  const made = await madeInTurns([1, 2, 3], busy);
  assert.deepEqual([made[0], made[2]], [[1, false], [3, true]]);
});

test("a file is fetched once, and again after a failure", async () => {
  const asked = [];
  const bodies = ["{", good];
  const load = createLoader(async (file) => {
    asked.push(file);
    return new Response(bodies[Math.min(asked.length, bodies.length) - 1]);
  });
  await refuses(load("site.json", SCHEMA), /broken/);
  const [one, other] = await Promise.all([load("site.json", SCHEMA), load("site.json", SCHEMA)]);
  assert.equal(one, other);
  assert.equal(asked.length, 2);
});
