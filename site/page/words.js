// Words and short numbers for readers: sizes of changes, ranges, days. format.js has numbers with their intervals.

import { fixed, join, scaleFor } from "./format.js";

/** Commits from which on changes show. */
export const FEWEST = 6;

/**
 * The size of a change in words: “16 times slower”, “13 % more memory”.
 *
 * @param {number | null} relative after / before - 1; null where nothing was before
 * @param {string} unit asv's name
 */
export function sizeWords(relative, unit) {
  if (relative === null || relative <= -1) {
    return relative === null ? "from zero" : "to zero";
  }
  const [more, less, times] = unit === "seconds" ? ["slower", "faster", "slower"] : unit === "bytes" ? ["more memory", "less memory", "as much memory"] : ["more", "less", "as much"];
  if (relative >= 1 || (relative <= -0.8 && unit === "seconds")) {
    return relative > 0 ? `${digits(relative + 1)} times ${times}` : `${digits(1 / (1 + relative))} times faster`;
  }
  return `${digits(Math.abs(relative) * 100)} % ${relative > 0 ? more : less}`;
}

/** The interval of a relative change: “14 – 18×”, “13.3 – 13.5 %”. @param {number} low @param {number} high */
export function sizeInterval(low, high) {
  if (low >= 1) {
    return `${span([low + 1, high + 1])}×`;
  }
  const signed = low < 0 && high > 0;
  const [from, to] = high <= 0 ? [-high, -low] : [low, high];
  return signed ? `${digits(low * 100)} to ${high > 0 ? "+" : ""}${digits(high * 100)} %` : `${span([from * 100, to * 100])} %`;
}

/** A trend in words; 0 is within the noise. @param {number | null} relative @param {string} unit */
export function trendWords(relative, unit) {
  return relative === null ? "" : relative === 0 ? "steady" : sizeWords(relative, unit);
}

/** A number with two digits, or three below 1000 if they are whole. @param {number} value */
export function digits(value) {
  const rounded = Number(value.toPrecision(2));
  return fixed(Math.abs(value) >= 1000 ? rounded : value, Math.min(9, decimals(value, 2)));
}

/**
 * A range of numbers with two digits; three near 1, or where two are alike. Equal ends are one number.
 *
 * @param {readonly number[]} values
 * @param {number} [least] digits
 */
export function span(values, least = 2) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const near = low > 0.9 && high < 1.1 ? 3 : least;
  const made = (/** @type {number} */ each) => {
    const places = Math.min(9, decimals(high, each), decimals(low, each));
    const short = (/** @type {number} */ value) => fixed(value >= 1000 ? Number(value.toPrecision(each)) : value, places);
    return [...new Set([short(low), short(high)])];
  };
  const short = made(near);
  return (short.length === 1 && low !== high && near < 3 && high / low > 1.02 ? made(3) : short).join(" – ");
}

/** A range of values with one unit. @param {readonly number[]} values in base units @param {string} unit asv's name */
export function quantities(values, unit) {
  const [factor, name] = scaleFor(Math.max(...values.map(Math.abs)), unit);
  return join(span(values.map((each) => each / factor)), name);
}

/** The decimals for so many significant digits. @param {number} value @param {number} count */
function decimals(value, count) {
  return value === 0 ? 0 : Math.max(0, count - 1 - Math.floor(Math.log10(Math.abs(value) * (1 + 0.5 / 10 ** count))));
}

/** “4 Aug 2026”. @param {number} seconds since 1970 */
export function date(seconds) {
  return new Date(seconds * 1000).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
}

/** “4 August”, with the year if it is not this one. @param {string} iso @param {boolean} [year] */
export function dayWords(iso, year = true) {
  const parsed = new Date(`${iso.slice(0, 10)}T12:00:00Z`);
  return Number.isNaN(parsed.getTime()) ? iso : parsed.toLocaleDateString("en-GB", { day: "numeric", month: "long", ...(year ? { year: "numeric" } : {}), timeZone: "UTC" });
}

/** “May 2023”, in any time zone. @param {string} iso @param {"long" | "short"} [month] */
export function monthWords(iso, month = "long") {
  return new Date(`${iso.slice(0, 7)}-15T12:00:00Z`).toLocaleDateString("en-GB", { month, year: "numeric", timeZone: "UTC" });
}

/** A name without its middle, where it is longer than an even number of letters. @param {string} text @param {number} most */
export function shortened(text, most) {
  return text.length > most ? `${text.slice(0, most / 2 - 1)}…${text.slice(1 - most / 2)}` : text;
}
