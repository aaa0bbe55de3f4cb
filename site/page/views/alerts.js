// Alerts: what was reported, its state, and the last change of state.

import { address, element } from "../dom.js";
import { change as worded, counted } from "../format.js";

/** @typedef {import("../types.js").Alert} Alert */

/**
 * @param {readonly Alert[]} alerts newest first
 * @param {string} caption
 */
export function alertTable(alerts, caption) {
  const head = ["alert", "state", "last change of state"].map((text) => element("th", { scope: "col" }, text));
  return element("table", { class: "alerts" }, element("caption", {}, caption), element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...alerts.map(line)));
}

/** @param {Alert} alert */
function line(alert) {
  const last = alert.history.at(-1);
  const until = alert.state === "muted" && alert.muted_until ? ` until ${alert.muted_until.slice(0, 10)}` : "";
  return element(
    "tr",
    { id: `alert-${alert.id}` },
    element("th", { scope: "row" }, subject(alert), element("span", { class: "detail" }, element("a", { href: `${address("changes")}#alert-${alert.id}` }, alert.id), [null, alert.location?.commit.slice(0, 8), alert.location?.date.slice(0, 10)].filter((each) => each !== undefined).join(" · "))),
    element("td", {}, element("span", { class: "verdict open" }, `${alert.state}${until}`)),
    element("td", {}, last ? [last.reason, last.author, last.time.slice(0, 10)].filter(Boolean).join(" · ") : ""),
  );
}

/** @param {Alert} alert */
function subject({ cases, machine_shift, health_issue }) {
  if (health_issue) {
    return health_issue.message;
  }
  if (machine_shift) {
    const { machine, shifted_cases, total_cases, relative_change } = machine_shift;
    return `${machine}: ${shifted_cases} of ${counted(total_cases, "case")} changed by about ${worded(relative_change, null).value}`;
  }
  const names = [...new Set(cases.map(({ benchmark }) => benchmark))];
  return names.length > 2 ? `${names[0]} and ${names.length - 1} more benchmarks` : names.join(", ");
}
