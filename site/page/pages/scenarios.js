// The scenarios: the fastest variant of each job on each Python, and by how much.

import { element } from "../dom.js";
import { ALL, choicesOf, chosenOf, shown } from "../models/scenarios.js";
import { answerTable } from "../views/answers.js";
import { choice, controls } from "../views/controls.js";
import { scenarioSections } from "../views/scenarios.js";

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ choices, data, choose }) {
  const overview = await data.scenarios();
  const allowed = choicesOf(overview);
  const chosen = chosenOf(choices, allowed);
  const targets = shown(overview, chosen);
  return {
    title: `Scenarios · ${overview.project.name}`,
    content: [
      element("h1", { tabindex: -1 }, "Scenarios"),
      element("p", { class: "lead" }, "The same job done in several ways, side by side. A ratio below 1× is faster than the reference, above 1× slower."),
      controlsOf(allowed, chosen, choose) ?? "",
      element("h2", { id: "answer" }, "Short answer"),
      answerTable(overview, chosen, targets),
      ...scenarioSections(overview, chosen, targets),
    ].filter((each) => each instanceof Node),
  };
}

/**
 * @param {ReturnType<typeof choicesOf>} allowed
 * @param {import("../models/scenarios.js").Chosen} chosen
 * @param {import("../main.js").Context["choose"]} choose
 */
function controlsOf(allowed, chosen, choose) {
  const same = (/** @type {readonly string[]} */ names) => names.map((name) => /** @type {[string, string]} */ ([name, name]));
  return controls(
    choice({ name: "python", label: "Python", options: allowed.targets.length > 1 ? [[ALL, "all"], ...same(allowed.targets)] : [], chosen: chosen.python, choose }),
    choice({ name: "load", label: "Load", options: same(allowed.loads), chosen: chosen.load, choose }),
    choice({ name: "show", label: "Plots show", options: [["ratio", "ratio to the reference"], ["time", "time"]], chosen: chosen.show, choose }),
  );
}
