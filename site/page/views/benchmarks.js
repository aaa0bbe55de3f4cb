// The benchmarks that are no scenarios: a plain list with the last value of every case.

import { element, name } from "./dom.js";
import { olderCommit } from "./coverage.js";
import { resultParts } from "./figures.js";
import { historyLink } from "./history.js";
import { counted } from "../format.js";
import { plainRows } from "../model.js";

const PAGE = 100;

/**
 * @param {import("../types.js").Overview} overview
 * @param {import("../state.js").State} state
 * @returns {Node[]}
 */
export function benchmarkList(overview, state) {
  const rows = plainRows(overview, state);
  const summary = element("p", { class: "aside", role: "status" }, counted(rows.length, "case"));
  if (rows.length === 0) {
    return [summary];
  }
  const body = element("tbody");
  const more = element("button", { type: "button", class: "show-more" });
  const grow = () => {
    const from = body.rows.length;
    body.append(...rows.slice(from, from + PAGE).map((row) => line(overview, row)));
    const left = rows.length - body.rows.length;
    more.hidden = left === 0;
    more.textContent = `Show ${Math.min(PAGE, left)} more of ${left}`;
  };
  more.addEventListener("click", grow);
  grow();
  const header = ["benchmark", "Python", "last value"].map((text) => element("th", { scope: "col" }, text));
  const caption = element("caption", {}, "Last value of every case: median with its interval");
  return [summary, element("table", { class: "plain" }, caption, element("thead", {}, element("tr", {}, ...header)), body), more];
}

function line(overview, { benchmark, place, commit, parameters, result }) {
  const named = parameters.map((value, index) => `${benchmark.parameters[index] ?? index}=${value}`).join(", ");
  return element(
    "tr",
    {},
    element(
      "th",
      { scope: "row" },
      element("span", { class: "name" }, ...name(benchmark.name)),
      named ? element("span", { class: "detail" }, ...name(named)) : null,
      element("span", { class: "detail" }, historyLink(overview, benchmark.name, null, "history")),
    ),
    element("td", {}, overview.places[place].name, olderCommit(overview, place, commit)),
    element("td", { class: "figure" }, ...resultParts(result, benchmark.unit)),
  );
}
