// All benchmarks: search, the tree of modules, and for each the last value, the trend and the coverage.

import { address, element, name, row, sparkline } from "../dom.js";
import { change as worded, counted, quantity } from "../format.js";
import { one } from "../models/choices.js";
import { ordered, ORDERS, searcher, treeOf } from "../models/search.js";
import { choice, controls, finder } from "../views/controls.js";

const PAGE = 50;
const HEAD = ["benchmark", "last value", "trend", "measured"];
const WORDS = { name: "name", slower: "slowed most", faster: "sped up most", value: "largest value" };

/** @typedef {import("../models/types.js").Listed} Listed */

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ choices, data, choose, note }) {
  const site = await data.site();
  const search = searcher(site.benchmarks);
  const [module, order] = [choices.get("module") ?? "", one(choices, "order", ORDERS, "name")];
  const list = element("div", { class: "listing" });
  const fill = (/** @type {string} */ text) => list.replaceChildren(...listing(ordered(search(text, module), order)));
  fill(choices.get("find") ?? "");
  const typed = (/** @type {string} */ find) => {
    note({ find });
    fill(find);
  };
  const orders = ORDERS.map((each) => /** @type {[string, string]} */ ([each, WORDS[/** @type {keyof typeof WORDS} */ (each)]]));
  return {
    title: `Benchmarks · ${site.project.name}`,
    content: [
      element("h1", { tabindex: -1 }, "Benchmarks"),
      controls(finder("Find", choices.get("find") ?? "", typed), choice({ name: "order", label: "Order by", options: orders, chosen: order, choose })) ?? "",
      modules(treeOf(site.benchmarks), module),
      list,
    ].filter((each) => each instanceof Node),
  };
}

/** @param {import("../models/search.js").Branch} root @param {string} chosen */
function modules(root, chosen) {
  const all = element("a", { href: address("benchmarks"), "aria-current": chosen === "" ? "true" : null }, `all (${root.count})`);
  return element("details", { class: "tree", open: chosen !== "" }, element("summary", {}, chosen === "" ? "Modules" : `Module ${chosen}`), element("ul", {}, element("li", {}, all), ...root.branches.map((each) => branch(each, chosen))));
}

/** @param {import("../models/search.js").Branch} branch @param {string} chosen @returns {HTMLElement} */
function branch({ name: word, path, count, branches }, chosen) {
  const here = element("a", { href: address("benchmarks", { module: path }), "aria-current": chosen === path ? "true" : null }, `${word} (${count})`);
  return element("li", {}, here, branches.length ? element("ul", {}, ...branches.map((each) => branch(each, chosen))) : null);
}

/** @param {readonly Listed[]} found @returns {Node[]} */
function listing(found) {
  const summary = element("p", { class: "aside", role: "status" }, counted(found.length, "benchmark"));
  if (found.length === 0) {
    return [summary];
  }
  const body = element("tbody");
  const more = element("button", { type: "button", class: "show-more" });
  const grow = () => {
    const from = body.rows.length;
    body.append(...found.slice(from, from + PAGE).map(line));
    const left = found.length - body.rows.length;
    more.hidden = left === 0;
    more.textContent = `Show ${Math.min(PAGE, left)} more of ${left}`;
  };
  more.addEventListener("click", grow);
  grow();
  const head = element("thead", {}, element("tr", {}, ...HEAD.map((text) => element("th", { scope: "col" }, text))));
  return [summary, element("table", { class: "listing-table" }, element("caption", {}, "Each benchmark: its newest value, its trend, and how many of its cases have a value"), head, body), more];
}

/** @param {Listed} listed */
function line(listed) {
  const value = listed.last === null ? null : quantity(listed.last, listed.interval, listed.unit);
  return row([
    [element("a", { href: address("benchmark", { name: listed.name }) }, ...name(listed.name))],
    value ? [element("span", { class: "value" }, value.value), value.interval ? element("span", { class: "interval" }, value.interval) : null] : [element("span", { class: "absent" }, "no value")],
    [sparkline(listed.spark), element("span", { class: "detail" }, listed.trend === null ? "" : worded(listed.trend, null).value)],
    [element("span", { class: listed.measured < listed.cases ? "attention" : null }, `${listed.measured} of ${listed.cases}`)],
  ]);
}
