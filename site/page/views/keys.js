// The keyboard: the help on “?”, and the search on “/”. WCAG 2.1.4 asks that single keys can be turned off.

import { element } from "../dom.js";
import { check } from "./controls.js";

const OFF = "windtunnel-keys-off"; // main.js reads it

const KEYS = [
  ["?", "this help"],
  ["/", "the search of the page"],
  ["Tab, Enter", "from link to link, and open it"],
  ["Escape", "close this help; reset the zoom of a chart"],
];
const CHART = [
  ["← →", "from commit to commit"],
  ["Page Up, Page Down", "by ten commits"],
  ["Home, End", "the first and the last commit"],
  ["+ −", "zoom in and out"],
  ["Enter", "mark a point; a second one is compared with it"],
];

/** Does what a key asks for. @param {string} key */
export function act(key) {
  if (key === "/") {
    /** @type {HTMLInputElement | null} */ (document.querySelector("main input[type=search]"))?.focus();
    return;
  }
  document.querySelector("dialog.keys")?.remove();
  const close = element("button", { type: "button", class: "show-more" }, "Close");
  const isOn = check({ name: "keys", label: "the keys ? and / are on", checked: localStorage.getItem(OFF) === null, choose: (on) => (on ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, "yes")) });
  const dialog = element("dialog", { class: "keys", "aria-labelledby": "keys-title" }, element("h2", { id: "keys-title" }, "Keyboard"), list(KEYS), element("h3", {}, "On a chart that has the focus"), list(CHART), element("p", { class: "about" }, "The address of a page holds its choices: bookmark it, or share it."), isOn, close);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {readonly string[][]} keys */
function list(keys) {
  return element("dl", {}, ...keys.map(([key, what]) => element("div", {}, element("dt", {}, element("kbd", {}, key)), element("dd", {}, what))));
}
