// The way to asv's own pages, which draw a benchmark's history.

import { element } from "./dom.js";

/**
 * @param {import("../types.js").Overview} overview
 * @param {string} benchmark
 * @param {{name: string, value: string | null}} parameter that asv's page shall select
 * @param {string} text
 * @returns {Node}
 */
export function historyLink(overview, benchmark, parameter, text) {
  const address = historyAddress(overview.asv, benchmark, parameter);
  const name = element("span", { class: "unseen" }, ` of ${benchmark}`);
  return address === null ? document.createTextNode("no history pages") : element("a", { href: address }, text, name);
}

/**
 * @param {string | null} asv
 * @param {string} benchmark
 * @param {{name: string, value: string | null} | null} parameter
 */
export function historyAddress(asv, benchmark, parameter) {
  if (asv === null) {
    return null;
  }
  const query = parameter?.value == null ? "" : `?p-${encodeURIComponent(parameter.name)}=${encodeURIComponent(parameter.value)}`;
  return `${asv}#${encodeURIComponent(benchmark)}${query}`;
}
