// The only door to the document. Text goes in as text nodes; there is no way to hand over markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null>} [attributes] null and false leave one out
 * @param {...(Node | string | null)} children
 * @returns {HTMLElement}
 */
export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null>} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {SVGElement}
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
  return url && ["http:", "https:"].includes(url.protocol) ? element("a", { href: address }, text) : document.createTextNode(text);
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

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}
