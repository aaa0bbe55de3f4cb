// What the reader should know beside the figures.

import { element } from "../dom.js";

/** @param {readonly string[]} notes */
export function noteList(notes) {
  return notes.length === 0 ? null : element("ul", { class: "notes" }, ...notes.map((note) => element("li", {}, note)));
}
