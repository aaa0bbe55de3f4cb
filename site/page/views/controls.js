// The controls of a page. A control with a single choice is left out.

import { element, name } from "../dom.js";
import { highlighted } from "../models/choices.js";

/** Options from which on a list is completed after the page has been drawn. */
const MANY = 200;

/** @param {...(Node | null)} fields @returns {HTMLElement | null} */
export function controls(...fields) {
  const there = fields.filter((field) => field !== null);
  if (there.length === 0) {
    return null;
  }
  const form = element("form", { class: "controls", "aria-label": "Choices" }, ...there);
  form.addEventListener("submit", (event) => event.preventDefault());
  return form;
}

/** A group of controls. @param {string} title @param {...(Node | null)} fields */
export function group(title, ...fields) {
  const there = fields.filter((field) => field !== null);
  return there.length === 0 ? null : element("fieldset", {}, element("legend", {}, title), ...there);
}

/**
 * @param {object} what
 * @param {string} what.name in the address
 * @param {string} what.label
 * @param {readonly (readonly [string, string])[]} what.options value and words
 * @param {string} what.chosen
 * @param {(choices: import("../dom.js").Choices) => void} what.choose
 */
export function choice({ name, label, options, chosen, choose }) {
  if (options.length < 2) {
    return null;
  }
  const made = (/** @type {typeof options} */ some) => some.map(([value, text]) => element("option", { value, selected: value === chosen }, text));
  const select = element("select", { name, "data-key": name });
  if (options.length > MANY) {
    const longest = options.reduce((one, other) => (other[1].length > one[1].length ? other : one)); // so that the width stays
    select.append(...made([...options.filter(([value]) => value === chosen), longest]));
    (globalThis.requestIdleCallback ?? setTimeout)(() => select.replaceChildren(...made(options)));
  } else {
    select.append(...made(options));
  }
  select.addEventListener("change", () => choose({ [name]: select.value }));
  return element("label", {}, element("span", {}, label), select);
}

/**
 * @param {object} what
 * @param {string} what.name
 * @param {string} what.label
 * @param {boolean} what.checked
 * @param {(checked: boolean) => void} what.choose
 */
export function check({ name, label, checked, choose }) {
  const input = element("input", { type: "checkbox", name, "data-key": name, checked });
  input.addEventListener("change", () => choose(input.checked));
  return element("label", { class: "check" }, input, element("span", {}, label));
}

/** @param {string} label @param {string} value @param {(text: string) => void} changed on each key */
export function finder(label, value, changed) {
  const input = element("input", { type: "search", name: "find", autocomplete: "off", spellcheck: "false", "data-key": "find", value });
  input.addEventListener("input", () => changed(input.value));
  return element("label", { class: "finder" }, element("span", {}, label), input);
}

/**
 * A text with suggestions, for choices that are too many for a list.
 *
 * @param {object} what
 * @param {string} what.name in the address
 * @param {string} what.label
 * @param {string} what.hint
 * @param {string} what.value
 * @param {readonly (readonly [string, string])[]} what.options value and words
 * @param {(choices: import("../dom.js").Choices) => void} what.choose
 */
export function entry({ name, label, hint, value, options, choose }) {
  const list = element("datalist", { id: `${name}-options` }, ...options.map(([each, words]) => element("option", { value: each }, words)));
  const input = element("input", { name, list: list.id, title: hint, placeholder: hint, autocomplete: "off", spellcheck: "false", "data-key": name, value });
  input.addEventListener("change", () => choose({ [name]: input.value.trim() }));
  input.addEventListener("focus", () => input.select());
  return element("label", { class: "entry" }, element("span", {}, label), input, list);
}

/** A name that may wrap, with what a search found in it. @param {string} text @param {readonly string[]} words */
export function marked(text, words) {
  const parts = highlighted(text, words);
  return parts.flatMap((part, at) => [...(at > 0 && /[_./,=]$/.test(parts[at - 1].text) ? [element("wbr")] : []), ...(part.isFound ? [element("mark", {}, ...name(part.text))] : name(part.text))]);
}
