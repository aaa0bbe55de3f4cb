// How steady a history is: what a reader may trust it for.

import { element } from "../dom.js";
import { digits } from "../words.js";
import { steadiness } from "../models/evidence.js";

/** @param {readonly import("../models/history.js").Drawn[]} drawn @param {number} exact the first commit of which each run has its own value */
export function steadyPart(drawn, exact) {
  const found = drawn.flatMap(({ series }) => steadiness(series.values.filter((_, at) => series.commits[at] >= exact)) ?? []);
  if (found.length === 0) {
    return drawn.length === 0 ? null : element("p", { class: "about" }, "How steady it is cannot be said before 21 runs.");
  }
  const most = (/** @type {"middle" | "high" | "runs" | "gaps"} */ key) => Math.max(...found.map((each) => each[key]));
  const words = (/** @type {number} */ share) => `${digits(share * 100)} %`;
  const gaps = most("gaps") > 0 ? ` ${most("gaps")} runs have no value.` : "";
  const of = found.length > 1 ? `In the least steady of ${found.length} series` : `In ${found[0].runs} runs`;
  return element("p", { class: "steady" }, element("strong", {}, "Steadiness: "), `${of}, neighbouring runs differ by ${words(most("middle"))} at the median, and one in twenty by more than ${words(most("high"))}. A single run that differs by less says nothing.${gaps}`);
}
