// Small parts of views: a section that is made when it is opened, boxes, notes.

import { element } from "../dom.js";

/** @param {string} summary @param {() => readonly Node[]} make @param {boolean} [open] from the start */
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

/** Nodes that are made at once, and how long one task makes more, in milliseconds. */
const [FIRST, TURN] = [6, 10];

/**
 * A box with many nodes: the first ones are there at once, the others follow in short tasks, so that the page answers.
 *
 * @param {readonly (() => Node)[]} makers
 * @param {boolean} [whole] all at once, where the address names a node
 */
export function inTurns(makers, whole = false) {
  const box = element("div");
  const add = (/** @type {number} */ from) => {
    const end = performance.now() + TURN;
    let at = from;
    while (at < makers.length && (whole || at < FIRST || performance.now() < end)) {
      box.append(makers[at]());
      at += 1;
    }
    if (at < makers.length) {
      setTimeout(() => box.parentNode && add(at));
    }
  };
  add(0);
  return box;
}

/** @param {number} hue -1 is grey */
export function swatch(hue) {
  return element("span", { class: `swatch ${hue < 0 ? "context" : `series-${hue}`}`, "aria-hidden": "true" });
}

/** A box that a wide table scrolls in. @param {string} label @param {Node} content */
export function wide(label, content) {
  return element("div", { class: "wide", role: "region", tabindex: 0, "aria-label": label }, content);
}

/** @param {readonly string[]} notes */
export function noteList(notes) {
  return notes.length === 0 ? null : element("ul", { class: "notes" }, ...notes.map((note) => element("li", {}, note)));
}

/** A button that saves a text as a file. @param {string} name @param {"csv" | "json"} kind @param {() => string | Promise<string>} make */
export function save(name, kind, make) {
  const button = element("button", { type: "button", class: "show-more" }, `Save as ${kind.toUpperCase()}`);
  button.addEventListener("click", async () => {
    const url = URL.createObjectURL(new Blob([await make()], { type: kind === "csv" ? "text/csv" : "application/json" }));
    element("a", { href: url, download: `${name.replaceAll(/[^\w.-]/g, "_")}.${kind}` }).click();
    setTimeout(() => URL.revokeObjectURL(url));
  });
  return button;
}
