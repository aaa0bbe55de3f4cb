// The fastest variants of each scenario: in a table, and in one sentence.

import { element, name } from "../dom.js";
import { listed, targetTitle, ratio } from "../format.js";
import { answers, measureOf } from "../models/scenarios.js";

/** @typedef {ReturnType<typeof answers>[number]} Line */

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../models/scenarios.js").Chosen} state
 * @param {readonly number[]} targets
 */
export function answerTable(overview, state, targets) {
  const bodies = overview.scenarios.flatMap((scenario, index) => {
    const lines = answers(scenario, state.load, targets);
    return lines.length ? [body(overview, scenario, `#scenario-${index}`, lines, targets)] : [];
  });
  if (bodies.length === 0) {
    return element("p", { class: "empty" }, "Nothing was measured for this choice.");
  }
  return element(
    "table",
    { class: "answers" },
    element("caption", {}, `The variant with the smallest value (load: ${state.load})`),
    element(
      "thead",
      {},
      element("tr", {}, ...["scenario", "least", "compared with the reference"].map((text) => element("th", { scope: "col" }, text))),
    ),
    ...bodies,
  );
}

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../types.js").ScenarioData} scenario
 * @param {string} anchor
 * @param {readonly Line[]} lines
 * @param {readonly number[]} targets
 */
function body(overview, scenario, anchor, lines, targets) {
  return element(
    "tbody",
    {},
    ...lines.map((line, index) =>
      element(
        "tr",
        {},
        index === 0 ? element("th", { scope: "rowgroup", rowspan: lines.length }, element("a", { href: anchor }, ...name(scenario.name))) : null,
        element("td", {}, element("strong", {}, ...name(listed(line.names))), ...where(overview, line, targets)),
        element("td", { class: "figure" }, ...compared(scenario, line)),
      ),
    ),
  );
}

/** @param {import("../types.js").OverviewData} overview @param {Line} line @param {readonly number[]} targets */
function where(overview, line, targets) {
  const everywhere = line.targets.length === targets.length && targets.length > 1;
  const names = everywhere ? "everywhere" : `on ${targetTitle(listed(line.targets.map((each) => overview.targets[each].name)))}`;
  return [element("span", { class: "detail" }, line.names.length > 1 ? `no clear difference, ${names}` : names)];
}

/** @param {import("../types.js").ScenarioData} scenario @param {Line} line */
function compared(scenario, line) {
  const reference = scenario.variants[scenario.reference];
  if (line.reference) {
    return [element("span", { class: "verdict open" }, `nothing is clearly below ${reference}`)];
  }
  if (line.span === null) {
    return [element("span", { class: "verdict unknown" }, "needs more samples")];
  }
  const { interval } = ratio(Math.sqrt(Math.max(0, line.span[0] * line.span[1])), line.span);
  return [element("span", { class: "value" }, `${interval}×`), element("span", { class: "detail" }, `the ${measureOf(scenario)} of ${reference}`)];
}

/**
 * @param {import("../types.js").OverviewData} overview
 * @param {import("../types.js").ScenarioData} scenario
 * @param {string} load
 * @param {readonly number[]} targets
 */
export function sentence(overview, scenario, load, targets) {
  const lines = answers(scenario, load, targets);
  const reference = scenario.variants[scenario.reference];
  const words = lines.map((line) => {
    const where = line.targets.length === targets.length ? "" : `on ${targetTitle(listed(line.targets.map((each) => overview.targets[each].name)))} `;
    if (line.reference) {
      return `${where}${reference}, because nothing is clearly faster or smaller`;
    }
    const interval = line.span && ratio(Math.sqrt(Math.max(0, line.span[0] * line.span[1])), line.span).interval;
    return `${where}${listed(line.names)}${line.names.length > 1 ? " (no clear difference)" : ""}, at ${interval === null ? "an unknown part of" : `${interval} times`} the ${measureOf(scenario)} of ${reference}`;
  });
  return element("p", { class: "use" }, element("strong", {}, "Which should I use? "), words.length ? `Of these, ${words.join("; ")}.` : "The data gives no clear answer for this choice.");
}
