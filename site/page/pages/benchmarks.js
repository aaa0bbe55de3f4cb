// All benchmarks: search, facets, and for each the last value, the trend and the coverage.

import { address, element, row, sparkline } from "../dom.js";
import { change as worded, counted, quantity } from "../format.js";
import { one, wordsOf } from "../models/choices.js";
import { counts, FACETS, ordered, ORDERS, searcher } from "../models/search.js";
import { choice, controls, finder, marked } from "../views/controls.js";

const PAGE = 50;
const HEAD = ["benchmark", "last value", "trend", "measured"];
const WORDS = { name: "name", slower: "slowed most", faster: "sped up most", value: "largest value" };
const LABELS = { module: "Module", parameter: "Parameter", python: "Python", unit: "Unit" };

/** @typedef {import("../models/types.js").Listed} Listed */
/** @typedef {import("../models/search.js").Chosen} Chosen */

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ choices, data, choose, note }) {
  const site = await data.site();
  const search = searcher(site.benchmarks, site.targets);
  const order = one(choices, "order", ORDERS, "name");
  const chosen = /** @type {Chosen} */ (Object.fromEntries(FACETS.map((facet) => [facet, choices.get(facet) ?? ""])));
  const list = element("div", { class: "listing" });
  const own = element("div", { class: "feeds" });
  const fill = (/** @type {string} */ text) => {
    list.replaceChildren(...listing(ordered(search(text, chosen), order), wordsOf(text)));
    own.replaceChildren(...area(text, chosen));
  };
  const text = choices.get("find") ?? "";
  fill(text);
  const typed = (/** @type {string} */ find) => {
    note({ find });
    fill(find);
  };
  const orders = ORDERS.map((each) => /** @type {[string, string]} */ ([each, WORDS[/** @type {keyof typeof WORDS} */ (each)]]));
  return {
    title: `Benchmarks · ${site.project.name}`,
    content: [
      element("h1", { tabindex: -1 }, "Benchmarks"),
      controls(
        finder("Find", text, typed),
        ...FACETS.map((facet) => facetChoice(facet, counts((narrowed) => search(text, narrowed), facet, chosen, site.targets), chosen[facet], choose)),
        choice({ name: "order", label: "Order by", options: orders, chosen: order, choose }),
      ) ?? "",
      own,
      list,
    ].filter((each) => each instanceof Node),
  };
}

/**
 * @param {import("../models/search.js").Facet} facet
 * @param {readonly [string, number][]} found
 * @param {string} chosen
 * @param {import("../main.js").Context["choose"]} choose
 */
function facetChoice(facet, found, chosen, choose) {
  const options = found.map(([value, count]) => /** @type {[string, string]} */ ([value, `${facet === "module" ? "\u00a0\u00a0".repeat(value.split(".").length - 1) : ""}${facet === "module" ? value.split(".").at(-1) : value} (${count})`]));
  const known = chosen === "" || found.some(([value]) => value === chosen) ? [] : [/** @type {[string, string]} */ ([chosen, `${chosen} (0)`])];
  return found.length < 2 && chosen === "" ? null : choice({ name: facet, label: LABELS[facet], options: [["", "all"], ...options, ...known], chosen, choose });
}

/**
 * What to bookmark for a part of the suite: its open regressions.
 *
 * @param {string} text
 * @param {Chosen} chosen
 * @returns {Node[]}
 */
function area(text, { module }) {
  const find = [module, text].filter(Boolean).join(" ");
  if (find === "") {
    return [];
  }
  const open = element("li", {}, element("a", { href: address("changes", { direction: "regressed", state: "current", find }) }, "regressions here that still hold"));
  return [element("span", {}, "To bookmark:"), element("ul", {}, open)];
}

/** @param {readonly Listed[]} found @param {readonly string[]} words @returns {Node[]} */
function listing(found, words) {
  const summary = element("p", { class: "aside", role: "status" }, found.length === 0 ? "No benchmark matches. Remove a word or a choice." : counted(found.length, "benchmark"));
  if (found.length === 0) {
    return [summary];
  }
  const body = element("tbody");
  const more = element("button", { type: "button", class: "show-more" });
  const grow = () => {
    const from = body.rows.length;
    body.append(...found.slice(from, from + PAGE).map((each) => line(each, words)));
    const left = found.length - body.rows.length;
    more.hidden = left === 0;
    more.textContent = `Show ${Math.min(PAGE, left)} more of ${left}`;
  };
  more.addEventListener("click", grow);
  grow();
  const head = element("thead", {}, element("tr", {}, ...HEAD.map((text) => element("th", { scope: "col" }, text))));
  return [summary, element("table", { class: "listing-table" }, element("caption", { class: "unseen" }, "Each benchmark: its newest value, its trend, and how many of its cases have a value"), head, body), more];
}

/** @param {Listed} listed @param {readonly string[]} words */
function line(listed, words) {
  const value = listed.last === null ? null : quantity(listed.last, listed.interval, listed.unit);
  return row([
    [element("a", { href: address("benchmark", { name: listed.name }) }, ...marked(listed.name, words)), listed.params.length ? element("span", { class: "detail" }, ...marked(listed.params.join(", "), words)) : null],
    value ? [element("span", { class: "value" }, value.value), value.interval ? element("span", { class: "interval" }, value.interval) : null] : [element("span", { class: "absent" }, "no value")],
    [sparkline(listed.spark), element("span", { class: "detail" }, listed.trend === null ? "" : worded(listed.trend, null).value)],
    [listed.measured === listed.cases ? counted(listed.cases, "case") : `${listed.measured} of ${counted(listed.cases, "case")}`, listed.stale > 0 ? element("span", { class: "detail" }, `${counted(listed.stale, "commit")} ago`) : null],
  ]);
}
