// The claims: one after the other, each with its decision on every Python and its measurement.

import { DataError } from "../data.js";
import { element } from "../dom.js";
import { counted, listed, targetTitle } from "../format.js";
import { ALL, chosenOf, DECISIONS, shownClaims } from "../models/claims.js";
import { claimSection } from "../views/claims.js";
import { choice, controls, finder } from "../views/controls.js";
import { inTurns, noteList } from "../views/parts.js";

/** @typedef {import("../types.js").ClaimBoard} Board */
/** @typedef {import("../models/types.js").Site} Site */

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ choices, data, choose, note }) {
  const [site, board] = await Promise.all([data.site(), data.claims()]);
  if (board === null) {
    throw new DataError("This site has no claims. They are in a claims file beside the benchmarks (docs/how-to/claims.md).");
  }
  const chosen = chosenOf(choices, board);
  const list = element("div", { class: "claim-list" });
  const fill = (/** @type {string} */ find) => list.replaceChildren(...sections(site, board, { ...chosen, find }));
  fill(chosen.find);
  const typed = (/** @type {string} */ find) => {
    note({ find });
    fill(find);
  };
  return {
    title: `Claims · ${site.project.name}`,
    content: [
      element("h1", { tabindex: -1 }, "Claims"),
      element("p", { class: "lead" }, summary(board)),
      controlsOf(board, chosen, choose, typed),
      ...flips(board),
      list,
      element("h2", { id: "method" }, "How claims are decided"),
      ...method(board),
      noteList(board.notes),
    ].filter((each) => each !== null),
  };
}

/** @param {Board} board */
function summary({ claims, decisions }) {
  const count = (/** @type {string} */ word) => decisions.filter(({ decision }) => decision === word).length;
  const [holds, fails, undecided] = ["holds", "fails", "undecided"].map(count);
  return `${counted(claims.length, "claim")}. Over all Pythons ${holds} decisions are that a claim holds, ${fails} that it fails, and ${undecided} are open.`;
}

/**
 * @param {Board} board
 * @param {import("../models/claims.js").Chosen} chosen
 * @param {import("../main.js").Context["choose"]} choose
 * @param {(find: string) => void} typed
 */
function controlsOf({ sources, targets }, chosen, choose, typed) {
  const all = /** @type {[string, string]} */ ([ALL, "all"]);
  const decisions = DECISIONS.map((each) => /** @type {[string, string]} */ ([each, each.replaceAll("_", " ")]));
  const pythons = targets.length > 1 ? [all, ...targets.map(({ name }) => /** @type {[string, string]} */ ([name, name]))] : [];
  return controls(
    choice({ name: "decision", label: "Decision", options: [all, ...decisions], chosen: chosen.decision, choose }),
    choice({ name: "source", label: "Source", options: sources.length > 1 ? [all, ...sources.map(({ id, title }) => /** @type {[string, string]} */ ([id, `${id}: ${title}`]))] : [], chosen: chosen.source, choose }),
    choice({ name: "python", label: "Python", options: pythons, chosen: chosen.python, choose }),
    finder("Find", chosen.find, typed),
  );
}

/** The claims by source. @param {Site} site @param {Board} board @param {import("../models/claims.js").Chosen} chosen @returns {Node[]} */
function sections(site, board, chosen) {
  const found = shownClaims(board, chosen);
  const count = element("p", { class: "aside", role: "status" }, found.length ? counted(found.length, "claim") : "No matching claim.");
  const parts = board.sources.flatMap(({ id, title }) => {
    const own = found.filter(({ claim }) => claim.source === id);
    return own.length ? [() => element("h2", {}, title), ...own.map((each) => () => claimSection(each, site, board.findings.filter(({ claim }) => claim === each.claim.id)))] : [];
  });
  return [count, inTurns(parts, location.hash !== "")];
}

/** Claims that hold on one Python of a machine and not on another, and those whose decision changed. @param {Board} board @returns {Node[]} */
function flips({ target_flips, commit_flips, claims }) {
  const sentences = new Map(claims.map(({ id, sentence }) => [id, sentence]));
  const apart = target_flips.map(({ claim, holds, fails }) => {
    const [held, failed] = [holds, fails].map((names) => listed(names.map(targetTitle)));
    return element("li", {}, `Holds on ${held}, fails on ${failed}: ${sentences.get(claim) ?? claim}`);
  });
  const turned = commit_flips.slice(0, 10).map(({ claim, target, before, before_commit, after, after_commit }) =>
    element("li", {}, `${targetTitle(target)}: ${before} on ${before_commit.slice(0, 8)}, ${after} on ${after_commit.slice(0, 8)}: ${sentences.get(claim) ?? claim}`),
  );
  return [
    ...(apart.length ? [element("h2", { id: "apart" }, "Where Pythons differ"), element("ul", { class: "flips" }, ...apart)] : []),
    ...(turned.length ? [element("h2", { id: "turned" }, "Decisions that changed"), element("ul", { class: "turned" }, ...turned)] : []),
  ];
}

/** @param {Board} board @returns {Node[]} */
function method({ analyses, error, false_discovery_rate: rate, decisions }) {
  const percent = (/** @type {number} */ share) => `${Number((share * 100).toPrecision(3))} %`;
  const blocks = analyses.length && error !== null ? ` A block has all cases of a claim within seconds of each other, in one fresh process or in one for each. Claims measured in blocks are analysed after ${listed(analyses.map(String))} blocks, with an error of ${percent(error)} each; the first analysis that decides is final.` : "";
  const counts = decisions.some(({ tests }) => tests.some(({ instructions }) => instructions)) ? " Times decide. Instructions are a second witness for what computing costs: they hardly vary, and do not see waiting, the system, caches and memory layout." : "";
  const board = rate === null ? "" : ` Over the board at most ${percent(rate)} of the decisions are expected to be wrong.`;
  return [
    element("p", {}, `A ratio is contender / baseline. A claim holds if the interval of each test lies within the claimed band, which is shaded, and fails if one lies outside it. The dashed line is the published ratio, and each blue dot is the ratio in one block.${counts}${blocks}${board}`),
    element("p", {}, "A value of a case with a history links to it: every run of that case on that Python."),
  ];
}
