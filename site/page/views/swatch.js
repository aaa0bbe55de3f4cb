// The colour of a line beside its name.

import { element } from "../dom.js";

/** @param {number} hue beyond eight the line is dashed */
export function swatch(hue) {
  return element("span", { class: `swatch series-${hue % 8}${hue < 8 ? "" : " dashed"}`, "aria-hidden": "true" });
}
