// The overview: recent changes, the health of the measurements, coverage.

import { address, element, link, name, sparkline, table } from "../dom.js";
import { age, change as worded, counted, heights, targetTitle, shortHash } from "../format.js";

const IDLE = 14 * 86400;

/** @typedef {import("../types.js").SiteData} Site */

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ data }) {
  const site = await data.front();
  const now = Date.now() / 1000;
  return {
    title: `${site.project.name} · Windtunnel`,
    content: [
      element("h1", { tabindex: -1 }, link(site.project.url, site.project.name)),
      latest(site, now),
      cards(site, now),
      element("h2", { id: "recent" }, "Recent changes"),
      ...recent(site),
      element("h2", { id: "coverage" }, "What was measured"),
      element("p", { class: "lead" }, "The newest run at each target. A failed case is shown as a gap, never as a number."),
      coverage(site),
      site.notes.length ? element("ul", { class: "notes" }, ...site.notes.map((/** @type {string} */ note) => element("li", {}, note))) : null,
      ...reading(site),
    ].filter((each) => each !== null),
  };
}

/** @param {Site} site @param {number} now */
function latest({ newest, commits }, now) {
  if (!newest) {
    return element("p", { class: "latest" }, commits ? `${counted(commits, "commit")} with results.` : "No results yet.");
  }
  const about = [newest.subject, newest.date === null ? null : age(now - newest.date)].filter(Boolean).join(", ");
  return element("p", { class: "latest" }, "Newest commit with results: ", element("code", {}, link(newest.url, shortHash(newest.hash))), about ? ` ${about}` : "");
}

/** @param {Site} site @param {number} now */
function cards({ health, benchmarks, commits, targets }, now) {
  const measured = targets.reduce((total, each) => total + each.measured, 0);
  const failed = targets.reduce((total, each) => total + each.failed, 0);
  const share = measured + failed ? Math.floor((measured / (measured + failed)) * 1000) / 10 : 0;
  const idle = health.newest !== null && now - health.newest > IDLE;
  const rate = health.alarm_rate;
  return element(
    "dl",
    { class: "cards" },
    card("Benchmarks", String(benchmarks), counted(health.series, "series", "series"), address("benchmarks")),
    card("Commits measured", String(commits), `at ${counted(targets.length, "target")}`, address("compare")),
    card("Coverage", `${share} %`, failed ? `${counted(failed, "case")} failed` : "no case failed", "#coverage", failed > 0),
    card("Freshness", health.newest === null ? "unknown" : age(now - health.newest), health.stale ? `${health.stale} series not measured on the newest commit` : "every series is up to date", null, idle),
    card("False alarms", rate === null ? "at most 1 %" : percent(rate), falseAlarms(health), address("about")),
  );
}

/** The known false alarms. @param {Site["health"]} health */
function falseAlarms({ alarm_rate, comparisons, retracted }) {
  const arms = alarm_rate === null ? "promised; nothing has checked it here yet" : `of ${counted(comparisons, "comparison")} of the same code`;
  return retracted === null ? arms : `${arms}; ${counted(retracted, "alarm")} retracted`;
}

/** @param {number} share */
function percent(share) {
  return `${Number((share * 100).toPrecision(2))} %`;
}

/** @param {string} term @param {string} value @param {string} detail @param {string | null} href @param {boolean} [attention] */
function card(term, value, detail, href, attention = false) {
  const words = href === null ? value : element("a", { href }, value);
  return element("div", {}, element("dt", {}, term), element("dd", { class: attention ? "attention" : null }, words), element("dd", { class: "detail" }, detail));
}

/** @param {Site} site @returns {Node[]} */
function recent(site) {
  if (site.files.changes === null) {
    return [element("p", { class: "empty" }, "This site was published without change detection (windtunnel detect).")];
  }
  if (site.recent.length === 0) {
    return [element("p", { class: "empty" }, "No relevant change was found.")];
  }
  const rows = site.recent.map((each) => recentRow(site, each));
  const caption = "The newest events, each with its largest change: size, history and commit";
  return [table({ caption, kind: "recent", head: ["benchmark", "change", "history", "commit"], rows }), element("p", {}, element("a", { href: address("changes") }, "All changes"), " and their feeds")];
}

/** @param {Site} site @param {import("../types.js").RecentChange} change @returns {import("../dom.js").Child[][]} */
function recentRow({ targets, commit_url }, change) {
  const size = change.relative_change === null ? { value: "from zero", interval: null } : worded(change.relative_change, change.interval);
  const target = change.target === null ? null : targets[change.target].name;
  const worse = change.regressed > 0;
  const direction = worse && change.regressed < change.members ? "mixed" : worse ? "regressed" : "improved";
  const others = change.members > 1 ? `${change.members} series` : null;
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
    [
      element("code", {}, link(commit_url === null ? null : `${commit_url}${change.commit}`, shortHash(change.commit))),
      element("span", { class: "detail" }, [change.subject, change.date.slice(0, 10), others].filter(Boolean).join(" · ")),
    ],
  ];
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

/** @param {Site} site @returns {Node[]} */
function reading({ confidence, scenarios }) {
  const level = `${Number((confidence * 100).toPrecision(4))}\u00a0%`;
  const pairs = [
    ["Figure and interval", `The large figure is a median. The smaller line is its interval, which contains the true median with a confidence of at least ${level}, if calls do not influence each other. With too few samples there is no interval.`],
    ["Change", "A change is a new level that outlasts the noise of single runs. +20 % is a fifth more than before; 2× is twice as much. Regressed and improved depend on the benchmark's better direction."],
    ["Sparkline", "The newest values, oldest on the left. A break is a run without a value, the dot is the newest value, the shade is its interval. A vertical line is where a new level begins. Open a benchmark for the scale and every figure."],
    ...(scenarios ? [["Scenarios", "A scenario is one job done in several ways (variants). Ratios compare each with the reference; below 1× is smaller."]] : []),
    ["Limits", "Figures are for one machine, one commit and one set of versions. Absolute times differ on other machines; ratios differ less."],
  ];
  return [element("h2", { id: "reading" }, "How to read the figures"), element("dl", { class: "reading" }, ...pairs.flatMap(([term, text]) => [element("dt", {}, term), element("dd", {}, text)]))];
}
