// Small parts of views: a box that is redrawn when its width changes, a section drawn when it is opened, notes.

import { element } from "../dom.js";

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
 * @param {() => string | Promise<string>} make
 */
export function save(name, kind, make) {
  const button = element("button", { type: "button", class: "show-more" }, `Save as ${kind.toUpperCase()}`);
  button.addEventListener("click", async () => {
    const url = URL.createObjectURL(new Blob([await make()], { type: kind === "csv" ? "text/csv" : "application/json" }));
    element("a", { href: url, download: `${name.replaceAll(/[^\w.-]/g, "_")}.${kind}` }).click();
    setTimeout(() => URL.revokeObjectURL(url));
  });
  return button;
}

/** A heading with an explanation that a “?” opens. @param {string} id @param {string} text @param {string} words */
export function headed(id, text, words) {
  return element("div", { class: "headed" }, element("h2", { id }, text), help(text, words));
}

/** A “?” that explains a term. @param {string} term @param {string} words */
export function help(term, words) {
  const box = element("details", { class: "help" }, element("summary", { "aria-label": `What does “${term}” mean?` }, "?"), element("p", {}, words));
  box.addEventListener("keydown", (event) => {
    box.open = box.open && event.key !== "Escape";
  });
  box.addEventListener("focusout", ({ relatedTarget }) => {
    box.open = box.open && relatedTarget instanceof Node && box.contains(relatedTarget);
  });
  return box;
}
