// An event: its picture with the levels as lines and what else changed there, its commit, and the state of its alert.

import { scaleOf } from "../charts/scale.js";
import { address, element, link, name as broken, svg, table } from "../dom.js";
import { change as worded, counted, day, plain, quantity, shortHash, tick } from "../format.js";
import { disclosure, responsive } from "./parts.js";

const MOST_MARKS = 6;
/** More have short lines. */
const MOST_RELEASES = 6;
const HEIGHT = 176;
const ROOM = { left: 68, right: 14, top: 26, bottom: 24 };
const LETTER = 6.6;
/** The short words of marks; a release has its own label, the others are listed in full below the chart. */
const WORDS = { release: "", machine: "machine", python: "Python", package: "packages", version: "benchmark" };

/** @typedef {import("../types.js").ChartData} ChartData */

/**
 * An event of the first page: its largest change in words and as a picture.
 *
 * @param {import("../types.js").SiteData} site
 * @param {import("../types.js").RecentChange} event
 */
export function eventCard({ targets, commit_url }, event) {
  const { benchmark, params, unit, before, after, direction, relative_change, interval, chart, alert } = event;
  const size = relative_change === null ? { value: "from zero", interval: null } : worded(relative_change, interval);
  const where = [params.map(plain).join(", "), event.target === null ? null : targets[event.target].name].filter(Boolean).join(" · ");
  const level = (/** @type {number} */ value) => quantity(value, null, unit).value;
  const others = event.members > 1 ? element("a", { href: `${address("changes")}#event-${event.event}` }, `${counted(event.members - 1, "other series", "other series")} moved there`) : null;
  return element(
    "article",
    { class: "event-card", "aria-label": `${benchmark}, ${size.value}` },
    element(
      "div",
      {},
      element("h3", {}, element("a", { href: address("benchmark", { name: benchmark }) }, ...broken(benchmark))),
      element("p", { class: "detail" }, where),
      element("p", { class: "size" }, element("strong", { class: direction === "regressed" ? "worse" : "better" }, size.value), " ", element("span", {}, `${level(before)} → ${level(after)}`), event.status === "current" ? null : element("span", { class: "verdict open" }, event.status)),
      size.interval === null ? null : element("p", { class: "interval" }, `95 % interval ${size.interval}`),
      element("p", {}, element("code", {}, link(commit_url && `${commit_url}${event.commit}`, shortHash(event.commit))), " ", event.subject ?? "", " ", element("span", { class: "when" }, event.date.slice(0, 10))),
      others && element("p", {}, others),
      alert && alertLine(alert, commit_url),
    ),
    chart && chartFigure(chart, { name: benchmark, unit, direction, raw: false }),
  );
}

/**
 * @param {import("../types.js").ChartData} chart
 * @param {{name: string, unit: string, direction: string, raw: boolean}} of the case
 */
export function chartFigure(chart, { name, unit, direction, raw }) {
  const label = `${name} around the change: ${chart.change_index} runs before it and ${chart.values.length - chart.change_index} after. The figures are below.`;
  const box = responsive(element("div", { class: "event-box" }), (width) => eventDrawing(chart, { unit, direction, raw, label }, width));
  const shown = chart.marks.slice(-MOST_MARKS).filter(({ kind }) => kind !== "release");
  const also = shown.length ? element("p", { class: "detail" }, `Also: ${shown.map(({ at, label: words }) => `${words} (${when(at - chart.change_index)})`).join("; ")}`) : null;
  return element("figure", { class: "event-figure" }, box, element("figcaption", {}, also, disclosure("Figures", () => [figures(chart, name, unit)])));
}

/** @param {number} runs after the change; negative: before */
function when(runs) {
  return runs === 0 ? "at this change" : `${Math.abs(runs)} ${Math.abs(runs) === 1 ? "run" : "runs"} ${runs > 0 ? "after" : "before"} it`;
}

/** @param {import("../types.js").ChartData} chart @param {string} name @param {string} unit */
function figures(chart, name, unit) {
  const words = (/** @type {number | undefined} */ value) => [value === undefined ? "–" : quantity(value, null, unit).value];
  const [without, levels] = [shownValues(chart, false), chart.values.map((_, at) => chart.levels.findLast(({ start }) => start <= at)?.value)];
  const rows = chart.values.map((value, at) => [[String(at - chart.change_index)], words(value), words(without[at]), words(levels[at])]);
  const caption = `${name}: each run, counted from the first one after the change`;
  const box = element("div", { class: "wide", role: "region", tabindex: 0, "aria-label": `Figures of ${name} around its change ${chart.change}` });
  box.append(table({ caption, kind: "event-figures", head: ["run", "measured", "without the machine", "level"], rows }));
  return box;
}

/**
 * @param {ChartData} chart
 * @param {{unit: string, direction: string, raw: boolean, label: string}} look *raw*: as measured, with what the machine did
 * @param {number} width in CSS pixels
 */
function eventDrawing(chart, { unit, direction, raw, label }, width) {
  const values = shownValues(chart, raw);
  const side = direction === "regressed" ? "more" : "less";
  const scale = scaleOf(reach(values, chart.levels.map(({ value }) => value)), 4, unit);
  const [across, down] = [width - ROOM.left - ROOM.right, HEIGHT - ROOM.top - ROOM.bottom];
  const x = (/** @type {number} */ at) => ROOM.left + ((at + 0.5) / values.length) * across;
  const y = (/** @type {number} */ value) => ROOM.top + (1 - Math.min(1, Math.max(0, scale.position(value)))) * down;
  const after = (/** @type {number} */ at) => at >= chart.change_index;
  const bottom = ROOM.top + down;
  return svg(
    "svg",
    { class: "event-chart", width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label },
    ...scale.ticks.map((value) => svg("g", { class: "grid" }, svg("line", { x1: ROOM.left, x2: width - ROOM.right, y1: y(value), y2: y(value) }), svg("text", { x: ROOM.left - 8, y: y(value) + 4, "text-anchor": "end" }, tick(value, unit)))),
    ...markParts(chart, x, bottom),
    svg("line", { class: `at ${side}`, x1: x(chart.change_index - 0.5), x2: x(chart.change_index - 0.5), y1: ROOM.top - 6, y2: bottom }),
    ...values.map((value, at) => svg("circle", { class: after(at) ? side : null, cx: x(at), cy: y(value), r: 2.6 }, svg("title", {}, quantity(value, null, unit).value))),
    ...chart.levels.map(({ start, value }, index) => svg("line", { class: after(start) ? `level ${side}` : "level", x1: x(start - 0.5), x2: x((chart.levels[index + 1]?.start ?? values.length) - 0.5), y1: y(value), y2: y(value) })),
    svg("text", { class: "date", x: ROOM.left, y: HEIGHT - 6 }, day(chart.dates[0])),
    svg("text", { class: "date", x: width - ROOM.right, y: HEIGHT - 6, "text-anchor": "end" }, day(chart.dates[1])),
  );
}

/** @param {ChartData} chart @param {boolean} raw */
function shownValues({ values, corrected }, raw) {
  return raw || corrected.length === 0 ? values : corrected;
}

/** What the axis shows: the levels and nearly all values; the few beyond are drawn at its edge. @param {readonly number[]} values @param {readonly number[]} levels */
export function reach(values, levels) {
  const sorted = values.toSorted((one, other) => one - other);
  const edge = Math.floor(sorted.length / 20);
  return [...levels, ...sorted.slice(edge, sorted.length - edge)];
}

/** @param {ChartData} chart @param {(at: number) => number} x @param {number} bottom */
function markParts({ marks }, x, bottom) {
  let free = -Infinity;
  const many = marks.filter(({ kind }) => kind === "release").length > MOST_RELEASES;
  return marks.map(({ at, kind, label }) => {
    const [here, words] = [x(at - 0.5), kind === "release" ? label : WORDS[/** @type {"machine"} */ (kind)]];
    const half = (words.length * LETTER) / 2;
    const fits = here - half > free && here - half > 0;
    free = fits ? here + half + 4 : free;
    return svg("g", { class: `mark ${kind}` }, svg("title", {}, label), svg("line", { x1: here, x2: here, y1: ROOM.top - 6, y2: many && kind === "release" ? ROOM.top : bottom }), fits ? svg("text", { x: here, y: ROOM.top - 10, "text-anchor": "middle" }, words) : null);
  });
}

/** The alert of an event, in a line. @param {import("../types.js").AlertSummary} alert @param {string | null} commits */
export function alertLine({ id, state, author, reason, since }, commits) {
  const who = [author && `by ${author}`, since.slice(0, 10), reason && `“${reason}”`].filter(Boolean).join(", ");
  return element("p", { class: "alert-line" }, element("span", { class: "verdict open" }, state), " ", who, " ", element("a", { href: `${address("changes")}#alert-${id}` }, "alert"), " ", issueLink(id, commits));
}

/** The issue of an alert, where the project is on GitHub; without its number the search for it, as its text has the id. @param {string} id @param {string | null} commits @param {number} [number] */
export function issueLink(id, commits, number) {
  const root = commits?.match(/^(https?:\/\/[^/]+\/[^/]+\/[^/]+)\/commit\/$/)?.[1];
  return root === undefined ? null : link(number ? `${root}/issues/${number}` : `${root}/issues?q=${encodeURIComponent(`is:issue label:windtunnel ${id}`)}`, "issue");
}
