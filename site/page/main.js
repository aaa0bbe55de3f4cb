// The frame: shows the page that the address names, with the choices in the address.

import { createData, createLoader, DataError, madeInTurns, MODULES } from "./data.js";
import { address, element, name as broken, painted } from "./dom.js";

/**
 * The input of a page: the choices in the address, the data, and functions that change the choices.
 *
 * @typedef {object} Context
 * @property {URLSearchParams} choices
 * @property {import("./data.js").Data} data
 * @property {(choices: import("./dom.js").Choices) => void} choose changes some choices and redraws the page
 * @property {(choices: import("./dom.js").Choices) => void} note changes some choices in the address without redrawing
 *
 * @typedef {object} Drawn
 * @property {string} title
 * @property {Node[]} content
 *
 * @typedef {{draw: (context: Context) => Promise<Drawn>}} Page
 */

const PAGES = ["overview", "claims", "years", "benchmarks", "benchmark", "group", "changes", "compare", "about"];
const TITLES = new Map([["claims", "Claims"], ["years", "Years"], ["benchmarks", "Benchmarks"], ["changes", "Changes"], ["compare", "Compare"], ["about", "How this is measured"]]);
const MEMBER_OF = new Map([["benchmark", "benchmarks"], ["group", "benchmarks"]]);

const load = createLoader((file) => fetch(file, { cache: "no-cache" })); // never show old data on a new page
const data = createData(load, () => import("./reading.js"));
const content = at("content");
/** @type {Set<string>} */
const hastened = new Set();
let shown = "";
let turn = 0;

/** @param {string} id @returns {HTMLElement} */
function at(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

function pageName() {
  const page = new URLSearchParams(location.search).get("page") ?? "overview";
  return page === "scenarios" ? "benchmarks" : page; // an address of old links
}

/** @param {boolean} arrived whether another page is shown, not other choices on the same page */
async function draw(arrived) {
  shown = location.search;
  const mine = ++turn;
  const page = pageName();
  content.setAttribute("aria-busy", "true");
  ahead(page);
  greet(page);
  try {
    if (!PAGES.includes(page)) {
      throw new DataError(`There is no page “${page}”. The pages of this site are listed above.`);
    }
    const { draw: drawing } = /** @type {Page} */ (await import(`./pages/${page}.js`));
    const drawn = await drawing(context(page));
    if (mine === turn) {
      show(page, drawn, arrived);
    }
  } catch (error) {
    if (mine === turn) {
      fail(error);
    }
  }
}

/** Shows the heading before the data has loaded. @param {string} page */
function greet(page) {
  const title = page === "benchmark" ? new URLSearchParams(location.search).get("name") : TITLES.get(page);
  if (!content.firstChild && title) {
    at("status").textContent = "";
    content.replaceChildren(element("h1", {}, ...broken(title)), element("p", { class: "verdict" }, "The results are being loaded."));
  }
}

/** Starts loading the page's modules and files together, not one after the other; the page reports errors. @param {string} page */
function ahead(page) {
  const modules = MODULES.get(page) ?? [];
  void madeInTurns(modules.filter((each) => !hastened.has(each)), (href) => {
    hastened.add(href);
    document.head.append(element("link", { rel: "modulepreload", href }));
  });
  const wanted = [data.front(), ...(modules.includes("reading.js") ? [data.site()] : [])];
  wanted.forEach((each) => each.catch(() => {}));
}

/** @param {string} page @returns {Context} */
function context(page) {
  const choices = new URLSearchParams(location.search);
  const changed = (/** @type {import("./dom.js").Choices} */ change) => {
    const next = { ...Object.fromEntries(new URLSearchParams(location.search)), ...change };
    delete next.page;
    return address(page === "overview" ? "" : page, next);
  };
  return {
    choices,
    data,
    choose: (change) => {
      history.pushState(null, "", changed(change));
      void draw(false);
    },
    note: (change) => {
      history.replaceState(null, "", changed(change));
      shown = location.search;
    },
  };
}

/** @param {string} page @param {Drawn} drawn @param {boolean} arrived */
function show(page, drawn, arrived) {
  const held = arrived ? null : focused();
  document.title = drawn.title;
  content.replaceChildren(...drawn.content);
  content.removeAttribute("aria-busy");
  at("status").textContent = "";
  document.documentElement.dataset.page = page;
  for (const each of document.querySelectorAll("nav a[data-page]")) {
    const isCurrent = each.getAttribute("data-page") === (MEMBER_OF.get(page) ?? page);
    isCurrent ? each.setAttribute("aria-current", "page") : each.removeAttribute("aria-current");
  }
  if (held !== null) {
    /** @type {HTMLElement | null} */ (content.querySelector(held))?.focus({ preventScroll: true });
  } else if (arrived && turn > 1) {
    scrollTo(0, 0);
    content.querySelector("h1")?.focus({ preventScroll: true });
  }
  jump();
}

// The control that has the focus, to be focused again after redrawing.
function focused() {
  const key = document.activeElement?.getAttribute("data-key");
  return key ? `[data-key="${CSS.escape(key)}"]` : null;
}

function jump() {
  const name = new URLSearchParams(`hash=${location.hash.slice(1).replaceAll("+", "%2B").replaceAll("&", "%26")}`).get("hash"); // never throws
  document.getElementById(name ?? "")?.scrollIntoView();
}

/** @param {unknown} error */
function fail(error) {
  const known = error instanceof DataError;
  const words = known ? error.message : `This page has a bug: ${error instanceof Error ? error.message : String(error)}`;
  document.title = "Windtunnel: error";
  content.removeAttribute("aria-busy");
  at("status").textContent = "";
  content.replaceChildren(element("h1", { tabindex: -1 }, "This page cannot be shown"), element("p", { class: "status error", role: "alert" }, words));
  if (!known) {
    throw error;
  }
}

/** @param {MouseEvent} event */
function follow(event) {
  const anchor = event.target instanceof Element ? event.target.closest("a") : null;
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!(anchor instanceof HTMLAnchorElement) || !plain || anchor.target || anchor.hasAttribute("download")) {
    return;
  }
  const here = anchor.origin === location.origin && anchor.pathname === location.pathname;
  if (here && !(anchor.search === location.search && anchor.hash)) {
    event.preventDefault();
    const before = pageName();
    history.pushState(null, "", anchor.href);
    void draw(before !== pageName() || !anchor.hash);
  }
}

/** Turns #/claims/ID and #/years/ID, short forms for links from elsewhere, into the address of the claim or the step. */
function expand() {
  const [, page, id] = /^#\/(claims|years)\/(.+)$/u.exec(location.hash) ?? [];
  if (id !== undefined) {
    history.replaceState(null, "", `${address(page)}#${page === "claims" ? "claim" : "step"}-${id}`);
  }
}

/** Opens the help on “?” and the search on “/”, unless someone types or has turned that off. @param {KeyboardEvent} event */
function press(event) {
  const isTyping = event.target instanceof Element && event.target.closest("input:not([type=checkbox]), select") !== null;
  if (["?", "/"].includes(event.key) && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey && localStorage.getItem("windtunnel-keys-off") === null) {
    event.preventDefault();
    void help(event.key);
  }
}

const help = async (/** @type {string} */ key) => (await import("./views/keys.js")).act(key);

addEventListener("keydown", press);
at("help").addEventListener("click", () => void help("?"));
addEventListener("click", follow);
addEventListener("popstate", () => {
  expand();
  void (location.search === shown || draw(true));
});
expand();
await painted();
await draw(true);
