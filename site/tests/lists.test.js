import assert from "node:assert/strict";
import { test } from "node:test";

import { chosenEvents, size } from "../page/models/changes.js";
import { highlighted, range, wordsOf } from "../page/models/choices.js";
import { diffAddress } from "../page/models/commits.js";
import { csv, json } from "../page/models/exports.js";
import { counts, ordered, searcher } from "../page/models/search.js";

const aChange = (id, relative_change, more = {}) => ({ id, relative_change, direction: relative_change > 0 ? "regressed" : "improved", status: "current", benchmark: `m.${id}`, params: [], commit: "c", ...more });

const aListed = (name, { params = [], unit = "seconds", targets = [0] } = {}) => ({ name, params, unit, targets });
const NONE = { module: "", parameter: "", python: "", unit: "" };

test("a search finds what contains every word, inside the module", () => {
  const search = searcher(["io.files.time_Read", "io.net.time_read", "core.time_read", "iot.time_read"].map((name) => aListed(name)), [{ python: "3.12" }]);
  const found = (text, module = "") => search(text, { ...NONE, module }).length;
  assert.deepEqual([found(""), found("READ time"), found("files read"), found("nothing"), found("read", "io"), found("", "io.net"), found("seconds")], [4, 4, 1, 0, 2, 1, 4]);
});

test("facets narrow each other, and each shows what the others leave", () => {
  const targets = [{ python: "3.9" }, { python: "3.12" }];
  const search = searcher([aListed("a.b.x", { params: ["n"], targets: [0, 1] }), aListed("a.y", { unit: "bytes", targets: [1] }), aListed("z", { params: ["n"] })], targets);
  const counted = (facet, chosen) => counts((each) => search("", each), facet, { ...NONE, ...chosen }, targets);
  assert.deepEqual(counted("python", {}), [["3.9", 2], ["3.12", 2]]);
  assert.deepEqual(counted("module", { python: "3.12" }), [["a", 2], ["a.b", 1]]);
  assert.deepEqual(counted("unit", { parameter: "n", unit: "bytes" }), [["seconds", 2]]);
});

test("what a search found is marked, also where words overlap", () => {
  const shown = (text, words) => highlighted(text, words).map(({ text: part, isFound }) => (isFound ? `[${part}]` : part)).join("");
  assert.deepEqual([shown("io.time_Read", ["read", "io"]), shown("abcd", ["abc", "bcd"]), shown("a", []), shown("\u0130x", ["x"])], ["[io].time_[Read]", "[abcd]", "a", "\u0130x"]);
});

test("the list is ordered by the size of the change, in either direction; unknown values come last", () => {
  const all = [{ name: "a", trend: null, last: null }, { name: "b", trend: -0.5, last: 3 }, { name: "c", trend: 0.5, last: 1 }];
  const order = (by) => ordered(all, by).map(({ name }) => name).join("");
  assert.deepEqual(["name", "change", "value"].map(order), ["abc", "bca", "bca"]);
});

test("files of events are loaded when they are needed, and a filter sees every change of an event", async () => {
  const files = { "1": [{ event: { id: "f" }, members: [aChange("c", 0.1), aChange("d", null)], member_count: 2, file: null }], "2": [{ event: { id: "e" }, members: [aChange("a", 0.5)], member_count: 2, file: "more" }] };
  const loaded = [];
  const data = {
    events: async (block) => { loaded.push(block); return files[block]; },
    members: async ({ members, file }) => { if (file) { loaded.push(file); } return file ? [...members, aChange("b", -0.4)] : members; },
  };
  const shown = async (chosen) => {
    const found = [];
    for await (const { event, members, count } of chosenEvents(data, ["1", "2"], { direction: "both", state: "all", find: "", ...chosen })) {
      found.push([event.id, members.map(({ id }) => id).join(""), count]);
    }
    return found;
  };
  const events = chosenEvents(data, ["1", "2"], { direction: "both", state: "all", find: "" });
  assert.equal((await events.next()).value.event.id, "f");
  assert.deepEqual(loaded, ["1"]);
  assert.deepEqual(await shown({}), [["f", "dc", 2], ["e", "a", 2]]);
  assert.ok(!loaded.includes("more"));
  assert.deepEqual(await shown({ direction: "regressed" }), [["f", "c", 1], ["e", "a", 1]]);
  assert.deepEqual(await shown({ find: "m.b" }), [["e", "b", 1]]);
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
