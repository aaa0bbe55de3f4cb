// The first page of a suite with claims: the answers, what was measured here, the articles, and what to measure next.

import { axisRow, dotRow, kindOf } from "../charts/dots.js";
import { logarithmic } from "../charts/scale.js";
import { address, element, heading, method, table } from "../dom.js";
import { counted, listed, quantity, targetTitle } from "../format.js";
import { FEWEST, quantities, span } from "../words.js";
import { dayRange, figuresOf, grouped, isOpen, measuredWords } from "../models/answers.js";

/** @typedef {import("../types.js").SiteData} Site */
/** @typedef {import("../types.js").ClaimSummary} Claims */
/** @typedef {import("../types.js").ClaimSummary} Board */
/** @typedef {import("../types.js").DecidedFinding} Answer */

const LOW = 0.9;

/**
 * @param {Site} site
 * @param {Claims} claims
 * @param {({jobs: readonly import("../models/scenarios.js").Job[]} & typeof import("./jobs.js")) | null} here what was measured here, and how it is shown
 * @param {Promise<import("../types.js").ClaimBoard | null>} whole the board that the articles' bars are drawn from, when it is there
 * @param {Promise<import("../types.js").YearsData | null>} years
 * @returns {Node[]}
 */
export function answerPage(site, claims, here, whole, years) {
  const jobs = here?.jobs ?? [];
  const [own, published] = [claims.answers.length > 0 ? claims : null, claims.published?.answers.length ? claims.published : null];
  const board = own ?? published;
  const first = own === null && here !== null && jobs.length > 0;
  return [
    ...top(site, claims, jobs, board, first ? here.jobsWords(jobs) : null),
    ...(first ? [element("h2", {}, "Measured here"), element("div", { class: "panels" }, ...jobs.map((job) => here.jobPanel(job, site))), legend(), ...next(site, claims)] : []),
    ...(board === null ? [] : answers(board, own === null ? null : published, first || own === null ? "Published answers" : "What does your program do?", first)),
    late(whole, async (found) => (await import("./articles.js")).articleBars(found)),
    late(years, async (found) => (await import("./years.js")).overYears(found)),
    ...(first ? [] : next(site, claims)),
    lately(site, claims),
  ].filter((each) => each !== null);
}

/**
 * @param {Site} site
 * @param {Claims} claims
 * @param {readonly import("../models/scenarios.js").Job[]} jobs
 * @param {Board | null} board
 * @param {[string, string] | null} answer of the jobs
 */
function top(site, { verdict, answers: own }, jobs, board, answer) {
  if (answer !== null) {
    const small = jobs.some((job) => job.small) ? "These loads are small: they show that everything works. " : "";
    return heading([answer[0]], answer[1] ? [answer[1]] : null, [hereWords(site, jobs), small, method()]);
  }
  const start = element("code", {}, verdict?.start ?? "windtunnel bench");
  if (board === null) {
    return heading(["Nothing is measured yet."], [start, " measures on this machine."], [method()]);
  }
  const rate = board.false_discovery_rate ? `At most ${Number((board.false_discovery_rate * 100).toPrecision(2))} % of the decisions on a Python are expected to be wrong, for what was sampled. ` : "";
  const elsewhere = own.length === 0 ? [element("strong", {}, "Published, not measured on this machine."), " ", start, " measures here. "] : [];
  return heading([verdict?.question ?? "What the claims say"], verdict ? [verdict.answer] : null, [...elsewhere, `Measured on ${measuredWords(board)}. `, rate, method()]);
}

/** How much was done on which Pythons, cores and commits. @param {Site} site @param {readonly import("../models/scenarios.js").Job[]} jobs */
function hereWords({ targets, machines, commits, health }, jobs) {
  const pythons = [...new Set(targets.map(({ python }) => python))];
  const cores = machines.flatMap(({ details }) => details.filter(([key]) => key === "num_cpu").map(([, value]) => value))[0];
  const count = targets.reduce((total, each) => total + each.failed, 0);
  const failed = count ? `${count} failed` : "none failed";
  const rest = health.untried ? `, ${health.untried} more of the suite not in this run` : "";
  const ways = jobs.reduce((sum, job) => sum + job.ways.length, 0);
  return `${counted(jobs.length, "job")} done ${ways} ways on this machine: Python ${listed(pythons)}${cores ? ` on ${cores} cores` : ""}, ${counted(commits, "commit")}, ${failed}${rest}. `;
}

function legend() {
  return element("p", { class: "key" }, ...[["best", "clearly less"], ["more", "clearly more"], ["open", "the first way, or no clear difference"]].map(([kind, words]) => element("span", {}, element("i", { class: `dot ${kind}` }), words)));
}

/**
 * @param {Board} board
 * @param {Board | null} published figures that stand beside those of *board*
 * @param {string} title
 * @param {boolean} elsewhere whether the board was measured on another machine
 * @returns {Node[]}
 */
function answers(board, published, title, elsewhere) {
  const all = board.answers.flatMap((each) => figuresOf(each));
  const high = Math.max(10, ...all.map(({ ratio }) => ratio));
  const scale = { ...logarithmic(LOW, high, 8, 0.05), ticks: [1, 2, 5, 10, 20, 50, 200, 1000].filter((each) => each <= high * 2) };
  const pythons = [...new Set(all.map(({ target }) => target))];
  const words = (/** @type {number} */ value) => `${value}×`;
  const others = new Map((published?.answers ?? []).map((each) => [each.id, figuresOf(each)]));
  const groups = grouped(board.answers).map(([group, rows]) => element("section", { class: "answer-group" }, element("div", { class: "group-head" }, element("h3", {}, group || "Answers"), axisRow(scale, words)), ...rows.map((each) => row(each, scale, others.get(each.id) ?? []))));
  const intro = elsewhere ? [element("p", {}, `Measured on ${measuredWords(board)}. `, element("strong", {}, "Nothing below comes from this machine."))] : [];
  return [
    element("h2", { id: "answers" }, title),
    ...intro,
    element("p", { class: "about" }, `The other way takes … times as much as the recommended one. A dot is a Python (from the top: ${pythons.join(", ")}), its line the 95 % interval. At 1× both are alike.`),
    ...groups,
  ];
}

/** @param {Answer} answer @param {import("../charts/scale.js").Scale} scale @param {readonly import("../models/answers.js").Figure[]} published */
function row(answer, scale, published) {
  const figures = figuresOf(answer);
  const open = isOpen(figures);
  const marks = figures.map(({ target, ratio, interval }) => ({ value: ratio, interval, kind: kindOf(ratio, interval, "best", "more"), title: `${targetTitle(target)}: ${span([ratio], 3)}×` }));
  const values = (/** @type {"other" | "best"} */ key) => figures.flatMap((each) => (each[key] === null ? [] : [/** @type {number} */ (each[key])]));
  const [other, best] = [values("other"), values("best")];
  const unit = figures[0]?.unit ?? "unit";
  const detail = figures.length === 0 ? "not decided yet" : open ? "no clear difference" : other.length && best.length ? `${quantities(other, unit)} → ${quantities(best, unit)}${answer.quantity ? `, ${answer.quantity}` : ""}` : "";
  const beside = published.length ? element("span", {}, `published: ${span(published.map(({ ratio }) => ratio))}×`) : null;
  const summary = element("summary", {}, element("span", { class: "program" }, answer.program || answer.question), element("span", { class: "use" }, answer.use), dotRow(marks, scale), element("span", { class: "fig" }, figures.length ? `${span(figures.map(({ ratio }) => ratio))}×` : "–", element("span", {}, detail), beside));
  return element("details", { class: "answer", id: `answer-${answer.id}` }, summary, element("div", { class: "inside" }, words(answer), bothWays(answer, figuresOf(answer, true), unit)));
}

/** The sentence, what limits it, and the claim. @param {Answer} answer */
function words(answer) {
  const sentences = answer.answers.map(({ sentence, targets }) => element("p", {}, answer.answers.length > 1 ? element("strong", {}, `${listed(targets.map(targetTitle))}: `) : null, sentence));
  const [first] = answer.figures;
  return element("div", {}, ...(sentences.length ? sentences : [element("p", {}, `Not decided yet${first?.tests[0]?.reason ? `: ${first.tests[0].reason}` : ""}.`)]), answer.caveat ? element("p", {}, element("strong", {}, "But: "), answer.caveat) : null, element("p", { class: "about" }, first?.measured ? `Measured on ${dayRange(first.measured, first.measured)}. ` : "", element("a", { href: `${address("claims")}#claim-${encodeURIComponent(answer.claim)}` }, `Claim ${answer.claim}: every block and its history`)));
}

/** The values of both ways on each Python. @param {Answer} answer @param {readonly import("../models/answers.js").Figure[]} figures @param {string} unit */
function bothWays({ best, figures: [first], program, question }, figures, unit) {
  const [test] = first?.tests ?? [];
  if (test === undefined) {
    return null;
  }
  const ways = (best === "contender" ? [test.contender, test.baseline] : [test.baseline, test.contender]).map(({ params }) => params[0]?.replaceAll("'", "") ?? "");
  const cell = (/** @type {number | null} */ value) => [value === null ? "–" : quantity(value, null, unit).value];
  const rows = figures.map(({ at, target, ratio, interval, other, best: used }) => [[at ? `${target}, ${at}` : target], cell(used), cell(other), [element("strong", {}, `${span([ratio], 3)}×`), " ", element("span", { class: "detail" }, interval === null ? "interval unknown" : span(interval, 3))]]);
  return table({ caption: `Mean of each way, and their ratio with its 95 % interval: ${program || question}`, unseenCaption: true, kind: "figures", head: ["Python", `${ways[0]} (use)`, ways[1], "ratio"], rows });
}

/** What comes when its file is there. @template T @param {Promise<T | null>} file @param {(found: T) => Promise<Node[]>} make */
function late(file, make) {
  const box = element("div", { class: "articles" });
  void file.then((found) => (found ? make(found) : [])).then((nodes) => (nodes.length ? box.replaceChildren(...nodes) : box.remove()), () => box.replaceChildren("A part of this page could not be loaded. Reload it."));
  return box;
}

/** What to measure next. @param {Site} site @param {Claims} claims @returns {Node[]} */
function next({ commits }, { verdict }) {
  const rows = (verdict?.next ?? []).map(([what, command, time]) => element("div", { class: "command" }, element("span", {}, what), element("code", {}, command), element("span", { class: "detail" }, time)));
  const few = commits > 0 && commits < FEWEST ? element("p", { class: "about" }, `Changes between commits show from ${FEWEST} commits on; there ${commits === 1 ? "is 1" : `are ${commits}`}.`) : null;
  return rows.length === 0 ? [] : [element("h2", {}, "What next?"), ...rows, few].filter((each) => each !== null);
}

/** What changed lately, in a line. @param {Site} site @param {Claims} claims */
function lately({ recent, health }, { flips }) {
  const benchmarks = new Set(recent.map(({ benchmark }) => benchmark)).size;
  const words = health.open_regressions ? counted(health.open_regressions, "open regression") : `${counted(benchmarks, "benchmark")} changed lately`;
  const parts = [benchmarks ? element("a", { href: address("changes") }, words) : null, flips ? element("a", { href: `${address("claims")}#turned` }, `${counted(flips, "decision")} changed from one commit to the next`) : null].filter((each) => each !== null);
  return parts.length ? element("p", { class: "lately" }, ...parts.flatMap((part, at) => (at ? [" · ", part] : [part]))) : null;
}

