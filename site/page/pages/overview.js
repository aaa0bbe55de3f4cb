// The first page: the answers of a suite with claims, or open regressions; then what changed lately.

import { address, bar, element, link, name, table } from "../dom.js";
import { age, caseName, counted, listed, quantity, ratio, shortHash, targetTitle } from "../format.js";
import { eventCard } from "../views/event.js";
import { healthLine } from "../views/health.js";
import { headed } from "../views/parts.js";

const OPEN = 3;
const LATELY = 5;
const OPEN_HELP = "A regression is open while the new level holds. Regressions with one cause, a commit and all series whose level moved there, count once.";
const LATELY_HELP = "An event is a commit, or a range of commits that were not measured, and every series whose level moved there. Its largest change is shown.";
const LOOK = { holds: "less", fails: "more" };

/** @typedef {import("../types.js").SiteData} Site */
/** @typedef {import("../types.js").Answer} Answer */
/** @typedef {import("../types.js").ClaimSummary | null} Claims */

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ data }) {
  const site = await data.front();
  const [now, answers] = [Date.now() / 1000, /** @type {Claims} */ (site.claims)?.answers ?? []];
  return {
    title: `${site.project.name} · Windtunnel`,
    content: [
      element("h1", { tabindex: -1 }, link(site.project.url, site.project.name)),
      latest(site, now),
      healthLine(site, now),
      ...(answers.length ? answered(site, answers) : open(site)),
      ...lately(site, answers.length > 0),
    ].filter((each) => each !== null),
  };
}

/** @param {Site} site @param {number} now */
function latest({ newest, commits, claims }, now) {
  if (!newest) {
    return element("p", { class: "latest" }, commits ? `${counted(commits, "commit")} with results.` : claims ? "Claims were measured; no benchmark has a history yet." : "No results yet.");
  }
  const about = [newest.subject, newest.date === null ? null : age(now - newest.date)].filter(Boolean).join(", ");
  return element("p", { class: "latest" }, "Newest commit with results: ", element("code", {}, link(newest.url, shortHash(newest.hash))), about ? ` ${about}` : "");
}

/** @param {Site} site @param {readonly Answer[]} answers @returns {Node[]} */
function answered(site, answers) {
  const more = site.claims === null || site.claims.claims === answers.length ? "" : `All ${counted(site.claims.claims, "claim")}`;
  return [element("h2", { id: "answer" }, "The answer"), element("div", { class: "findings" }, ...answers.map((each) => finding(site, each))), more ? element("p", {}, element("a", { href: address("claims") }, more), ", each with its decision and its measurement") : element("span")];
}

/** @param {Site} site @param {Answer} answer */
function finding(site, answer) {
  const sentences = answer.answers.map(({ sentence, targets }) =>
    element("p", { class: "answer" }, answer.answers.length > 1 ? element("span", { class: "where" }, `${listed(targets.map(targetTitle))}: `) : null, sentence),
  );
  const [first] = answer.figures;
  return element(
    "article",
    { class: "finding", "aria-labelledby": `finding-${encodeURIComponent(answer.id)}` },
    element("h3", { id: `finding-${encodeURIComponent(answer.id)}` }, answer.question),
    ...(sentences.length ? sentences : [element("p", { class: "answer" }, `Not decided yet${first?.tests[0]?.reason ? `: ${first.tests[0].reason}` : ""}.`)]),
    answer.caveat ? element("p", { class: "aside" }, answer.caveat) : null,
    answerFigures(answer),
    element("p", { class: "source" }, `Measured ${first?.measured ?? ""}`, ...(first?.commit ? [" on commit ", element("code", {}, link(site.commit_url && `${site.commit_url}${first.commit}`, shortHash(first.commit)))] : []), " · ", element("a", { href: `${address("claims")}#claim-${encodeURIComponent(answer.claim)}` }, `claim ${answer.claim} and its measurement`)),
  );
}

/** What a test found; without the values of both cases where others divide their ratio. @param {import("../types.js").DecidedTest} test */
function figureOf({ contender, baseline, divided_by, ratio: value, interval, decision, reason }) {
  const simple = divided_by.length === 0;
  const ends = interval && /** @type {[number, number]} */ ([interval.low, interval.high]);
  return { sides: /** @type {const} */ ([contender, baseline]), contender: simple ? contender.value : null, baseline: simple ? baseline.value : null, ratio: value, interval: ends, decision, reason };
}

/** The chart of an answer: on each Python both cases as bars, relative to the baseline, beside the figures. @param {Answer} answer */
function answerFigures({ figures: decisions, question, answers, quantity: measured }) {
  const given = (decisions[0]?.given ?? []).map(({ value }) => value);
  const figures = decisions.flatMap(({ target, tests: [test] }) => (test === undefined ? [] : [{ target, ...figureOf(test) }]));
  const [first] = figures;
  const names = first === undefined ? [] : [caseName(first.sides[0], first.sides[1], given), caseName(first.sides[1], first.sides[0], given)];
  const unit = figures.flatMap(({ sides }) => sides.map((each) => each.unit)).find(Boolean) ?? "unit";
  const lengthOf = (/** @type {typeof figures[number]} */ each) => each.ratio ?? (each.contender !== null && each.baseline ? each.contender / each.baseline : null);
  const most = Math.max(1, ...figures.flatMap((each) => [lengthOf(each) ?? 0, each.interval?.[1] ?? 0]));
  const side = (/** @type {string} */ kind, /** @type {number | null} */ value, /** @type {number | null} */ length, /** @type {[number, number] | null} */ interval) =>
    element("div", { class: "side" }, element("span", {}, value === null ? "" : quantity(value, null, unit).value), length === null ? null : bar(length, interval, most, kind));
  const rows = figures.map((each) => {
    const words = each.ratio === null ? null : ratio(each.ratio, each.interval);
    const length = lengthOf(each);
    return [
      [each.target, " ", element("span", { class: `verdict ${LOOK[/** @type {"holds"} */ (each.decision)] ?? "open"}` }, each.decision.replaceAll("_", " "))],
      [side("contender", each.contender, length, each.interval), side("baseline", each.baseline, length === null ? null : 1, null)],
      words === null ? [element("span", { class: "absent" }, answers.length ? each.reason || "no ratio" : "–")] : [element("span", { class: "value" }, words.value), element("span", { class: "interval" }, words.interval ?? "interval unknown")],
    ];
  });
  const legend = element("p", { class: "side-legend" }, element("span", { class: "swatch contender" }), ...name(names[0] ?? ""), " against ", element("span", { class: "swatch baseline" }), ...name(names[1] ?? ""));
  const figuresTable = table({ caption: `${question}: ${names.join(" against ")}, and the ratio with its interval`, unseenCaption: true, kind: "answer-figures", head: ["Python", measured || "value", "ratio"], rows });
  return element("div", {}, legend, figuresTable);
}

/** @param {Site} site @returns {Node[]} */
function open(site) {
  const found = site.recent.filter((each) => each.open > 0);
  if (found.length === 0) {
    return site.files.changes === null ? [] : [headed("open", "No open regression", OPEN_HELP)];
  }
  const left = site.health.open_regressions - Math.min(OPEN, found.length);
  const more = left > 0 ? element("p", {}, element("a", { href: address("changes", { direction: "regressed", state: "current" }) }, `${counted(left, "older open regression")}`)) : null;
  const nodes = [headed("open", counted(site.health.open_regressions, "open regression"), OPEN_HELP), ...found.slice(0, OPEN).map((each) => eventCard(site, each)), more];
  return nodes.filter((each) => each !== null);
}

/** @param {Site} site @param {boolean} all whether open regressions are not listed above @returns {Node[]} */
function lately(site, all) {
  const found = site.recent.filter((each) => all || each.open === 0).slice(0, LATELY);
  const missing = site.files.changes === null ? "This site was published without change detection (windtunnel detect)." : `No ${all ? "" : "other "}relevant change was found.`;
  const flips = (/** @type {Claims} */ (site.claims)?.flips ?? []).map(({ claim, target, before, before_commit, after, after_commit }) =>
    element("li", {}, element("a", { href: `${address("claims")}#claim-${encodeURIComponent(claim)}` }, `Claim ${claim}`), ` on ${targetTitle(target)}: ${before} on ${shortHash(before_commit)}, ${after} on ${shortHash(after_commit)}`),
  );
  return [
    headed("recent", "What changed lately", LATELY_HELP),
    ...(found.length ? found.map((each) => eventCard(site, each)) : [element("p", { class: "empty" }, missing)]),
    element("p", {}, element("a", { href: address("changes") }, "All changes"), " and their feeds"),
    ...(flips.length ? [element("h3", {}, "Decisions that changed"), element("ul", { class: "turned" }, ...flips)] : []),
  ];
}
