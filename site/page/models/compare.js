// Compares two runs case by case: ratios with intervals, the largest difference first.

import { wordsOf } from "./choices.js";

/** @typedef {import("./types.js").Reading} Reading */
/** @typedef {"less" | "more" | "open" | "unknown"} Verdict */

/**
 * @typedef {object} Pair
 * @property {string} benchmark
 * @property {readonly string[]} params
 * @property {string} unit
 * @property {Reading} base
 * @property {Reading} head
 * @property {number | null} ratio head / base; null where one of them has no value or the base is not above zero
 * @property {[number, number] | null} interval
 * @property {Verdict} verdict
 */

export const SHOWN = ["all", "clear", "slower", "faster"];

/**
 * The variants that the two sides can be limited to.
 *
 * @param {readonly Reading[]} readings
 */
export function variantsOf(readings) {
  return [...new Set(readings.flatMap(({ params, variant }) => (variant >= 0 ? [params[variant] ?? ""] : [])))];
}

/**
 * The cases that both sides have. When a side is limited to a variant, cases match without regard to the variant.
 *
 * @param {readonly Reading[]} base
 * @param {readonly Reading[]} head
 * @param {{base: string, head: string}} variants the empty string: all
 * @returns {Pair[]}
 */
export function pairs(base, head, variants) {
  const narrowed = variants.base !== "" || variants.head !== "";
  const key = (/** @type {Reading} */ { benchmark, params, variant }) => JSON.stringify([benchmark, ...(narrowed ? params.filter((_, index) => index !== variant) : params)]);
  const fits = (/** @type {Reading} */ { params, variant }, /** @type {string} */ chosen) => !narrowed || (variant >= 0 && (chosen === "" || params[variant] === chosen));
  const known = new Map(base.filter((each) => fits(each, variants.base)).map((each) => [key(each), each]));
  return head
    .filter((each) => fits(each, variants.head))
    .flatMap((each) => {
      const other = known.get(key(each));
      return other ? [pair(other, each, narrowed)] : [];
    });
}

/** @param {Reading} base @param {Reading} head @param {boolean} narrowed @returns {Pair} */
function pair(base, head, narrowed) {
  const related = base.value !== null && head.value !== null && base.value > 0;
  const interval = related ? quotient(head.interval, base.interval) : null;
  return {
    benchmark: head.benchmark,
    params: narrowed ? head.params.filter((_, index) => index !== head.variant) : head.params,
    unit: head.unit,
    base,
    head,
    ratio: related ? /** @type {number} */ (head.value) / /** @type {number} */ (base.value) : null,
    interval,
    verdict: interval === null ? "unknown" : interval[1] < 1 ? "less" : interval[0] > 1 ? "more" : "open",
  };
}

/**
 * The interval of the quotient when both values lie in their intervals: wider than necessary, never narrower.
 *
 * @param {import("./types.js").Limits} head
 * @param {import("./types.js").Limits} base
 * @returns {[number, number] | null}
 */
export function quotient(head, base) {
  return head && base && base[0] > 0 ? [head[0] / base[1], head[1] / base[0]] : null;
}

/**
 * @param {readonly Pair[]} all
 * @param {{show: string, find: string}} chosen
 */
export function filtered(all, { show, find }) {
  const words = wordsOf(find);
  const fits = (/** @type {Pair} */ { verdict }) => show === "all" || (show === "clear" ? verdict === "less" || verdict === "more" : verdict === (show === "slower" ? "more" : "less"));
  const named = (/** @type {Pair} */ { benchmark, params }) => words.every((word) => `${benchmark} ${params.join(" ")}`.toLowerCase().includes(word));
  return all.filter((each) => fits(each) && named(each)).sort((one, other) => effect(other) - effect(one));
}

/** Cases without a ratio come last. @param {Pair} pair */
function effect({ ratio }) {
  return ratio === null ? -1 : ratio <= 0 ? Infinity : Math.abs(Math.log(ratio));
}

/** The geometric mean of all ratios. @param {readonly Pair[]} all */
export function overall(all) {
  const logs = all.flatMap(({ ratio }) => (ratio !== null && ratio > 0 ? [Math.log(ratio)] : []));
  return logs.length ? Math.exp(logs.reduce((sum, each) => sum + each, 0) / logs.length) : null;
}
