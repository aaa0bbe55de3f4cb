// What the values of two sets of runs say about their ratio, and where they say too little.

/** The error rate of a verdict on one case. */
export const ERROR = 0.01;
/** Differences between neighbouring runs that are needed before the largest of them is rarer than that. */
export const FEWEST_DIFFERENCES = Math.ceil(1 / ERROR) - 1;

/**
 * The logarithm of the ratio of two sets: the median of all differences, and its distribution-free interval with the error
 * rate ERROR, from the distribution of the Mann-Whitney statistic. (Hodges and Lehmann 1963, doi:10.1214/aoms/1177704172.)
 *
 * @param {readonly number[]} before logarithms of the values of runs
 * @param {readonly number[]} after
 * @returns {{middle: number, interval: [number, number] | null}} null where the sets are too small for the error rate
 */
export function shift(before, after) {
  const differences = new Float64Array(before.length * after.length);
  before.forEach((one, row) => after.forEach((other, column) => (differences[row * after.length + column] = other - one)));
  differences.sort();
  const [count, cut] = [differences.length, rank(before.length, after.length)];
  const middle = (differences[(count - 1) >> 1] + differences[count >> 1]) / 2;
  return { middle, interval: cut === 0 ? null : [differences[cut - 1], differences[count - cut]] };
}

/** @type {Map<string, number>} */
const ranks = new Map();

/**
 * The rank of the lower end of that interval among the differences; 0 where even the smallest has too low a level.
 *
 * @param {number} one size of a set
 * @param {number} other
 */
export function rank(one, other) {
  const key = `${one} ${other}`;
  const known = ranks.get(key);
  if (known !== undefined) {
    return known;
  }
  const ways = arrangements(one, other);
  const all = ways.reduce((sum, each) => sum + each, 0);
  let found = 0;
  for (let sum = ways[0]; sum / all <= ERROR / 2; sum += ways[found]) {
    found += 1;
  }
  ranks.set(key, found);
  return found;
}

/** How many orders of two sets give each value of the Mann-Whitney statistic: a Gaussian binomial coefficient. @param {number} one @param {number} other */
function arrangements(one, other) {
  const ways = new Array(one * other + 1).fill(0);
  ways[0] = 1;
  for (let each = 1; each <= one; each += 1) {
    for (let at = ways.length - 1; at >= other + each; at -= 1) {
      ways[at] -= ways[at - other - each];
    }
    for (let at = each; at < ways.length; at += 1) {
      ways[at] += ways[at - each];
    }
  }
  return ways;
}

/**
 * How many of the differences between neighbouring runs are at least as large; gaps are skipped. The largest one between the
 * two runs that are compared is left out, because it may be the change itself.
 *
 * @param {readonly (number | null)[]} history logarithms of the values of consecutive runs
 * @param {number} difference
 * @param {readonly [number, number]} [compared] the positions of the two runs; none where they are of two histories
 */
export function neighbours(history, difference, [from, to] = [0, 0]) {
  const known = history.flatMap((value, at) => (value === null ? [] : [{ value, at }]));
  const steps = known.slice(1).map(({ value, at }, index) => ({ size: Math.abs(value - known[index].value), isBetween: known[index].at >= from && at <= to }));
  const own = steps.filter(({ isBetween }) => isBetween).reduce((most, { size }) => Math.max(most, size), -1);
  const larger = steps.filter(({ size }) => size >= Math.abs(difference)).length;
  return own < 0 ? { larger, of: steps.length } : { larger: larger - (own >= Math.abs(difference) ? 1 : 0), of: steps.length - 1 };
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** The logarithms of values; null for a gap, and for a value that has none. @param {readonly (number | null)[]} values @returns {(number | null)[]} */
export function logs(values) {
  return values.map((value) => (value !== null && value > 0 ? Math.log(value) : null));
}

/**
 * How much neighbouring runs of a history differ.
 *
 * @param {readonly (number | null)[]} values
 * @returns {{runs: number, gaps: number, middle: number, high: number} | null} relative differences: the median, and what one in twenty exceeds; null for fewer than 20
 */
export function steadiness(values) {
  const known = logs(values).filter((each) => each !== null);
  const steps = known.slice(1).map((each, at) => Math.expm1(Math.abs(each - known[at]))).sort((one, other) => one - other);
  return steps.length < 20 ? null : { runs: known.length, gaps: values.length - known.length, middle: median(steps), high: steps[Math.floor(0.95 * steps.length)] };
}
