// The changes: events with their members, alerts and feeds.

import { element, heading, method, name as broken } from "../dom.js";
import { counted, listed, plain, quantity, shortHash } from "../format.js";
import { dayWords, sizeWords } from "../words.js";
import { chosenEvents, DIRECTIONS, STATES } from "../models/changes.js";
import { one } from "../models/choices.js";
import { alertParts, eventAlerts } from "../views/alerts.js";
import { changeTable, commitParts } from "../views/changes.js";
import { check, choice, controls, finder } from "../views/controls.js";
import { chartFigure } from "../views/event.js";
import { disclosure, noteList } from "../views/parts.js";

const EVENTS = 25;
const MEMBERS = 3;
const MAX_PYTHONS = 3;
/** @typedef {import("../models/changes.js").Group} Group */
/** @typedef {{site: import("../models/types.js").Site, all: (group: Group) => Promise<readonly import("../types.js").Change[]>, charts: (event: string) => Promise<readonly import("../types.js").ChartData[]>, raw: boolean, alerts: readonly import("../types.js").ShownAlert[]}} Shown */

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ choices, data, choose, note }) {
  const [site, changes, alerts] = await Promise.all([data.site(), data.changesHead(), data.alerts()]);
  if (changes === null) {
    return { title: `Changes · ${site.project.name}`, content: heading(["Changes are not known here."], ["This site was published without change detection (windtunnel detect)."]) };
  }
  const list = element("div", { class: "events" });
  const raw = choices.get("raw") === "yes";
  /** @type {Shown} */
  const shown = { site, all: async ({ members, count, shown: each }) => (members.length < count ? data.members(each) : members), charts: data.charts, raw, alerts: alerts?.alerts ?? [] };
  let newest = "";
  const fill = async (/** @type {string} */ find) => {
    newest = find;
    const chosen = { direction: one(choices, "direction", DIRECTIONS, "both"), state: one(choices, "state", STATES, "all"), find };
    const first = await next(shown, chosenEvents(data, changes.blocks, chosen), location.hash);
    if (newest === find) {
      list.replaceChildren(...(first.length ? first : [element("p", { class: "empty", role: "status" }, "No matching change.")]));
    }
  };
  await fill(choices.get("find") ?? "");
  const typed = (/** @type {string} */ find) => {
    note({ find });
    void fill(find);
  };
  const options = (/** @type {string[]} */ names) => names.map((each) => /** @type {[string, string]} */ ([each, each]));
  return {
    title: `Changes · ${site.project.name}`,
    content: [
      ...top(site, changes),
      controls(
        choice({ name: "direction", label: "Direction", options: options(DIRECTIONS), chosen: one(choices, "direction", DIRECTIONS, "both"), choose }),
        choice({ name: "state", label: "State", options: options(STATES), chosen: one(choices, "state", STATES, "all"), choose }),
        finder("Find", choices.get("find") ?? "", typed),
        check({ name: "raw", label: "as measured", checked: raw, choose: (on) => choose({ raw: on ? "yes" : null }) }),
      ),
      list,
      ...(alerts?.alerts.length ? [element("h2", { id: "alerts" }, "Alerts"), ...alertParts(alerts.alerts.toReversed(), "Newest first", site.project.commit_url)] : []),
      ...machineShifts(changes),
      noteList(changes.notes),
      feeds(),
    ].filter((each) => each !== null),
  };
}

/** Links to the feeds, which are beside the pages. */
function feeds() {
  const links = ["regressions", "improvements"].map((what) => element("li", {}, element("a", { href: `feeds/${what}.atom` }, what)));
  return element("div", { class: "feeds", id: "feeds" }, element("span", {}, "Feeds:"), element("ul", { class: "links" }, ...links));
}

/**
 * The next events, at least up to the one that the address names, and a button for older ones.
 *
 * @param {Shown} shown @param {AsyncGenerator<Group>} groups @param {string} hash @returns {Promise<Node[]>}
 */
async function next(shown, groups, hash = "") {
  /** @type {Node[]} */
  const nodes = [];
  let isWanted = hash.startsWith("#event-");
  while (nodes.length < EVENTS || isWanted) {
    const { value, done } = await groups.next();
    if (done) {
      return nodes;
    }
    nodes.push(event(shown, value));
    isWanted &&= hash !== `#event-${value.event.id}`;
  }
  const button = element("button", { type: "button", class: "show-more" }, "Show older changes");
  button.addEventListener("click", async () => {
    button.disabled = true;
    const older = await next(shown, groups).catch(() => [element("p", { role: "status" }, "Older changes could not be loaded. Reload the page.")]);
    button.replaceWith(...older);
  });
  return [...nodes, button];
}

/** How many changes there are, and since when. @param {import("../models/types.js").Site} site @param {import("../types.js").ChangesData} changes */
function top(site, changes) {
  const { event_count: count, series, commits, too_short, advice, regressed, improved } = changes;
  const both = count - regressed - improved;
  const first = site.commits.date.find((each) => each !== null);
  const since = typeof first === "number" ? ` since ${new Date(first * 1000).toLocaleDateString("en-GB", { month: "long", year: "numeric", timeZone: "UTC" })}` : "";
  const parts = [regressed ? `${regressed} for the worse` : "", improved ? `${improved} for the better` : "", both ? `${both} both` : ""].filter(Boolean);
  const short = too_short >= series / 2 && too_short > 0 ? element("span", { class: "attention" }, `Not examined: ${too_short} of ${counted(series, "series", "series")}, because they have too few values. ${advice} `) : "";
  const compare = site.claims === null ? [] : [element("a", { href: "?page=compare" }, "Compare two sets of runs"), " · "];
  return heading([count ? `${counted(count, "change")}${since}` : too_short === series ? "Changes show from 6 commits on." : "No change was found."], parts.length ? [`${parts.join(", ")}.`] : null, [`${counted(series, "series", "series")} over ${counted(commits, "commit")}. A change is a commit, or several that were not measured one by one, and every series whose level moved there. What the machine did to all times of a run is taken out. `, short, ...compare, method()]);
}

/** A change in a line; opened, its picture, its members and its alerts. @param {Shown} shown @param {Group} group */
function event(shown, group) {
  const { site } = shown;
  const { event: { id, commit, previous_commit, candidate_count, date, lead, cases, part, pythons, regressed: all }, members, count } = group;
  const [largest] = [members.find(({ id: each }) => each === lead) ?? members[0]];
  const level = (/** @type {number} */ value) => quantity(value, null, largest.unit ?? "unit").value;
  const regressed = members.length < count ? all : members.filter(({ direction }) => direction === "regressed").length;
  const mixed = regressed > 0 && regressed < count ? `, ${regressed} of ${count} regressed` : "";
  const smaller = count - MEMBERS;
  const rest = () => {
    const box = element("div", {}, "Loading…");
    void shown.all(group).then((each) => box.replaceChildren(changeTable(site, each.slice(MEMBERS), `The other ${counted(smaller, "series", "series")} of this change`, { commit: true })), () => box.replaceChildren("These changes could not be loaded. Reload the page."));
    return [box];
  };
  const inside = () => [
    element("p", { class: "about" }, scope(cases, part, pythons), movedWords(group.event.moved), ...commitParts(site, { commit, previous_commit, candidate_count, date })),
    ...eventAlerts(shown.alerts.filter(({ location, cases: own }) => location?.commit === commit && own.length), site.project.commit_url),
    chartsOf(shown, id, members),
    changeTable(site, members.slice(0, MEMBERS), `${counted(count, "series", "series")} of this change, the largest first`, { commit: true }),
    ...(smaller > 0 ? [disclosure(`${counted(smaller, "smaller change")} of the same commit`, rest)] : []),
  ];
  const isOpen = location.hash === `#event-${id}`;
  const details = element("details", { class: "event", id: `event-${id}`, open: isOpen }, element("summary", { class: "row" }, element("span", { class: largest.direction === "regressed" ? "worse" : "better" }, `${sizeWords(largest.relative_change, largest.unit ?? "unit")}${count > 1 ? `, and ${counted(count - 1, "more case", "more cases")}` : ""}${mixed}`), element("span", {}, element("strong", {}, ...broken(largest.benchmark.slice(largest.benchmark.lastIndexOf(".") + 1))), " ", element("span", { class: "detail" }, ...broken(largest.benchmark.slice(0, Math.max(0, largest.benchmark.lastIndexOf(".")))))), element("span", {}, `${level(largest.before)} → ${level(largest.after)}${largest.status === "current" ? "" : `, ${largest.status}`}`), element("span", { class: "detail" }, element("code", {}, shortHash(commit)), `, ${dayWords(date)}`)));
  let made = false;
  const fill = () => {
    if (details.open && !made) {
      made = true;
      details.append(element("div", { class: "inside" }, ...inside()));
    }
  };
  details.addEventListener("toggle", fill);
  fill();
  return details;
}

/** The pictures of a change. @param {Shown} shown @param {string} id @param {readonly import("../types.js").Change[]} members */
function chartsOf({ charts, raw }, id, members) {
  const box = element("div", { class: "event-charts" });
  void charts(id).then((found) => box.replaceChildren(...found.flatMap((chart) => members.filter((each) => each.id === chart.change).map((each) => picture(chart, each, raw)))));
  return box;
}

/** @param {import("../types.js").ChartData} chart @param {import("../types.js").Change} change @param {boolean} raw */
function picture(chart, { benchmark, params, unit, direction }, raw) {
  const name = params.length ? `${benchmark}(${params.map(plain).join(", ")})` : benchmark;
  return element("div", {}, chartFigure(chart, { name, unit: unit ?? "unit", direction, raw }));
}

/** How many cases changed, of which part of the suite, on which Pythons. @param {number} cases @param {string} part @param {readonly string[]} pythons */
function scope(cases, part, pythons) {
  const named = pythons.length > MAX_PYTHONS ? `${pythons[0]} to ${pythons.at(-1)}` : listed(pythons);
  return cases ? `${counted(cases, "case")}${part ? ` of ${part}` : ""}${named ? ` on Python ${named}` : ""}. ` : "";
}

/** What moved besides the project. @param {import("../types.js").MovedBuild} moved */
function movedWords({ python, packages, count }) {
  const named = [...(python ? [python] : []), ...packages, ...(count > packages.length ? [`${count - packages.length} more`] : [])];
  return named.length ? `Between the two runs moved: ${listed(named)}. ` : "";
}

/** @param {import("../types.js").ChangesData} changes @returns {Node[]} */
function machineShifts({ machine_shifts }) {
  if (machine_shifts.length === 0) {
    return [];
  }
  const items = machine_shifts.map(({ commit, date, machine, relative_change, shifted_cases, total_cases }) =>
    element("li", {}, `${date.slice(0, 10)}, ${commit.slice(0, 8)}, on ${machine}: ${shifted_cases} of ${total_cases} cases ${sizeWords(relative_change, "seconds")}`),
  );
  return [element("h2", {}, "Machine shifts"), element("p", { class: "about" }, "Nearly all times of a machine changed by the same factor: other hardware, another interpreter, or a change to everything."), element("ul", { class: "notes" }, ...items)];
}
