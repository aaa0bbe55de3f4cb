// The claims: each once, with what became of it and its chart; a row opens its measurements.

import { DataError } from "../data.js";
import { address, element, heading } from "../dom.js";
import { counted, listed, targetTitle } from "../format.js";
import { measuredWords } from "../models/answers.js";
import { ALL, allClaims, chosenOf, countsOf, matching, OUTCOMES } from "../models/claims.js";
import { aboutSource, answerWords, barKey, bars, holding, ofArticles, outcomeWords, WORDS } from "../views/articles.js";
import { claimRow } from "../views/claims.js";
import { controls, finder } from "../views/controls.js";
import { inTurns, noteList } from "../views/parts.js";

/** @typedef {import("../types.js").ClaimBoard} Board */
/** @typedef {import("../models/claims.js").Shown} Shown */
/** @typedef {import("../models/types.js").Site} Site */

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ choices, data, note }) {
  const [site, own] = await Promise.all([data.site(), data.claims()]);
  if (own === null) {
    throw new DataError("This site has no claims. They are in a claims file beside the benchmarks (docs/how-to/claims.md).");
  }
  const published = own.decisions.some(({ commit }) => commit !== null) && choices.get("board") !== "published" ? null : await data.publishedClaims();
  const board = published ?? own;
  const all = allClaims(board);
  const chosen = chosenOf(choices, board);
  const list = element("div", { class: "claim-list" });
  const fill = (/** @type {string} */ find) => list.replaceChildren(...sections(site, board, all, { ...chosen, find }));
  fill(chosen.find);
  const typed = (/** @type {string} */ find) => {
    note({ find });
    fill(find);
  };
  return {
    title: `Claims · ${site.project.name}`,
    content: [
      ...top(board, all, published !== null),
      bars(board, board.sources, all, chosen.source),
      barKey(),
      element("div", { class: "find" }, controls(finder("Find", chosen.find, typed)) ?? "", chips(all, chosen)),
      element("p", { class: "key" }, element("span", {}, element("i", { class: "band" }), "what the claim allows"), element("span", {}, element("i", { class: "diamond" }), "the article's figure"), element("span", {}, element("i", { class: "dot open" }), "a Python, with its 95 % interval")),
      list,
      ...flips(board),
      element("h2", { id: "method" }, "How a claim is decided"),
      ...method(board),
      noteList(board.notes),
    ].filter((each) => each !== null),
  };
}

/** @param {Board} board @param {readonly Shown[]} all @param {boolean} published */
function top(board, all, published) {
  const { articles, claims, rest } = ofArticles(board, all);
  const shown = articles.length ? claims : all;
  const rate = board.false_discovery_rate;
  const about = [
    published ? element("strong", {}, "Published, not measured on this machine. ") : null,
    board.targets.length ? `Measured on ${measuredWords({ targets: board.targets, answers: [{ figures: board.decisions.filter(({ commit }) => commit !== null) }] })}. ` : "",
    rate === null ? "" : `At most ${Number((rate * 100).toPrecision(2))} % of the decisions on a Python are expected to be wrong, for what was sampled. `,
    articles.length && rest.length ? `${counted(rest.length, "more was", "more were")} asked by readers, or by us: ${holding(rest)} hold. ` : "",
    element("a", { href: "#method" }, "How a claim is decided"),
  ];
  return heading([articles.length ? answerWords(articles.length, claims.length, holding(claims)) : `${counted(all.length, "claim")}. ${holding(all)} hold.`], [outcomeWords(shown)], about);
}

/** Links that show one outcome alone. @param {readonly Shown[]} all @param {import("../models/claims.js").Chosen} chosen */
function chips(all, { outcome, source }) {
  const counts = countsOf(all);
  const link = (/** @type {string} */ value, /** @type {string} */ words, /** @type {number} */ count) => element("a", { class: "chip", "data-key": `chip-${value}`, "aria-current": outcome === value ? "true" : null, href: address("claims", { decision: value === ALL ? null : value, source: source === ALL ? null : source }) }, `${words} ${count}`);
  return element("p", { class: "chips" }, link(ALL, "all", all.length), ...OUTCOMES.filter((each) => counts[each]).map((each) => link(each, WORDS[each], counts[each])));
}

/** The claims by source. @param {Site} site @param {Board} board @param {readonly Shown[]} all @param {import("../models/claims.js").Chosen} chosen @returns {Node[]} */
function sections(site, board, all, chosen) {
  const found = matching(all, chosen);
  const linked = decodeURIComponent(location.hash.replace(/%(?![0-9a-f]{2})/giu, "%25"));
  const parts = board.sources.flatMap((source) => {
    const rows = found.filter(({ claim }) => claim.source === source.id);
    return rows.length ? [() => element("div", { class: "source" }, element("h2", {}, source.title), aboutSource(source)), ...rows.map((each) => () => claimRow(each, site, board.findings.filter(({ claim }) => claim === each.claim.id), linked === `#claim-${each.claim.id}`))] : [];
  });
  return [element("p", { class: found.length ? "unseen" : "empty", role: "status" }, found.length ? counted(found.length, "claim") : "No matching claim."), inTurns(parts, location.hash !== "")];
}

/** The decisions that changed from one commit to the next. @param {Board} board @returns {Node[]} */
function flips({ decisions, claims }) {
  const sentences = new Map(claims.map(({ id, sentence }) => [id, sentence]));
  const turned = decisions.filter(({ before }) => before !== null).slice(0, 10).map(({ claim, target, before, before_commit, decision, commit }) =>
    element("li", {}, `${targetTitle(target)}: ${before} on ${before_commit?.slice(0, 8)}, ${decision.replaceAll("_", " ")} on ${commit?.slice(0, 8)}: ${sentences.get(claim) ?? claim}`),
  );
  return turned.length ? [element("h2", { id: "turned" }, "Decisions that changed"), element("ul", { class: "turned" }, ...turned)] : [];
}

/** @param {Board} board @returns {Node[]} */
function method({ analyses, error, false_discovery_rate: rate, awake }) {
  const percent = (/** @type {number} */ share) => `${Number((share * 100).toPrecision(3))} %`;
  const blocks = analyses.length && error !== null ? ` A block has all cases of a claim within seconds of each other, in one fresh process or in one for each. Claims measured in blocks are analysed after ${listed(analyses.map(String))} blocks, with an error of ${percent(error)} each; the first analysis that decides is final.` : "";
  const kept = awake ? ` Where a round trip of threads or sockets is timed, a claim is measured with idle processors, and with processors kept awake: ${awake}.` : "";
  const wrong = rate === null ? "" : ` Over the board at most ${percent(rate)} of the decisions are expected to be wrong.`;
  return [
    element("p", {}, `A ratio is contender / baseline. On a Python a claim holds if the interval of each test lies within the claimed band, and fails if one lies outside it. A claim counts once: it holds or fails if all Pythons that decide agree, and else depends on the Python.${kept}${blocks}${wrong}`), element("p", {}, "A ratio that is nearer than 10 % to a limit is decided over at least three days or boots; until then it is about at the limit. Where an article printed a ratio, a claim that holds may have another size: more than 1.5 times as much or as little."),
    element("p", {}, "A value of a case with a history links to it: every run of that case on that Python."),
  ];
}
