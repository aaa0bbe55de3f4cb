// Compares two sets of runs case by case: ratios, what the runs say about them, the largest difference first.

import { madeInTurns } from "../data.js";
import { matches, wordsOf } from "./choices.js";
import { ERROR, FEWEST_DIFFERENCES, logs, median, neighbours, shift } from "./evidence.js";

/** @typedef {import("./runsets.js").Side} Side */
/** @typedef {import("./types.js").Reading} Reading */
/** @typedef {import("./types.js").Limits} Limits */
/** @typedef {"less" | "more" | "open" | "unknown"} Verdict */

/**
 * @typedef {{value: number | null, limits: Limits, runs: number}} Figure the median of a set, or one run; *limits*: lowest and highest, or the interval of one run
 *
 * @typedef {object} Pair
 * @property {string} benchmark
 * @property {readonly string[]} params
 * @property {string} unit
 * @property {Figure} base
 * @property {Figure} head
 * @property {number | null} ratio head / base; null where one of them has no value or is not above zero
 * @property {[number, number] | null} interval
 * @property {Verdict} verdict
 * @property {string} reason what the verdict rests on, or why there is none
 */

export const SHOWN = ["all", "clear", "slower", "faster"];

/** The variants that the two sides can be limited to. @param {readonly Reading[]} readings */
export function variantsOf(readings) {
  return [...new Set(readings.flatMap(({ params, variant }) => (variant >= 0 ? [params[variant] ?? ""] : [])))];
}

/**
 * The cases that both sides have. When a side is limited to a variant, cases match without regard to the variant.
 *
 * @param {Side} base
 * @param {Side} head
 * @param {{base: string, head: string}} variants the empty string: all
 * @returns {Promise<Pair[]>}
 */
export async function pairs(base, head, variants) {
  const narrowed = variants.base !== "" || variants.head !== "";
  const key = (/** @type {Reading} */ { benchmark, params, variant }) => JSON.stringify([benchmark, ...(narrowed ? params.filter((_, index) => index !== variant) : params)]);
  const fits = (/** @type {Reading} */ { params, variant }, /** @type {string} */ chosen) => !narrowed || (variant >= 0 && (chosen === "" || params[variant] === chosen));
  const known = new Map(base.readings.filter((each) => fits(each, variants.base)).map((each) => [key(each), each]));
  const found = await madeInTurns(head.readings.filter((each) => fits(each, variants.head)), (each) => {
    const other = known.get(key(each));
    return other && (inSet(base, other.values).length || inSet(head, each.values).length) ? [pair(base, other, head, each, narrowed)] : [];
  });
  return found.flat();
}

/** @param {Side} base @param {Reading} before @param {Side} head @param {Reading} after @param {boolean} narrowed @returns {Pair} */
function pair(base, before, head, after, narrowed) {
  const [one, other] = [figure(base, before), figure(head, after)];
  const related = one.value !== null && other.value !== null && one.value > 0 && other.value > 0;
  return {
    benchmark: after.benchmark,
    params: narrowed ? after.params.filter((_, index) => index !== after.variant) : after.params,
    unit: after.unit,
    base: one,
    head: other,
    ...(related ? evidence({ set: base, reading: before, figure: one }, { set: head, reading: after, figure: other }) : { ratio: null, interval: null, verdict: "unknown", reason: "" }),
  };
}

/** @param {Side} set @param {Reading} reading @returns {Figure} */
function figure(set, { values, low, high }) {
  const found = inSet(set, values);
  const { from } = set;
  const own = set.count === 1 && low[from] !== null && high[from] !== null ? /** @type {Limits} */ ([low[from], high[from]]) : null;
  return { value: found.length ? median(found) : null, limits: found.length > 1 ? [Math.min(...found), Math.max(...found)] : own, runs: found.length };
}

/** @param {Side} set @param {readonly (number | null)[]} values @returns {number[]} */
function inSet({ from, count }, values) {
  return values.slice(from, from + count).filter((each) => each !== null);
}

/**
 * @typedef {{set: Side, reading: Reading, figure: Figure}} Measured
 * @param {Measured} base @param {Measured} head
 * @returns {Pick<Pair, "ratio" | "interval" | "verdict" | "reason">}
 */
function evidence(base, head) {
  const [one, other] = [base, head].map(({ set, reading }) => logs(inSet(set, reading.values)).filter((each) => each !== null));
  const { middle, interval } = shift(one, other);
  if (interval !== null) {
    return { ratio: Math.exp(middle), interval: [Math.exp(interval[0]), Math.exp(interval[1])], verdict: side(interval, 0), reason: `${one.length} and ${other.length} runs` };
  }
  const ratio = /** @type {number} */ (head.figure.value) / /** @type {number} */ (base.figure.value);
  if (isSameRun(base.set, head.set)) {
    const both = quotient(head.figure.limits, base.figure.limits);
    return { ratio, interval: both, verdict: both ? side(both, 1) : "unknown", reason: both ? "measured in turns in one run" : "one run, without an interval" };
  }
  return { ratio, interval: null, ...againstHistory(Math.log(ratio), [base, head]) };
}

/**
 * A difference beside those of neighbouring runs; of two targets or branches, the one where it is less exceptional counts.
 *
 * @param {number} difference
 * @param {readonly Measured[]} sides
 * @returns {Pick<Pair, "verdict" | "reason">}
 */
function againstHistory(difference, sides) {
  const [base, head] = sides;
  const [older, newer] = [base.set, head.set];
  const isOneHistory = older.runs[0]?.target === newer.runs[0]?.target && older.branch === newer.branch && base.reading.params.join() === head.reading.params.join();
  const at = newer.runs.findIndex((each) => each.commit === older.runs[older.from].commit);
  const between = [newer.from, at < 0 ? newer.runs.length : at].sort((one, other) => one - other);
  const found = isOneHistory
    ? [neighbours(logs(head.reading.values), difference, /** @type {[number, number]} */ (between))]
    : sides.map(({ reading }) => neighbours(logs(reading.values), difference));
  const [{ larger, of }] = found.sort((one, other) => rarity(other) - rarity(one));
  const rare = rarity({ larger, of }) <= ERROR;
  if (of === 0) {
    return { verdict: "unknown", reason: "no other run to compare with" };
  }
  const words = larger === 0 ? `larger than all ${of} differences between neighbouring runs` : `${larger} of ${of} neighbouring runs differ as much`;
  return { verdict: rare ? side([difference, difference], 0) : larger === 0 && of < FEWEST_DIFFERENCES ? "unknown" : "open", reason: words };
}

/** @param {{larger: number, of: number}} found */
function rarity({ larger, of }) {
  return (1 + larger) / (1 + of);
}

/** @param {Side} one @param {Side} other */
function isSameRun(one, other) {
  const [first, second] = [one, other].map(({ runs, from }) => runs[from]);
  return one.count === 1 && other.count === 1 && first?.commit === second?.commit && first?.target === second?.target;
}

/** @param {readonly [number, number]} interval @param {number} none the value that says that nothing changed @returns {Verdict} */
function side([low, high], none) {
  return high < none ? "less" : low > none ? "more" : "open";
}

/**
 * The interval of the quotient when both values lie in their intervals: wider than necessary, never narrower.
 *
 * @param {Limits} head
 * @param {Limits} base
 * @returns {[number, number] | null}
 */
export function quotient(head, base) {
  return head && base && base[0] > 0 ? [head[0] / base[1], head[1] / base[0]] : null;
}

/** @param {readonly Pair[]} all @param {{show: string, find: string}} chosen */
export function filtered(all, { show, find }) {
  const words = wordsOf(find);
  const fits = (/** @type {Pair} */ { verdict }) => show === "all" || (show === "clear" ? verdict === "less" || verdict === "more" : verdict === (show === "slower" ? "more" : "less"));
  const named = (/** @type {Pair} */ { benchmark, params }) => matches(words, `${benchmark} ${params.join(" ")}`);
  return all.filter((each) => fits(each) && named(each)).sort((one, other) => effect(other) - effect(one));
}

/** Clear differences come first, then the others, and cases without a ratio last. @param {Pair} pair */
function effect({ ratio, verdict }) {
  const size = ratio === null ? -1 : Math.min(1e3, Math.abs(Math.log(ratio)));
  return verdict === "less" || verdict === "more" ? size + 1e4 : size;
}

/** The geometric mean of all ratios. @param {readonly Pair[]} all */
export function overall(all) {
  const known = all.flatMap(({ ratio }) => (ratio !== null ? [Math.log(ratio)] : []));
  return known.length ? Math.exp(known.reduce((sum, each) => sum + each, 0) / known.length) : null;
}
