// The changes: events with their members, alerts and feeds.

import { element, name as broken } from "../dom.js";
import { change as worded, counted, listed, plain } from "../format.js";
import { chosenEvents, DIRECTIONS, STATES } from "../models/changes.js";
import { one } from "../models/choices.js";
import { alertParts, eventAlerts } from "../views/alerts.js";
import { changeTable, commitParts } from "../views/changes.js";
import { check, choice, controls, finder } from "../views/controls.js";
import { chartFigure } from "../views/event.js";
import { disclosure, help, noteList } from "../views/parts.js";

const EVENTS = 25;
const MEMBERS = 3;
const MAX_PYTHONS = 3;
const EVENT = "An event is a commit, or a range of commits that were not measured, and every series whose level moved there. A picture shows the largest change: a dot is a run, a line a level. What the machine did to all times of a run is taken out, unless “as measured” is chosen.";

/** @typedef {import("../models/changes.js").Group} Group */
/** @typedef {{site: import("../models/types.js").Site, all: (group: Group) => Promise<readonly import("../types.js").Change[]>, charts: (event: string) => Promise<readonly import("../types.js").ChartData[]>, raw: boolean, alerts: readonly import("../types.js").ShownAlert[]}} Shown */

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ choices, data, choose, note }) {
  const [site, changes, alerts] = await Promise.all([data.site(), data.changesHead(), data.alerts()]);
  if (changes === null) {
    return { title: `Changes · ${site.project.name}`, content: [element("h1", { tabindex: -1 }, "Changes"), element("p", { class: "empty" }, "This site was published without change detection (windtunnel detect).")] };
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
      element("h1", { tabindex: -1 }, "Changes"),
      element("div", { class: "headed" }, element("p", { class: "lead" }, `${counted(changes.event_count, "event")} in ${counted(changes.series, "series", "series")} over ${counted(changes.commits, "commit")}`), help("event", EVENT)),
      changes.too_short >= changes.series / 2 && changes.too_short > 0 ? element("p", { role: "status" }, `Not examined: ${changes.too_short} of ${counted(changes.series, "series", "series")}, because they have too few values. ${changes.advice}`) : null,
      controls(
        choice({ name: "direction", label: "Direction", options: options(DIRECTIONS), chosen: one(choices, "direction", DIRECTIONS, "both"), choose }),
        choice({ name: "state", label: "State", options: options(STATES), chosen: one(choices, "state", STATES, "all"), choose }),
        finder("Find", choices.get("find") ?? "", typed),
        check({ name: "raw", label: "as measured", checked: raw, choose: (on) => choose({ raw: on ? "yes" : null }) }),
      ),
      feeds(),
      list,
      ...(alerts?.alerts.length ? [element("h2", { id: "alerts" }, "Alerts"), ...alertParts(alerts.alerts.toReversed(), "Newest first", site.project.commit_url)] : []),
      ...machineShifts(changes),
      noteList(changes.notes),
    ].filter((each) => each !== null),
  };
}

/** Links to the feeds, which are beside the pages. */
function feeds() {
  const links = ["regressions", "improvements"].map((what) => element("li", {}, element("a", { href: `feeds/${what}.atom` }, what)));
  return element("div", { class: "feeds" }, element("span", {}, "Feeds:"), element("ul", {}, ...links));
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
  const button = element("button", { type: "button", class: "show-more" }, "Show older events");
  button.addEventListener("click", async () => {
    button.disabled = true;
    const older = await next(shown, groups).catch(() => [element("p", { role: "status" }, "Older events could not be loaded. Reload the page.")]);
    button.replaceWith(...older);
  });
  return [...nodes, button];
}

/** @param {Shown} shown @param {Group} group */
function event(shown, group) {
  const { site } = shown;
  const { event: { id, commit, previous_commit, candidate_count, date, largest_change, lead, cases, part, pythons }, members, count } = group;
  const [largest] = members.filter(({ id: each }) => each === lead);
  const size = largest_change === null ? "" : `, by up to ${worded(largest_change, largest?.interval ? [largest.interval.low, largest.interval.high] : null).value}`;
  const regressed = members.length < count ? group.event.regressed : members.filter(({ direction }) => direction === "regressed").length;
  const counts = [regressed ? `${regressed} regressed` : null, count > regressed ? `${count - regressed} improved` : null].filter(Boolean).join(", ");
  const smaller = count - MEMBERS;
  const rest = () => {
    const box = element("div", {}, "Loading…");
    const caption = `The other ${counted(smaller, "series", "series")} of this event`;
    void shown.all(group).then((all) => box.replaceChildren(changeTable(site, all.slice(MEMBERS), caption, { commit: true })), () => box.replaceChildren("These changes could not be loaded. Reload the page."));
    return [box];
  };
  const more = smaller > 0 ? disclosure(`${counted(smaller, "smaller change")} of the same event`, rest) : null;
  return element(
    "section",
    { class: "event", "aria-labelledby": `event-${id}` },
    element("h2", { id: `event-${id}` }, `${scope(cases, part, pythons)}${counts}${size}`),
    element("p", { class: "aside" }, ...commitParts(site, { commit, previous_commit, candidate_count, date })),
    ...eventAlerts(shown.alerts.filter(({ location, cases }) => location?.commit === commit && cases.length), site.project.commit_url),
    chartsOf(shown, id, members),
    changeTable(site, members.slice(0, MEMBERS), `${counted(count, "series", "series")} of this event, the largest change first`, { commit: true }),
    more,
  );
}

/** The pictures of an event, which are loaded when it is near the window. @param {Shown} shown @param {string} id @param {readonly import("../types.js").Change[]} members */
function chartsOf({ charts, raw }, id, members) {
  const box = element("div", { class: "event-charts" });
  const near = new IntersectionObserver((entries) => {
    if (entries.some(({ isIntersecting }) => isIntersecting)) {
      near.disconnect();
      void charts(id).then((found) => box.replaceChildren(...found.flatMap((chart) => members.filter((each) => each.id === chart.change).map((each) => picture(chart, each, raw)))));
    }
  }, { rootMargin: "600px" });
  near.observe(box);
  return box;
}

/** @param {import("../types.js").ChartData} chart @param {import("../types.js").Change} change @param {boolean} raw */
function picture(chart, { benchmark, params, unit, direction, relative_change, interval }, raw) {
  const name = params.length ? `${benchmark}(${params.map(plain).join(", ")})` : benchmark;
  const size = relative_change === null ? "" : `: ${worded(relative_change, interval && [interval.low, interval.high]).value}`;
  return element("div", {}, element("h3", {}, ...broken(`${name}${size}`)), chartFigure(chart, { name, unit: unit ?? "unit", direction, raw }));
}

/**
 * What an event is about: how many cases, of which part of the suite, on which Pythons.
 *
 * @param {number} cases @param {string} part @param {readonly string[]} pythons
 */
function scope(cases, part, pythons) {
  if (!cases) {
    return "";
  }
  const named = pythons.length > MAX_PYTHONS ? `${pythons[0]} to ${pythons.at(-1)}` : listed(pythons);
  return `${counted(cases, "case")}${part ? ` of ${part}` : ""}${named ? ` on Python ${named}` : ""}: `;
}

/** @param {import("../types.js").ChangesData} changes @returns {Node[]} */
function machineShifts({ machine_shifts }) {
  if (machine_shifts.length === 0) {
    return [];
  }
  const items = machine_shifts.map(({ commit, date, machine, relative_change, shifted_cases, total_cases }) =>
    element("li", {}, `${date.slice(0, 10)}, ${commit.slice(0, 8)}, on ${machine}: ${shifted_cases} of ${total_cases} cases changed by about ${worded(relative_change, null).value}`),
  );
  return [element("h2", {}, "Machine shifts"), element("p", { class: "lead" }, "Nearly all times of a machine changed by the same factor: other hardware, another interpreter, or a change to everything."), element("ul", { class: "notes" }, ...items)];
}
