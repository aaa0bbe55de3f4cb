import assert from "node:assert/strict";
import { test } from "node:test";

import { date, dayWords, digits, monthWords, quantities, sizeInterval, sizeWords, span, trendWords } from "../page/words.js";

test("a size is in words, with two digits", () => {
  const words = [[15.07, "seconds"], [0.2191, "seconds"], [-0.64, "seconds"], [-0.95, "seconds"], [0.1338, "bytes"], [-0.1, "bytes"], [2, "bytes"], [0.5, "unit"], [null, "seconds"], [-1, "seconds"]].map(([relative, unit]) => sizeWords(relative, unit));
  assert.deepEqual(words, ["16 times slower", "22 % slower", "64 % faster", "20 times faster", "13 % more memory", "10 % less memory", "3.0 times as much memory", "50 % more", "from zero", "to zero"]);
});

test("intervals of sizes have the side of the size", () => {
  assert.deepEqual([sizeInterval(13, 17), sizeInterval(0.133, 0.135), sizeInterval(-0.66, -0.62), sizeInterval(-0.01, 0.02)], ["14 – 18×", "13 – 14 %", "62 – 66 %", "−1.0 to +2.0 %"]);
});

test("ranges have two digits, three near 1 or where two are alike, and equal ends are one number", () => {
  assert.deepEqual([span([19.03, 20.97, 19.9]), span([0.985, 1.002]), span([2.99, 2.98]), span([1.77, 1.91]), span([1135, 1183]), span([1.04, 1.08])], ["19 – 21", "0.98 – 1.00", "3.0", "1.8 – 1.9", "1100 – 1200", "1.04 – 1.08"]);
  assert.equal(quantities([0.634, 0.699], "seconds"), "634 – 699 ms");
});

test("a trend within the noise is steady, and an unknown one is nothing", () => {
  assert.deepEqual([trendWords(0, "seconds"), trendWords(null, "seconds"), trendWords(0.1, "seconds"), digits(5.04)], ["steady", "", "10 % slower", "5.0"]);
});

test("days are words, and what is no day stays", () => {
  assert.deepEqual([date(1_700_000_000), dayWords("2026-08-04T10:00:00Z"), dayWords("2026-08-04", false), dayWords(""), monthWords("2026-11-01", "short")], ["14 Nov 2023", "4 August 2026", "4 August", "", "Nov 2026"]);
});
