// Small parts of views: a box that is redrawn when its width changes, a section drawn when it is opened, notes.

import { element, name } from "../dom.js";
import { highlighted } from "../models/choices.js";

/**
 * @template {HTMLElement} T
 * @param {T} box keeps its width whatever is in it
 * @param {(width: number) => Node} draw width in CSS pixels
 * @returns {T}
 */
export function responsive(box, draw) {
  let drawn = 0;
  new ResizeObserver(() => {
    const width = Math.floor(box.clientWidth);
    if (width > 0 && width !== drawn) {
      drawn = width;
      box.replaceChildren(draw(width));
    }
  }).observe(box);
  return box;
}

/**
 * @param {string} summary
 * @param {() => readonly Node[]} make
 * @param {boolean} [open] from the start
 */
export function disclosure(summary, make, open = false) {
  const details = element("details", { class: "disclosure", open }, element("summary", {}, summary), ...(open ? make() : []));
  let made = open;
  details.addEventListener("toggle", () => {
    if (details.open && !made) {
      made = true;
      details.append(...make());
    }
  });
  return details;
}

/** @param {number} hue beyond eight the line is dashed */
export function swatch(hue) {
  return element("span", { class: `swatch series-${hue % 8}${hue < 8 ? "" : " dashed"}`, "aria-hidden": "true" });
}

/** @param {readonly string[]} notes */
export function noteList(notes) {
  return notes.length === 0 ? null : element("ul", { class: "notes" }, ...notes.map((note) => element("li", {}, note)));
}

/**
 * A button that saves a text as a file.
 *
 * @param {string} name
 * @param {"csv" | "json"} kind
 * @param {() => string} make
 */
export function save(name, kind, make) {
  const button = element("button", { type: "button", class: "show-more" }, `Save as ${kind.toUpperCase()}`);
  button.addEventListener("click", () => {
    const url = URL.createObjectURL(new Blob([make()], { type: kind === "csv" ? "text/csv" : "application/json" }));
    element("a", { href: url, download: `${name.replaceAll(/[^\w.-]/g, "_")}.${kind}` }).click();
    setTimeout(() => URL.revokeObjectURL(url));
  });
  return button;
}

/** A name that may wrap, with what a search found in it. @param {string} text @param {readonly string[]} words */
export function marked(text, words) {
  const parts = highlighted(text, words);
  return parts.flatMap((part, at) => [...(at > 0 && /[_./,=]$/.test(parts[at - 1].text) ? [element("wbr")] : []), ...(part.isFound ? [element("mark", {}, ...name(part.text))] : name(part.text))]);
}
