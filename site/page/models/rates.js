// The words and the axis of error rates.

import { counted } from "../format.js";

/** A share in percent with two digits, and at most two decimals; never 0 % for a share above zero. @param {number} share */
export function rateText(share) {
  return `${percentOf(share) === "0" && share > 0 ? Number((share * 100).toPrecision(2)) : percentOf(share)} %`;
}

/** "(0.24 to 6.8 %)": limits need no more than two decimals. @param {{low: number, high: number}} limits */
export function limitsText({ low, high }) {
  return `(${percentOf(low)} to ${percentOf(high)} %)`;
}

/** @param {number} share */
function percentOf(share) {
  const percent = share * 100;
  const rounded = percent > 90 && percent < 99.95 ? percent.toFixed(1) : percent >= 10 ? percent.toFixed(0) : Number(percent.toPrecision(2)).toFixed(2);
  return rounded.includes(".") ? rounded.replace(/\.?0+$/u, "") : rounded;
}

/** "2 of 1,840 comparisons". @param {{hits: number, trials: number}} rate @param {string} noun */
export function rateWords({ hits, trials }, noun) {
  const [number, ...words] = counted(trials, noun).split(" ");
  return `${hits.toLocaleString("en")} of ${Number(number).toLocaleString("en")} ${words.join(" ")}`;
}

/** The axis, from 0 to where the rates and the limit fit; wide intervals may leave it. @param {readonly number[]} rates @param {number | null} limit @returns {import("../charts/scale.js").Scale} */
export function scaleOfRates(rates, limit) {
  const most = Math.max(...rates, limit ?? 0, 0.001) * 1.5;
  const highest = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1].find((each) => each >= most) ?? 1;
  return { kind: "linear", domain: [0, highest], ticks: [0, highest / 2, highest], position: (value) => value / highest };
}
