// What is made only when the reader unfolds it.

import { element } from "../dom.js";

/**
 * @param {string} summary
 * @param {() => readonly Node[]} make
 * @param {boolean} [open] from the start
 */
export function unfolding(summary, make, open = false) {
  const details = element("details", { class: "twin", open }, element("summary", {}, summary), ...(open ? make() : []));
  let made = open;
  details.addEventListener("toggle", () => {
    if (details.open && !made) {
      made = true;
      details.append(...make());
    }
  });
  return details;
}
