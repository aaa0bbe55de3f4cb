// Alerts: what was told, its state, and what people answered.

import { address, element } from "../dom.js";
import { change as worded, counted } from "../format.js";

/** @typedef {import("../types.js").Alert} Alert */

/**
 * @param {readonly Alert[]} alerts newest first
 * @param {string} caption
 */
export function alertTable(alerts, caption) {
  const head = ["alert", "state", "last word"].map((text) => element("th", { scope: "col" }, text));
  return element("table", { class: "alerts" }, element("caption", {}, caption), element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...alerts.map(line)));
}

/** @param {Alert} alert */
function line(alert) {
  const last = alert.history.at(-1);
  const until = alert.state === "muted" && alert.until ? ` until ${alert.until.slice(0, 10)}` : "";
  return element(
    "tr",
    { id: `alert-${alert.id}` },
    element("th", { scope: "row" }, subject(alert), element("span", { class: "detail" }, element("a", { href: `${address("changes")}#alert-${alert.id}` }, alert.id), [null, alert.where?.commit.slice(0, 8), alert.where?.date.slice(0, 10)].filter((each) => each !== undefined).join(" · "))),
    element("td", {}, element("span", { class: "verdict open" }, `${alert.state}${until}`)),
    element("td", {}, last ? [last.why, last.who, last.when.slice(0, 10)].filter(Boolean).join(" · ") : ""),
  );
}

/** @param {Alert} alert */
function subject({ members, move, health_issue }) {
  if (health_issue) {
    return health_issue.text;
  }
  if (move) {
    return `${move.machine}: ${move.cases} of ${counted(move.total, "case")} moved by about ${worded(move.relative_change, null).value}`;
  }
  const names = [...new Set(members.map(({ benchmark }) => benchmark))];
  return names.length > 2 ? `${names[0]} and ${names.length - 1} more benchmarks` : names.join(", ");
}
