// What the reader can choose. A control with a single choice is no control and is left out.

import { element } from "./dom.js";
import { ALL } from "../state.js";

/**
 * @param {ReturnType<typeof import("../model.js").choicesOf>} choices
 * @param {import("../types.js").Overview} overview
 * @param {(change: Partial<import("../state.js").State>) => void} change
 */
export function controls(choices, overview, change) {
  const all = [[ALL, "all"], ...choices.places.map((name) => [name, name])];
  const shows = [["ratio", "ratio to the reference"], ["time", "time"]];
  const fields = [
    choices.places.length > 1 ? choice("python", "Python", all, change) : null,
    choices.loads.length > 1 ? choice("load", "Load", choices.loads.map((name) => [name, name]), change) : null,
    overview.scenarios.length > 0 ? choice("show", "Plots show", shows, change) : null,
  ].filter((field) => field !== null);
  return fields.length ? element("form", { class: "controls", "aria-label": "What is shown" }, ...fields) : null;
}

/**
 * Let the controls show what the state says.
 *
 * @param {ParentNode} root
 * @param {import("../state.js").State} state
 */
export function reflect(root, state) {
  for (const [name, value] of Object.entries(state)) {
    const field = root.querySelector(`[name="${name}"]`);
    if (field !== null && field.value !== value) {
      field.value = value;
    }
  }
}

/** @param {(change: Partial<import("../state.js").State>) => void} change */
export function finder(change) {
  const input = element("input", { type: "search", name: "find", autocomplete: "off", spellcheck: "false" });
  input.addEventListener("input", () => change({ find: input.value }));
  return element("label", { class: "finder" }, "Find a benchmark", input);
}

function choice(name, label, options, change) {
  const select = element("select", { name }, ...options.map(([value, text]) => element("option", { value }, text)));
  select.addEventListener("change", () => change({ [name]: select.value }));
  return element("label", {}, element("span", {}, label), select);
}
