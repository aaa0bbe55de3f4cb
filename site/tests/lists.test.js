import assert from "node:assert/strict";
import { test } from "node:test";

import { groupsOf, size } from "../page/models/changes.js";
import { range, wordsOf } from "../page/models/choices.js";
import { diffAddress } from "../page/models/commits.js";
import { csv, json } from "../page/models/exports.js";
import { ordered, searcher, treeOf } from "../page/models/search.js";

const aChange = (id, relative_change, more = {}) => ({ id, relative_change, direction: relative_change > 0 ? "regressed" : "improved", status: "current", benchmark: `m.${id}`, params: [], commit: "c", ...more });

test("a search finds what contains every word, inside the module", () => {
  const names = ["io.files.time_Read", "io.net.time_read", "core.time_read", "iot.time_read"].map((name) => ({ name }));
  const search = searcher(names);
  const found = (text, module = "") => search(text, module).length;
  assert.deepEqual([found(""), found("READ time"), found("files read"), found("nothing"), found("read", "io"), found("", "io.net")], [4, 4, 1, 0, 2, 1]);
});

test("unknown values are sorted last", () => {
  const all = [{ name: "a", trend: null, last: null }, { name: "b", trend: -0.5, last: 3 }, { name: "c", trend: 0.5, last: 1 }];
  const order = (by) => ordered(all, by).map(({ name }) => name).join("");
  assert.deepEqual(["name", "slower", "faster", "value"].map(order), ["abc", "cba", "bca", "bca"]);
});

test("the tree counts the benchmarks of each module", () => {
  const tree = treeOf(["a.b.x", "a.c.y", "a.z", "w"].map((name) => ({ name })));
  const [a] = tree.branches;
  assert.deepEqual([tree.count, tree.leaves.length, a.path, a.count, a.branches.map(({ path, count }) => [path, count])], [4, 1, "a", 3, [["a.b", 1], ["a.c", 1]]]);
});

test("events are sorted newest first, and their changes by size; a factor and its inverse have the same size", () => {
  const changes = { changes: [aChange("a", 0.5), aChange("b", -0.5), aChange("c", 0.1), aChange("d", null)], events: [{ id: "e", members: ["a", "b", "gone"] }, { id: "f", members: ["c", "d"] }] };
  const shown = (chosen) => groupsOf(changes, { direction: "both", state: "all", find: "", ...chosen }).map(({ event, members }) => [event.id, members.map(({ id }) => id).join("")]);
  assert.deepEqual(shown({}), [["f", "dc"], ["e", "ba"]]);
  assert.deepEqual(shown({ direction: "regressed" }), [["f", "c"], ["e", "a"]]);
  assert.deepEqual(shown({ find: "m.b" }), [["e", "b"]]);
  assert.equal(size({ relative_change: 1 }), size({ relative_change: -0.5 }));
});

test("a range in the address needs two ascending ends", () => {
  const zoom = (text) => range(new URLSearchParams({ zoom: text }), "zoom");
  assert.deepEqual([zoom("1_2.5"), zoom("2_1"), zoom("_"), zoom("1"), zoom("a_b"), zoom("1_Infinity")], [[1, 2.5], null, null, null, null, null]);
  assert.deepEqual(wordsOf("  Two  words "), ["two", "words"]);
});

test("sites with GitHub's addresses have a link to the code difference", () => {
  const project = (commit_url) => ({ project: { commit_url } });
  const [before, after] = [{ hash: "a" }, { hash: "b" }];
  assert.equal(diffAddress(project("https://h/o/r/commit/"), before, after), "https://h/o/r/compare/a...b");
  assert.equal(diffAddress(project("https://h/cgit?id="), before, after), null);
  assert.equal(diffAddress(project(null), before, after), null);
});

test("a spreadsheet does not read text as a formula", () => {
  const site = { commits: { hash: ["abc"], date: [0] }, targets: [{ name: 'pl"ace' }] };
  const text = csv(site, { params: ["=cmd"], unit: "seconds", series: [{ target: 0, params: ["=1+1"], commits: [0], values: [null], low: [null], high: [null] }] });
  assert.equal(text, "commit,date,target,'=cmd,value (seconds),low,high\r\nabc,1970-01-01T00:00:00.000Z,\"pl\"\"ace\",'=1+1,,,\r\n");
});

test("plain JSON names commits and targets", () => {
  const site = { commits: { hash: ["abc"] }, targets: [{ name: "3.12" }] };
  const benchmark = { name: "a", unit: "seconds", params: [], confidence: 0.95, series: [{ target: 0, params: [], commits: [0], values: [1], low: [null], high: [null] }] };
  assert.deepEqual(JSON.parse(json(site, benchmark)).series, [{ target: "3.12", params: [], commits: ["abc"], values: [1], low: [null], high: [null] }]);
});
