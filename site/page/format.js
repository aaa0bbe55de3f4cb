// Formats numbers with units: the only module that converts base units. windtunnel/text/numbers.py does the same in
// Python; tests/golden/numbers.json tests both.

/** @typedef {readonly [number, number] | null} Limits */

/** @type {Record<string, [number, string][]>} */
const SCALES = {
  seconds: [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]],
  bytes: [[1024 ** 3, "GiB"], [1024 ** 2, "MiB"], [1024, "KiB"], [1, "B"]],
  instructions: [[1e9, "G instructions"], [1e6, "M instructions"], [1e3, "k instructions"], [1, "instructions"]],
};

const ABSENCES = new Map([["missing", "not measured"], ["unrelated", "no ratio"]]);
const MOST_DECIMALS = 5;

/**
 * A value with a unit that fits it. The interval has the same unit, without its name, and the same decimals.
 *
 * @param {number} value in base units
 * @param {readonly [number, number] | null} interval in base units
 * @param {string} unit asv's name
 * @returns {{value: string, interval: string | null}}
 */
export function quantity(value, interval, unit) {
  const [factor, name] = scaleFor(size(value, interval), unit);
  /** @type {Limits} */
  const scaled = interval && [interval[0] / factor, interval[1] / factor];
  const decimals = decimalsFor(value / factor, scaled);
  return {
    value: join(fixed(value / factor, decimals), name),
    interval: scaled && range(scaled, decimals),
  };
}

/**
 * A ratio; only the value has the sign. A limit other than 1 is never printed as 1, so that the side of 1 stays visible.
 *
 * @param {number} value
 * @param {readonly [number, number] | null} interval
 * @returns {{value: string, interval: string | null}}
 */
export function ratio(value, interval) {
  let decimals = decimalsFor(value, interval);
  while (decimals < MOST_DECIMALS && interval?.some((limit) => limit !== 1 && fixed(limit, decimals) === fixed(1, decimals))) {
    decimals += 1;
  }
  return { value: `${fixed(value, decimals)}×`, interval: interval && range(interval, decimals) };
}

/**
 * The label of a tick, with few digits; the title of the chart names instructions, which would not fit.
 *
 * @param {number} value in base units
 * @param {string | null} unit asv's name; null for a ratio
 */
export function tick(value, unit) {
  const [factor, name] = unit === null ? [1, ""] : scaleFor(Math.abs(value), unit);
  const text = String(Number((value / factor).toPrecision(6))).replace("-", "−");
  return unit === null ? `${text}×` : join(text, unit === "instructions" ? name.replace(/ ?instructions$/, "") : name);
}

/** @param {number} seconds since 1970 */
export function day(seconds) {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

/** @param {string} hash */
export function shortHash(hash) {
  return hash.slice(0, 8);
}

/** @param {number} count @param {string} one @param {string} [many] */
export function counted(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

/** @param {string} name of a target: a Python, perhaps with a machine */
export function targetTitle(name) {
  return /^\d/.test(name) ? `Python ${name}` : name;
}

/** @param {string} state of a case without a value */
export function absence(state) {
  return ABSENCES.get(state) ?? state;
}

/** The heights of a sparkline from the characters 0-9a-z; a dot is a gap. @param {string} text @returns {(number | null)[]} */
export function heights(text) {
  return [...text].map((char) => (char === "." ? null : parseInt(char, 36)));
}

/** @param {readonly string[]} items @param {string} [last] the word before the last one */
export function listed(items, last = "and") {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} ${last} ${items[items.length - 1]}`;
}

/**
 * The name of a case beside another one: the parameters that they do not share, and its benchmark if that differs.
 *
 * @param {{benchmark: string, params: readonly string[]}} side
 * @param {{benchmark: string, params: readonly string[]}} other
 * @param {readonly string[]} given values that both share
 */
export function caseName({ benchmark, params }, other, given) {
  const same = benchmark === other.benchmark;
  const own = params.filter((value, index) => !given.includes(value) && !(same && value === other.params[index]));
  return [own.map(plain).join(", "), same && own.length ? "" : benchmark].filter(Boolean).join(" · ");
}

/** A parameter's value, after its name where the value is a number. @param {string} name @param {string} value */
export function parameterText(name, value) {
  return name && /^[-+.\d]|^(True|False|None)$/.test(value) ? `${name} ${value}` : plain(value);
}

/** A parameter value for readers, without Python's quotes. @param {string} value */
export function plain(value) {
  return /^'[^'\\]*'$|^"[^"\\]*"$/.test(value) ? value.slice(1, -1) : value;
}

/** @param {number} value @param {Limits} interval */
function size(value, interval) {
  return Math.abs(value) || Math.max(0, ...(interval ?? []).map(Math.abs));
}

/**
 * The unit that fits a magnitude; 0.9995, because what rounds to 1.000 of a unit is shown in that unit.
 *
 * @param {number} magnitude
 * @param {string} unit
 * @returns {[number, string]}
 */
export function scaleFor(magnitude, unit) {
  /** @type {[number, string][]} */
  const scales = Object.hasOwn(SCALES, unit) ? SCALES[unit] : [[1, unit === "unit" ? "" : unit]];
  if (magnitude === 0) {
    return scales.find(([factor]) => factor === 1) ?? scales[0];
  }
  return scales.find(([factor]) => magnitude >= factor * 0.9995) ?? scales[scales.length - 1];
}

/** The decimals for two significant digits of the half-width, and two to five of the value; three without an interval. @param {number} value @param {Limits} interval */
function decimalsFor(value, interval) {
  const magnitude = size(value, interval);
  if (magnitude === 0) {
    return 0;
  }
  const half = interval ? (interval[1] - interval[0]) / 2 / magnitude : 0;
  const digits = half > 0 ? Math.min(5, Math.max(2, Math.ceil(-Math.log10(half)) + 1)) : 3;
  return Math.max(0, digits - 1 - Math.floor(Math.log10(magnitude)));
}

/** @param {readonly number[]} limits @param {number} decimals */
function range([low, high], decimals) {
  return `${fixed(low, decimals)} – ${fixed(high, decimals)}`;
}

/** @param {number} value @param {number} decimals */
export function fixed(value, decimals) {
  const short = decimals <= 9 && Math.abs(value) < 1e7;
  return (short ? value.toFixed(decimals) : value.toExponential(2).replace("e+", "e")).replaceAll("-", "−");
}

/** @param {string} text @param {string} unit */
export function join(text, unit) {
  return unit === "" ? text : `${text} ${unit}`;
}
