// Converts values to positions on an axis and chooses its ticks.

// Ticks in a decade, from many to few.
const MANTISSAS = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 4, 6, 8], [1, 2, 5], [1, 3]];

/**
 * @typedef {object} Scale
 * @property {"linear" | "log"} kind
 * @property {readonly [number, number]} domain
 * @property {readonly number[]} ticks ascending, inside the domain
 * @property {(value: number) => number} position 0 at the left end, 1 at the right end; outside values are beyond
 */

/**
 * A scale that shows all *values* with some space: logarithmic where they differ much and all are positive.
 *
 * @param {readonly number[]} values at least one, finite
 * @param {number} most how many ticks there is room for
 * @param {string} [unit] asv's word: ticks of bytes are powers of two
 * @returns {Scale}
 */
export function scaleOf(values, most, unit) {
  const low = values.reduce((least, each) => Math.min(least, each));
  const high = values.reduce((most, each) => Math.max(most, each));
  return low > 0 && high / low >= 3 ? logarithmic(low, high, most) : linear(low, high, most, unit === "bytes");
}

/** @param {number} low @param {number} high @param {number} most ticks @param {number} [share] of the width that is left free at each end @returns {Scale} */
export function logarithmic(low, high, most, share = 0.04) {
  const air = Math.max(Math.log(high / low) * share, 0.005);
  /** @type {[number, number]} */
  const domain = [low * Math.exp(-air), high * Math.exp(air)];
  const width = Math.log(domain[1] / domain[0]);
  return {
    kind: "log",
    domain,
    ticks: logTicks(domain, most),
    position: (value) => (value > 0 ? Math.log(value / domain[0]) / width : -Infinity),
  };
}

/**
 * An axis spans at least a tenth of its middle, so that noise does not fill the chart.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} most
 * @param {boolean} binary
 * @returns {Scale}
 */
function linear(low, high, most, binary) {
  const middle = (low + high) / 2;
  const reach = Math.max((high - low) * 0.54, Math.abs(middle) * 0.05, Number.MIN_VALUE * 4) || 1;
  /** @type {[number, number]} */
  const domain = [middle - reach, middle + reach];
  return {
    kind: "linear",
    domain,
    ticks: linearTicks(domain, most, binary),
    position: (value) => (value - domain[0]) / (domain[1] - domain[0]),
  };
}

/** @param {[number, number]} domain @param {number} most @param {boolean} binary */
function linearTicks([low, high], most, binary) {
  const step = stepOf((high - low) / Math.max(1, most), binary);
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** The first round step that is at least as long. @param {number} rough @param {boolean} binary */
function stepOf(rough, binary) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return binary ? 2 ** Math.ceil(Math.log2(rough)) : ([1, 2, 2.5, 5, 10].map((mantissa) => mantissa * power).find((candidate) => candidate >= rough) ?? rough);
}

/** @param {[number, number]} domain @param {number} most */
function logTicks([low, high], most) {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, index) => first + index);
  const inside = (/** @type {number} */ value) => value >= low && value <= high;
  for (const mantissas of MANTISSAS) {
    const ticks = powers.flatMap((power) => mantissas.map((mantissa) => Number(`${mantissa}e${power}`))).filter(inside);
    if (ticks.length <= most) {
      return ticks;
    }
  }
  const decades = powers.map((power) => Number(`1e${power}`)).filter(inside);
  const every = Math.ceil(decades.length / most);
  return decades.filter((_, index) => index % every === 0);
}
