// Alerts: what was reported, its state, who set it and why, where people answer, and what a bisection found.

import { address, element, link, table } from "../dom.js";
import { counted, listed, shortHash } from "../format.js";
import { sizeWords } from "../words.js";
import { alertLine, issueLink } from "./event.js";

/** @typedef {import("../types.js").ShownAlert} Alert */

/**
 * @param {readonly Alert[]} alerts newest first
 * @param {string} caption
 * @param {string | null} commits the prefix of commits' addresses
 * @returns {Node[]}
 */
export function alertParts(alerts, caption, commits) {
  const rows = alerts.map((alert) => [[subject(alert), element("span", { class: "detail line", id: `alert-${alert.id}` }, element("a", { href: `${address("changes")}#alert-${alert.id}` }, alert.id), place(alert)), issueLink(alert.id, commits, alert.issue?.number)], stateParts(alert), bisectionParts(alert, commits)]);
  return [table({ caption, kind: "alerts", head: ["alert", "state", "bisection"], rows }), answering()];
}

/**
 * The alerts of an event, each in a line, with what its bisection found and how people answer it.
 *
 * @param {readonly Alert[]} alerts
 * @param {string | null} commits the prefix of commits' addresses
 * @returns {Node[]}
 */
export function eventAlerts(alerts, commits) {
  return alerts.flatMap((alert) => {
    const found = alert.bisection ? element("p", { class: "alert-line" }, "Bisection: ", ...bisectionParts(alert, commits)) : null;
    const how = alert.state === "open" ? answering() : null;
    return [alertLine({ id: alert.id, state: alert.state, author: alert.issue?.person ?? "", reason: alert.over, since: alert.updated }, commits), found, how].filter((each) => each !== null);
  });
}

function answering() {
  return element("p", { class: "about" }, "To accept the new level: close the issue as not planned. To mute it: label ", element("code", {}, "muted"), ".");
}

/** @param {Alert} alert */
function place({ location }) {
  return [null, location?.commit.slice(0, 8), location?.date.slice(0, 10)].filter((each) => each !== undefined).join(" · ");
}

/** @param {Alert} alert @returns {import("../dom.js").Child[]} */
function stateParts({ state, over, updated, issue }) {
  return [element("span", { class: "tag" }, state), over ? element("span", { class: "reason" }, over) : null, element("span", { class: "detail line" }, [issue?.person, updated.slice(0, 10)].filter(Boolean).join(", "))];
}

/** @param {Alert} alert @param {string | null} commits @returns {import("../dom.js").Child[]} */
function bisectionParts({ bisection: found, location }, commits) {
  if (!found) {
    return [location && location.candidate_count > 1 ? `one of ${counted(location.candidate_count, "commit")}` : ""];
  }
  const moved = found.relative_change === null ? "" : `, ${sizeWords(found.relative_change, "unit")} by ${found.decided_by}`;
  const functions = found.functions.length ? element("ul", { class: "notes" }, ...found.functions.map((each) => element("li", {}, each))) : null;
  if (found.packages.length) {
    return [`${listed(found.packages)}${moved}`, functions];
  }
  if (found.after && found.range_size === 1) {
    return [element("code", {}, link(commits && `${commits}${found.after}`, shortHash(found.after))), ` ${found.subject}${moved}`, functions];
  }
  return [found.after ? `one of ${counted(found.range_size, "commit")} up to ${shortHash(found.after)}${moved}` : found.reason || found.answer, functions];
}

/** @param {Alert} alert */
function subject({ cases, benchmark_count, machine_shift, health_issue }) {
  if (health_issue) {
    return health_issue.message;
  }
  if (machine_shift) {
    const { machine, shifted_cases, total_cases, relative_change } = machine_shift;
    return `${machine}: ${shifted_cases} of ${counted(total_cases, "case")} changed by about ${sizeWords(relative_change, "seconds")}`;
  }
  const names = [...new Set(cases.map(({ benchmark }) => benchmark))];
  return benchmark_count > 2 ? `${names[0]} and ${benchmark_count - 1} more benchmarks` : names.join(", ");
}
