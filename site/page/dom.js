// The only module that creates elements. Text becomes text nodes; markup cannot be passed.

const SVG = "http://www.w3.org/2000/svg";
const MOMENT = 500;

/**
 * @typedef {readonly (number | null)[]} Heights
 * @typedef {Node | string | null | undefined} Child
 * @typedef {Record<string, string | number | boolean | null | undefined>} Attributes null and false leave an attribute out
 * @typedef {Record<string, string | number | null | undefined>} Choices the parameters of an address, without the page
 */

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A link, or plain text when the address is not a web address. @param {string | null} address @param {string} text */
export function link(address, text) {
  const url = address !== null && URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI) : null;
  return url && ["http:", "https:"].includes(url.protocol) ? element("a", { href: url.href }, text) : document.createTextNode(text);
}

/** The address of a page with its choices; null and the empty string are left out. @param {string} page @param {Choices} [choices] */
export function address(page, choices = {}) {
  const query = new URLSearchParams(page === "" ? {} : { page });
  for (const [name, value] of Object.entries(choices)) {
    if (value !== null && value !== undefined && value !== "") {
      query.set(name, String(value));
    }
  }
  const text = query.toString();
  return text === "" ? "./" : `?${text}`;
}

/** A name that may wrap after each of its parts, for narrow columns. @param {string} text @returns {Node[]} */
export function name(text) {
  const parts = text.split(/(?<=[_./,=])(?=.)/u);
  return parts.flatMap((part, index) => [...(index ? [element("wbr")] : []), document.createTextNode(part)]);
}

/** Waits until the words of index.html are on the screen, which files that arrive at once would hold back; a moment at most, because a hidden page shows none. */
export function painted() {
  return new Promise((done) => {
    new PerformanceObserver((_, observer) => done(observer.disconnect())).observe({ type: "paint", buffered: true });
    setTimeout(done, document.hidden ? 0 : MOMENT);
  });
}

/**
 * A table with a caption and heads; the first cell of a row is its head.
 *
 * @param {object} what
 * @param {string} what.caption
 * @param {string[]} what.head
 * @param {Child[][][]} what.rows each cell is a list of children
 * @param {string} [what.kind] a class
 * @param {boolean} [what.unseenCaption] for screen readers only, because a heading shows it
 */
export function table({ caption, head, rows, kind, unseenCaption = false }) {
  return element(
    "table",
    { class: kind ?? null },
    element("caption", { class: unseenCaption ? "unseen" : null }, caption),
    element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text)))),
    element("tbody", {}, ...rows.map((cells) => row(cells, head))),
  );
}

/** @param {Child[][]} cells the first is the head of the row @param {readonly string[]} [heads] of the columns, which a phone shows in each cell */
export function row([head, ...cells], heads = []) {
  return element("tr", {}, element("th", { scope: "row" }, ...head), ...cells.map((children, at) => element("td", { "data-head": heads[at + 1] }, ...children)));
}

/** A small history; the figures are beside it. A break is a gap, the dot is the newest value. @param {Heights} values oldest first */
export function sparkline(values) {
  const [width, height, air] = [112, 28, 3];
  const known = values.filter((value) => value !== null);
  const least = Math.min(...known);
  const reach = Math.max(...known) - least;
  const x = (/** @type {number} */ index) => (air + (index / Math.max(1, values.length - 1)) * (width - 2 * air)).toFixed(1);
  const y = (/** @type {number} */ value) => (height - air - (reach > 0 ? (value - least) / reach : 0.5) * (height - 2 * air)).toFixed(1);
  const path = values.map((value, index) => (value === null ? "" : `${(values[index - 1] ?? null) === null ? "M" : "L"}${x(index)} ${y(value)}`));
  const last = values[values.length - 1] ?? null;
  return svg(
    "svg",
    { class: "spark", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    svg("path", { class: "values", d: path.join("") }),
    last === null ? null : svg("circle", { cx: x(values.length - 1), cy: y(last), r: 3 }),
  );
}

/**
 * The head of a page: the answer, a sentence in larger type, and a grey line.
 *
 * @param {Child[]} answer
 * @param {Child[] | null} [sentence]
 * @param {Child[] | null} [about]
 * @returns {Node[]}
 */
export function heading(answer, sentence = null, about = null) {
  return [
    element("h1", { tabindex: -1 }, ...answer),
    sentence && element("p", { class: "verdict" }, ...sentence),
    about && element("p", { class: "about" }, ...about),
  ].filter((each) => each !== null);
}

/** What leads to the method, at the end of a grey line. @param {string} [anchor] */
export function method(anchor = "") {
  return element("a", { href: `${address("about")}${anchor}` }, "How this is measured");
}

/** A short name in bold, with its module and class in grey. @param {string} text @param {Choices} [choices] of its history */
export function benchmarkName(text, choices = {}) {
  const at = text.lastIndexOf(".");
  return [element("a", { class: "name", href: address("benchmark", { name: text, ...choices }) }, ...name(text.slice(at + 1))), " ", at > 0 ? element("span", { class: "detail" }, ...name(text.slice(0, at))) : null];
}

/**
 * @template {Element} T
 * @param {T} node
 * @param {Attributes} attributes
 * @param {Child[]} children
 * @returns {T}
 */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}
