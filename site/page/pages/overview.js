// The first page: the answers of a suite with claims, or open regressions and the map of recent changes; then what
// changed lately; then coverage and health.

import { address, bar, card, element, link, name, sparkline, table } from "../dom.js";
import { age, caseName, change as worded, counted, day, heights, listed, quantity, ratio, shortHash, targetTitle } from "../format.js";

const IDLE = 14 * 86400;
const EVENTS = 10;
const LOOK = { holds: "less", fails: "more" };

/** @typedef {import("../types.js").SiteData} Site */
/** @typedef {import("../types.js").Answer} Answer */

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ data }) {
  const site = await data.front();
  const [now, answers] = [Date.now() / 1000, site.claims?.answers ?? []];
  return {
    title: `${site.project.name} · Windtunnel`,
    content: [
      element("h1", { tabindex: -1 }, link(site.project.url, site.project.name)),
      latest(site, now),
      ...(answers.length ? answered(site, answers) : [...open(site), ...changeMap(site)]),
      ...lately(site, answers.length > 0),
      element("h2", { id: "coverage" }, "Coverage and health"),
      cards(site, now),
      coverage(site),
      site.notes.length ? element("ul", { class: "notes" }, ...site.notes.map((/** @type {string} */ note) => element("li", {}, note))) : null,
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
  const when = first?.measured ? `Measured ${first.measured}` : `Results of ${(first?.date ?? "").slice(0, 10)}`;
  return element(
    "article",
    { class: "finding", "aria-labelledby": `finding-${encodeURIComponent(answer.id)}` },
    element("h3", { id: `finding-${encodeURIComponent(answer.id)}` }, answer.question),
    ...(sentences.length ? sentences : [element("p", { class: "answer" }, `Not decided yet${first?.reason ? `: ${first.reason}` : ""}.`)]),
    answer.caveat ? element("p", { class: "aside" }, answer.caveat) : null,
    answerFigures(answer),
    element("p", { class: "source" }, when, ...(first?.commit ? [" on commit ", element("code", {}, link(site.commit_url && `${site.commit_url}${first.commit}`, shortHash(first.commit)))] : []), " · ", element("a", { href: `${address("claims")}#claim-${encodeURIComponent(answer.claim)}` }, `claim ${answer.claim} and its measurement`)),
  );
}

/** The chart of an answer: on each Python both cases as bars, relative to the baseline, beside the figures. @param {Answer} answer */
function answerFigures({ contender, baseline, given, unit, figures, question, answers, quantity: measured }) {
  const names = [caseName(contender, baseline, given), caseName(baseline, contender, given)];
  const lengthOf = (/** @type {Answer["figures"][number]} */ each) => each.ratio ?? (each.contender !== null && each.baseline ? each.contender / each.baseline : null);
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
    return site.files.changes === null ? [] : [element("h2", { id: "open" }, "Open regressions"), element("p", { class: "empty" }, "No regression that was found still holds.")];
  }
  const left = site.health.open_regressions - found.length;
  return [element("h2", { id: "open" }, `${counted(site.health.open_regressions, "open regression")}`), events(site, found, `By cause: a commit and every series whose level moved there, shown by the largest${left > 0 ? `; ${left} older ones are on the page of changes` : ""}`)];
}

/** The map: a row for each benchmark, a column for each commit; a cell opens the history there. @param {Site} site @returns {Node[]} */
function changeMap({ map, commits, commit_url }) {
  if (map === null) {
    return [];
  }
  const { commits: columns, rows } = map;
  const title = (/** @type {number} */ at) => [shortHash(columns[at].hash), columns[at].subject, columns[at].date && day(columns[at].date)].filter(Boolean).join(" · ");
  const cell = (/** @type {import("../types.js").MapRow} */ { benchmark, higher_is_better }, /** @type {number | null} */ change, /** @type {number} */ at) => {
    const [index, depth] = [columns[at].commit, change === null ? 0 : [50, 200, 1000].filter((least) => Math.abs(Math.log1p(change / 1000)) >= Math.log1p(least / 1000)).length];
    const words = change === null || depth === 0 ? "·" : `${change > 0 ? "+" : "−"}${Math.abs(Math.round(change / 10))}`;
    const href = address("benchmark", { name: benchmark, zoom: `${Math.max(0, index - 15)}_${Math.min(commits - 1, index + 15)}` });
    return element("td", { class: depth ? `heat-${(change ?? 0) > 0 === higher_is_better ? "less" : "more"}-${depth}` : null }, change === null ? "" : element("a", { href, tabindex: -1, title: `${title(at)}: ${worded(change / 1000, null).value}` }, words));
  };
  const head = columns.map(({ hash }, at) => element("th", { scope: "col", title: title(at) }, link(commit_url && `${commit_url}${hash}`, hash.slice(0, 4))));
  const body = rows.map((row) => element("tr", {}, element("th", { scope: "row" }, element("a", { href: address("benchmark", { name: row.benchmark }) }, ...name(row.benchmark))), ...row.changes.map((change, at) => cell(row, change, at))));
  const out = map.machine_shifts ? ` ${counted(map.machine_shifts, "shift")} of a whole machine ${map.machine_shifts === 1 ? "is" : "are"} taken out.` : "";
  const caption = `Change in percent against the oldest third of the newest ${columns.length} of ${counted(commits, "commit")}; a dot is less than 5 %, orange is worse. ${map.moved} of ${counted(map.benchmarks, "benchmark")} moved${map.moved > rows.length ? `, and ${map.moved - rows.length} of them are left out: detected changes come first, then the largest` : ""}.${out}`;
  if (rows.length === 0) {
    return [element("h2", { id: "map" }, "Recent commits"), element("p", { class: "empty" }, `None of ${counted(map.benchmarks, "benchmark")} moved by 5 % or more over the newest ${counted(columns.length, "commit")}.`)];
  }
  const grid = element("table", { class: "heat map" }, element("caption", { class: "unseen" }, "Change of each benchmark at each commit, in percent"), element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "benchmark"), ...head)), element("tbody", {}, ...body));
  const box = element("div", { class: "wide", role: "region", tabindex: 0, "aria-label": "Benchmarks by recent commits" }, grid);
  requestAnimationFrame(() => box.scrollTo(box.scrollWidth, 0)); // the newest commits are at the right
  return [element("h2", { id: "map" }, "Recent commits"), element("p", { class: "lead" }, caption), box];
}

/** @param {Site} site @param {boolean} all whether open regressions are not listed above @returns {Node[]} */
function lately(site, all) {
  const found = site.recent.filter((each) => all || each.open === 0).slice(0, EVENTS);
  const missing = site.files.changes === null ? "This site was published without change detection (windtunnel detect)." : `No ${all ? "" : "other "}relevant change was found.`;
  const flips = (site.claims?.flips ?? []).map(({ claim, target, before, before_commit, after, after_commit }) =>
    element("li", {}, element("a", { href: `${address("claims")}#claim-${encodeURIComponent(claim)}` }, `Claim ${claim}`), ` on ${targetTitle(target)}: ${before} on ${shortHash(before_commit)}, ${after} on ${shortHash(after_commit)}`),
  );
  return [element("h2", { id: "recent" }, "What changed lately"), found.length ? events(site, found, "The newest events, each with its largest change: size, history and commit") : element("p", { class: "empty" }, missing), element("p", {}, element("a", { href: address("changes") }, "All changes"), " and their feeds"), ...(flips.length ? [element("h3", {}, "Decisions that changed"), element("ul", { class: "turned" }, ...flips)] : [])];
}

/** @param {Site} site @param {readonly import("../types.js").RecentChange[]} found @param {string} caption */
function events(site, found, caption) {
  return table({ caption, kind: "recent", head: ["benchmark", "change", "history", "commit"], rows: found.map((each) => eventRow(site, each)) });
}

/** @param {Site} site @param {import("../types.js").RecentChange} change @returns {import("../dom.js").Child[][]} */
function eventRow({ targets, commit_url }, change) {
  const size = change.relative_change === null ? { value: "from zero", interval: null } : worded(change.relative_change, change.interval);
  const target = change.target === null ? null : targets[change.target].name;
  const worse = change.regressed > 0;
  const direction = worse && change.regressed < change.members ? "mixed" : worse ? "regressed" : "improved";
  const others = change.members > 1 ? `${change.members} series` : null;
  const about = [change.subject, change.date.slice(0, 10), others].filter(Boolean).join(" · ");
  return [
    [element("a", { href: address("benchmark", { name: change.benchmark }) }, ...name(change.benchmark)), element("span", { class: "detail" }, [...change.params, target].filter(Boolean).join(" · "))],
    [
      element("span", { class: "value" }, size.value),
      " ",
      element("span", { class: `verdict ${worse ? "more" : "less"}` }, direction),
      size.interval === null ? null : element("span", { class: "interval" }, size.interval),
      change.status === "current" ? null : element("span", { class: "detail" }, change.status),
    ],
    [sparkline(heights(change.spark), { low: heights(change.spark_low), high: heights(change.spark_high), marks: change.marks })],
    [element("code", {}, link(commit_url === null ? null : `${commit_url}${change.commit}`, shortHash(change.commit))), element("span", { class: "detail" }, about)],
  ];
}

/** @param {Site} site @param {number} now */
function cards({ health, benchmarks, commits, targets, claims }, now) {
  const measured = targets.reduce((total, each) => total + each.measured, 0);
  const failed = targets.reduce((total, each) => total + each.failed, 0);
  const share = measured + failed ? Math.floor((measured / (measured + failed)) * 1000) / 10 : 0;
  const idle = health.newest !== null && now - health.newest > IDLE;
  const { alarm_rate: rate, comparisons, retracted } = health;
  const checked = rate === null ? "promised; nothing has checked it here yet" : `of ${counted(comparisons, "comparison")} of the same code`;
  const alarms = retracted === null ? checked : `${checked}; ${counted(retracted, "alarm")} retracted`;
  const decided = claims === null ? 0 : claims.holds + claims.fails;
  return element(
    "dl",
    { class: "cards" },
    claims === null ? null : card("Claims decided", `${percent(decided / Math.max(1, decided + claims.undecided))}`, `${claims.holds} hold, ${claims.fails} fail, ${claims.undecided} undecided`, address("claims")),
    card("Benchmarks", String(benchmarks), counted(health.series, "series", "series"), address("benchmarks")),
    card("Commits measured", String(commits), `at ${counted(targets.length, "target")}`, address("compare")),
    card("Cases measured", `${share} %`, failed ? `${counted(failed, "case")} failed` : "no case failed", null, failed > 0),
    card("Freshness", health.newest === null ? "unknown" : age(now - health.newest), health.stale ? `${health.stale} series not measured on the newest commit` : "every series is up to date", null, idle),
    card("False alarms", rate === null ? "at most 1 %" : percent(rate), alarms, address("about")),
  );
}

/** @param {number} share */
function percent(share) {
  return `${Number((share * 100).toPrecision(2))} %`;
}

/** @param {Site} site */
function coverage({ targets, benchmarks }) {
  const rows = targets.map(({ name: target, machine, runs, measured, failed }) => [
    [targetTitle(target), element("span", { class: "detail" }, machine)],
    [counted(runs, "commit")],
    [String(measured)],
    [element("span", { class: failed ? "attention" : null }, String(failed))],
  ]);
  const caption = `Each Python and machine: commits measured there, and how the cases of the newest ended (of ${counted(benchmarks, "benchmark")})`;
  return table({ caption, kind: "coverage", head: ["target", "measured", "with a value", "failed"], rows });
}
