// One figure with its interval, formatted in the same way on all pages.

import { element } from "../dom.js";
import { absence, quantity, ratio as worded } from "../format.js";
import { verdict } from "../models/scenarios.js";

// Longer than any value with a unit of ours: may be broken into lines.
const LONG = 16;

const VERDICTS = {
  seconds: { less: "faster", more: "slower", open: "no clear difference", unknown: "needs more samples" },
  other: { less: "less", more: "more", open: "no clear difference", unknown: "needs more samples" },
};

/**
 * @param {import("../types.js").ScenarioCase["result"]} result
 * @param {string} unit
 */
export function resultParts(result, unit) {
  if (typeof result === "string") {
    return [element("span", { class: `absent ${result}` }, absence(result))];
  }
  const { value, interval } = quantity(result.value, result.interval, unit);
  return figure(value, interval);
}

/**
 * @param {ReturnType<typeof import("../models/scenarios.js").groups>[number]["rows"][number]} row
 * @param {string} unit
 */
export function ratioParts({ reference, ratio, result }, unit) {
  if (reference) {
    return [element("span", { class: "verdict" }, "reference")];
  }
  if (ratio === null) {
    return typeof result === "string" ? [] : [element("span", { class: "absent" }, "no ratio")];
  }
  const kind = verdict(ratio);
  const { value, interval } = worded(ratio.value, ratio.interval);
  return figure(value, interval, verdictPart(kind, unit));
}

/** @param {ReturnType<typeof verdict>} kind @param {string} unit */
export function verdictPart(kind, unit) {
  return element("span", { class: `verdict ${kind}` }, VERDICTS[unit === "seconds" ? "seconds" : "other"][kind]);
}

/** @param {string} value @param {string | null} interval @param {HTMLElement | null} verdict */
function figure(value, interval, verdict = null) {
  const whole = value.length < LONG ? value.replaceAll(" ", "\u00a0") : value;
  const parts = [element("span", { class: "value" }, whole), " ", verdict];
  return [...parts.filter((part) => part !== null), element("span", { class: "interval" }, interval ?? "interval unknown")];
}
