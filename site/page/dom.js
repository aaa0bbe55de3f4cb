// The only door to the document. Text goes in as text nodes; there is no way to hand over markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Node | string | null | undefined} Child
 * @typedef {Record<string, string | number | boolean | null | undefined>} Attributes null and false leave one out
 * @typedef {Record<string, string | number | null | undefined>} Choices what an address says beside the page
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

/**
 * A link, or bare text when the address is none that a browser may follow from data.
 *
 * @param {string | null} address
 * @param {string} text
 */
export function link(address, text) {
  const url = address !== null && URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI) : null;
  return url && ["http:", "https:"].includes(url.protocol) ? element("a", { href: url.href }, text) : document.createTextNode(text);
}

/**
 * The address of a page of ours with what is chosen there; null and the empty string are left out.
 *
 * @param {string} page
 * @param {Choices} [choices]
 */
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

/**
 * A name that may break where its parts end, for narrow columns.
 *
 * @param {string} text
 * @returns {Node[]}
 */
export function name(text) {
  const parts = text.split(/(?<=[_./,=])(?=.)/u);
  return parts.flatMap((part, index) => [...(index ? [element("wbr")] : []), document.createTextNode(part)]);
}

/**
 * A table with a caption and heads; the first cell of a row is its head.
 *
 * @param {object} what
 * @param {string} what.caption
 * @param {string[]} what.head
 * @param {Child[][][]} what.rows each cell is a list of children
 * @param {string} [what.kind] a class
 * @param {boolean} [what.unseenCaption] the heading above says it already
 */
export function table({ caption, head, rows, kind, unseenCaption = false }) {
  return element(
    "table",
    { class: kind ?? null },
    element("caption", { class: unseenCaption ? "unseen" : null }, caption),
    element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text)))),
    element("tbody", {}, ...rows.map(row)),
  );
}

/** @param {Child[][]} cells the first is the head of the row */
export function row([head, ...cells]) {
  return element("tr", {}, element("th", { scope: "row" }, ...head), ...cells.map((children) => element("td", {}, ...children)));
}

/**
 * A history as small as a word; what it shows stands in figures beside it. Gaps are gaps.
 *
 * @param {readonly (number | null)[]} values oldest first
 * @param {number} [mark] index of the value that a dot shows
 */
export function sparkline(values, mark = -1) {
  const [width, height, air] = [112, 28, 3];
  const known = values.filter((value) => value !== null);
  const low = Math.min(...known);
  const reach = Math.max(...known) - low;
  const x = (/** @type {number} */ index) => air + (index / Math.max(1, values.length - 1)) * (width - 2 * air);
  const y = (/** @type {number} */ value) => height - air - (reach > 0 ? (value - low) / reach : 0.5) * (height - 2 * air);
  let pen = "M";
  const path = values.map((value, index) => {
    const step = value === null ? "" : `${pen}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
    pen = value === null ? "M" : "L";
    return step;
  });
  const marked = mark < 0 ? null : (values[mark] ?? null);
  return svg(
    "svg",
    { class: "spark", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    known.length ? svg("path", { d: path.join("") }) : null,
    marked === null ? null : svg("circle", { cx: x(mark), cy: y(marked), r: 3 }),
  );
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
