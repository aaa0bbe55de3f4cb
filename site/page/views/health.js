// The state of the measurements: a line for the first page, and the details for the page about the figures.

import { address, card, element, table } from "../dom.js";
import { age, counted, targetTitle } from "../format.js";

const IDLE = 14 * 86400;

/** @typedef {import("../types.js").SiteData} Site */

/** @param {Site} site @param {number} now */
export function healthLine({ health, error_rates, targets, benchmarks, commits }, now) {
  if (commits === 0) {
    return null;
  }
  const { newest, stale, series } = health;
  const rate = error_rates?.all.false_alarms?.rate ?? null;
  const failed = targets.reduce((total, each) => total + each.failed, 0);
  const old = newest === null ? null : now - newest;
  const parts = [
    [`${counted(benchmarks, "benchmark")}, ${counted(series, "series", "series")}, ${counted(commits, "commit")}`, false],
    [failed ? `${counted(failed, "case")} failed` : "no case failed", failed > 0],
    [stale ? `${counted(stale, "benchmark")} not measured on the newest commit` : "every benchmark is up to date", false],
    ...(old !== null && old > IDLE ? [[`no new result for ${age(old).replace(" ago", "")}`, true]] : []),
    [rate === null ? "false alarms: at most 1 % promised" : `false alarms: ${percent(rate)}`, false],
  ];
  return element("p", { class: "health" }, ...parts.map(([words, attention]) => element("span", { class: attention ? "attention" : null }, String(words))), element("a", { href: `${address("about")}#coverage` }, "Details"));
}

/** @param {Site} site @param {number} now */
export function cards({ health, error_rates, benchmarks, commits, targets, claims }, now) {
  const measured = targets.reduce((total, each) => total + each.measured, 0);
  const failed = targets.reduce((total, each) => total + each.failed, 0);
  const share = measured + failed ? Math.floor((measured / (measured + failed)) * 1000) / 10 : 0;
  const idle = health.newest !== null && now - health.newest > IDLE;
  const checked = error_rates?.all.false_alarms ?? null;
  const rate = checked && checked.rate;
  const alarms = checked === null ? "promised; nothing has checked it here yet" : `of ${counted(checked.trials, "comparison")} of the same code`;
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
export function coverage({ targets, benchmarks }) {
  const rows = targets.map(({ name: target, machine, runs, measured, failed }) => [
    [targetTitle(target), element("span", { class: "detail" }, machine)],
    [counted(runs, "commit")],
    [String(measured)],
    [element("span", { class: failed ? "attention" : null }, String(failed))],
  ]);
  const caption = `Each Python and machine: commits measured there, and how the cases of the newest ended (of ${counted(benchmarks, "benchmark")})`;
  return table({ caption, kind: "coverage", head: ["target", "measured", "with a value", "failed"], rows });
}
