// What the commit that a bisection found changed: a differential flame graph of both commits, and its figures as tables.

import { element, link, name as broken, svg, table } from "../dom.js";
import { change as worded, counted, quantity, shortHash } from "../format.js";
import { added, fitting, functionCosts, placed, reached, seen, shade } from "../models/flame.js";
import { disclosure, help, responsive } from "./parts.js";

const ROW = 22;
const LETTER = 7.3;
/** Narrower frames are not drawn, in pixels; those without a label are still seen. */
const LEAST = 1.5;
const FUNCTIONS = 8;
/** Smaller differences, as shares of the whole, are not listed. */
const SMALLEST = 0.005;
const WORDS = "A row is a call within the one above it. Its width is what it costs on both commits together, with what it calls. Orange costs more after the change, green less, the stronger the more; a line is around the functions that the commit changes. Costs are for one call of the benchmark. Choose a frame to fill the width with it, and again to go back.";
/** What a reader must know about the costs. @type {Record<string, string>} */
const CAVEATS = {
  seconds: "Times under a profiler, without its own share: they are noisy, and may differ from the change of the benchmark.",
  instructions: "The total of a function is exact; its part in one of several stacks is an estimate by time.",
};

/** @typedef {import("../types.js").FlameGraphData} FlameGraphData */
/** @typedef {import("../models/flame.js").Placed} Placed */
/** @typedef {(path: string) => Promise<FlameGraphData>} Load */

/**
 * The flame graph of an alert, loaded when it is opened; null where its bisection left none.
 *
 * @param {import("../types.js").ShownAlert} alert
 * @param {Load} load
 * @param {string | null} commits the prefix of commits' addresses
 * @param {boolean} [open] from the start
 */
export function flamePart({ flame_graph: path, bisection }, load, commits, open = false) {
  if (!path || !bisection) {
    return null;
  }
  const make = () => {
    const box = element("div", { class: "flame" }, "Loading…");
    void load(path).then((data) => box.replaceChildren(...flameParts(data, commits)), () => box.replaceChildren("The flame graph could not be loaded. Reload the page."));
    return [box];
  };
  return disclosure(`Flame graph of ${shortHash(bisection.after)}: which functions do more or less work`, make, open);
}

/** @param {FlameGraphData} data @param {string | null} commits @returns {Node[]} */
function flameParts({ before, after, graph: { case: name, unit, frames: all } }, commits) {
  const frames = placed(all);
  const [{ base, head }] = frames;
  const hash = (/** @type {string} */ each) => element("code", {}, link(commits && `${commits}${each}`, shortHash(each)));
  const size = element("strong", {}, changeWords(base, head));
  return [
    element("div", { class: "headed" }, element("p", { class: "lead" }, ...broken(name), `: ${costs(base, head, unit)} per call, `, size, ", from ", hash(before), " to ", hash(after)), help("flame graph", WORDS)),
    flameFigure(frames, unit, `${name}, flame graph of ${counted(frames.length, "frame")}. Arrow keys move from call to call, Enter zooms, Escape shows all. The tables below have the figures.`),
    element("p", { class: "aside" }, CAVEATS[unit]),
    functionTable(frames, unit),
    disclosure("Figures of all frames", () => [frameTable(frames, unit, name)]),
  ].filter((each) => each !== null);
}

/** @param {readonly Placed[]} frames @param {string} unit @param {string} label */
function flameFigure(frames, unit, label) {
  let [zoom, at, width] = [0, 0, 0];
  const point = element("figcaption", { class: "flame-point" });
  const show = (/** @type {number} */ index) => point.replaceChildren(...broken(sentence(frames[index], unit)));
  const draw = () => drawing(frames, { zoom, at, width, unit, label });
  const box = responsive(element("div", { class: "flame-box" }), (wide) => {
    width = wide;
    return draw();
  });
  const focus = () => /** @type {SVGElement | null} */ (box.querySelector(`[data-at="${at}"]`))?.focus();
  const fill = (/** @type {number} */ index) => {
    [zoom, at] = [zoom === index ? 0 : index, index];
    box.replaceChildren(draw());
    focus();
  };
  const press = (/** @type {KeyboardEvent} */ event) => {
    const index = indexOf(event);
    if (index === null || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (event.key === "Enter" || event.key === " ") {
      fill(index);
    } else if (event.key === "Escape" && zoom !== 0) {
      fill(zoom);
    } else if (event.key.startsWith("Arrow") || event.key === "Home") {
      const nodes = [...box.querySelectorAll("[data-at]")];
      at = reached(frames, nodes.map(place), index, event.key);
      nodes.forEach((each) => each.setAttribute("tabindex", place(each) === at ? "0" : "-1"));
      focus();
    } else {
      return;
    }
    event.preventDefault();
  };
  const describe = (/** @type {Event} */ event) => show(indexOf(event) ?? at);
  box.addEventListener("click", (event) => {
    const index = indexOf(event);
    index === null || fill(index);
  });
  box.addEventListener("keydown", press);
  box.addEventListener("focusin", describe);
  box.addEventListener("pointerover", describe);
  show(0);
  return element("figure", { class: "flame-figure" }, box, point);
}

/** The frame of an event; null for none. @param {Event} event */
function indexOf(event) {
  const node = event.target instanceof Element ? event.target.closest("[data-at]") : null;
  return node && place(node);
}

/** The index of the frame of a node. @param {Element} node */
function place(node) {
  return Number(node.getAttribute("data-at"));
}

/**
 * @param {readonly Placed[]} frames
 * @param {{zoom: number, at: number, width: number, unit: string, label: string}} look *at*: the frame that Tab reaches
 */
function drawing(frames, { zoom, at, width, unit, label }) {
  const shown = seen(frames, zoom, width, LEAST);
  const stop = shown.some((each) => each.at === at) ? at : zoom;
  const height = (1 + Math.max(...shown.map((each) => frames[each.at].depth))) * ROW;
  const node = (/** @type {{at: number, x: number, wide: number}} */ { at: index, x, wide }) => {
    const frame = frames[index];
    const kinds = ["frame", shade(frame.base, frame.head), frame.touched ? "touched" : ""].filter(Boolean).join(" ");
    const top = frame.depth * ROW;
    const words = labelOf(frame, Math.floor((wide - 8) / LETTER));
    return svg(
      "g",
      { class: kinds, role: "button", tabindex: index === stop ? 0 : -1, "data-at": index, "aria-label": sentence(frame, unit) },
      svg("rect", { x: x + 1, y: top + 1, width: Math.max(0.5, wide - 2), height: ROW - 2, rx: 2 }),
      words === "" ? null : svg("text", { x: x + 5, y: top + 15, "aria-hidden": "true" }, words),
    );
  };
  return svg("svg", { class: "flame-graph", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label }, ...shown.map(node));
}

/** The name with the change, or as much as fits. @param {Placed} frame @param {number} letters */
function labelOf({ name, base, head }, letters) {
  const whole = `${name} ${changeWords(base, head)}`;
  return shade(base, head) !== "" && whole.length <= letters ? whole : fitting(name, letters);
}

/** @param {Placed} frame @param {string} unit */
function sentence({ name, place, base, head, touched }, unit) {
  const where = [place, touched ? "changed by the commit" : ""].filter(Boolean).join(", ");
  return `${name}${where ? ` (${where})` : ""}: ${costs(base, head, unit)}, ${changeWords(base, head)}`;
}

/** The functions whose own cost changed most. @param {readonly Placed[]} frames @param {string} unit */
function functionTable(frames, unit) {
  const whole = Math.max(frames[0].base, frames[0].head);
  const rows = functionCosts(frames).filter(({ base, head }) => Math.abs(head - base) >= SMALLEST * whole).slice(0, FUNCTIONS);
  if (rows.length === 0) {
    return null;
  }
  const cells = rows.map(({ name, place, touched, base, head }) => [
    [...broken(name), element("span", { class: "detail" }, ...broken([place || "compiled code", touched ? "changed by the commit" : ""].filter(Boolean).join(", ")))],
    [`${cost(base, unit)} → ${cost(head, unit)}`, element("span", { class: "detail" }, changeWords(base, head))],
    [added(head - base, frames[0].base)],
  ]);
  const caption = `Functions whose own ${noun(unit)} changed most, per call of the benchmark, without what they call`;
  return table({ caption, kind: "functions", head: ["function", `own ${noun(unit)}`, "adds to the whole"], rows: cells });
}

/** @param {readonly Placed[]} frames @param {string} unit @param {string} name */
function frameTable(frames, unit, name) {
  const rows = frames.map((frame) => [broken(frame.name), [String(frame.depth)], [cost(frame.base, unit)], [cost(frame.head, unit)], [changeWords(frame.base, frame.head)], [...broken(frame.place)]]);
  const caption = `${name}: every frame of the flame graph, each before those in it, in ${noun(unit)} per call`;
  return element("div", { class: "wide", role: "region", tabindex: 0, "aria-label": `Frames of ${name}` }, table({ caption, kind: "frames", head: ["function", "level", "before", "after", "change", "place"], rows }));
}

/** @param {number} value @param {string} unit */
function cost(value, unit) {
  return quantity(value, null, unit).value.replace(/ ?instructions$/, "").replace(" ", "\u00a0");
}

/** @param {number} base @param {number} head @param {string} unit */
function costs(base, head, unit) {
  return `${cost(base, unit)} → ${cost(head, unit)}${unit === "instructions" ? " instructions" : ""}`;
}

/** @param {string} unit */
function noun(unit) {
  return unit === "seconds" ? "time" : unit;
}

/** @param {number} base @param {number} head */
function changeWords(base, head) {
  if (base === head) {
    return "0 %";
  }
  return base === 0 ? "new" : head === 0 ? "gone" : worded(head / base - 1, null).value;
}
