// “Which should I use?” in one sentence, from the data and with its interval.

import { element } from "../dom.js";
import { listed, targetTitle, ratio } from "../format.js";
import { answers, measureOf } from "../models/scenarios.js";

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
      return `${where}${reference}, for nothing clearly beats it`;
    }
    const interval = line.span && ratio(Math.sqrt(Math.max(0, line.span[0] * line.span[1])), line.span).interval;
    return `${where}${listed(line.names)}${line.names.length > 1 ? " (not told apart)" : ""}, at ${interval === null ? "an unknown part of" : `${interval} times`} the ${measureOf(scenario)} of ${reference}`;
  });
  return element("p", { class: "use" }, element("strong", {}, "Which should I use? "), words.length ? `Of these, ${words.join("; ")}.` : "The data does not tell: nothing is clear for this choice.");
}
