// A change: its size in words, where it is, its commit, and its picture with the levels as lines.

import { percent } from "../charts/dots.js";
import { scaleOf } from "../charts/scale.js";
import { address, benchmarkName, element, link, svg, table } from "../dom.js";
import { counted, parameterText, quantity, shortHash, targetTitle } from "../format.js";
import { date, dayWords, sizeInterval, sizeWords } from "../words.js";
import { disclosure, wide } from "./parts.js";

const MOST_MARKS = 6;
const [HEIGHT, TOP, FOOT] = [128, 14, 24];
const LABEL = 15;

/** @typedef {import("../types.js").ChartData} ChartData */
/** @typedef {import("../types.js").SiteData} SiteData */
/** @typedef {import("../types.js").RecentChange} RecentChange */

/** @param {RecentChange} event @param {SiteData} site */
export function where({ benchmark, params, param_names: names, target }, { targets }) {
  const differ = (/** @type {"python" | "machine"} */ key) => target !== null && targets.some((each) => each[key] !== targets[target][key]);
  const place = target === null ? [] : [differ("python") ? targetTitle(targets[target].python) : "", differ("machine") ? targets[target].machine : ""];
  return [benchmark.slice(0, Math.max(0, benchmark.lastIndexOf("."))), ...params.map((value, at) => parameterText(names[at] ?? "", value)), ...place].filter(Boolean);
}

/** An open regression, or another change, as a row: words at the left, the picture at the right. @param {SiteData} site @param {RecentChange} event */
export function eventRow(site, event) {
  const { benchmark, unit, before, after, direction, relative_change, interval, chart, alert, commit } = event;
  const [module, ...rest] = where(event, site);
  const level = (/** @type {number} */ value) => quantity(value, null, unit).value;
  const others = event.members > 1 ? [" · ", element("a", { href: `${address("changes")}#event-${event.event}` }, `${event.members - 1} more ${event.members === 2 ? "case" : "cases"}`)] : [];
  return element(
    "article",
    { class: "regression", "aria-label": `${benchmark}, ${sizeWords(relative_change, unit)}` },
    element(
      "div",
      {},
      element("p", { class: `size ${direction === "regressed" ? "worse" : "better"}` }, sizeWords(relative_change, unit), " ", element("span", { class: "since" }, "since ", element("code", {}, link(site.commit_url && `${site.commit_url}${commit}`, shortHash(commit))), `, ${dayWords(event.date)}`)),
      element("h2", {}, benchmarkName(benchmark)[0]),
      element("p", { class: "detail" }, element("span", { class: "room" }, module, rest.length ? " · " : ""), rest.join(", ")),
      element("p", {}, `${level(before)} → ${level(after)}`, interval === null ? "" : element("span", { class: "room" }, `, 95 % interval ${sizeInterval(...interval)}`), ...others),
      alert && alertLine(alert, site.commit_url),
    ),
    chart ? chartFigure(chart, { name: benchmark, unit, direction, raw: false }) : element("p", { class: "about" }, element("a", { href: address("benchmark", { name: benchmark }) }, "Its history"), " shows the change."),
  );
}

/** @param {import("../types.js").ChartData} chart @param {{name: string, unit: string, direction: string, raw: boolean}} of the case */
export function chartFigure(chart, { name, unit, direction, raw }) {
  const label = `${name} around the change: ${chart.change_index} runs before it and ${chart.values.length - chart.change_index} after. The figures are below.`;
  const shown = chart.marks.slice(-MOST_MARKS).filter(({ kind }) => kind !== "release");
  const also = shown.length ? element("p", { class: "detail" }, `Also: ${shown.map(({ at, label: words }) => `${words} (${when(at - chart.change_index)})`).join("; ")}`) : null;
  return element("figure", { class: "event-figure" }, eventDrawing(chart, { unit, direction, raw, label }), element("figcaption", {}, also, disclosure("Figures", () => [figures(chart, name, unit)])));
}

/** @param {number} runs after the change; negative: before */
function when(runs) {
  return runs === 0 ? "at this change" : `${counted(Math.abs(runs), "run")} ${runs > 0 ? "after" : "before"} it`;
}

/** @param {import("../types.js").ChartData} chart @param {string} name @param {string} unit */
function figures(chart, name, unit) {
  const words = (/** @type {number | undefined} */ value) => [value === undefined ? "–" : quantity(value, null, unit).value];
  const [without, levels] = [shownValues(chart, false), chart.values.map((_, at) => chart.levels.findLast(({ start }) => start <= at)?.value)];
  const rows = chart.values.map((value, at) => [[String(at - chart.change_index)], words(value), words(without[at]), words(levels[at])]);
  const caption = `${name}: each run, counted from the first one after the change`;
  return wide(`Figures of ${name} around its change ${chart.change}`, table({ caption, kind: "event-figures", head: ["run", "measured", "without the machine", "level"], rows }));
}

/** @param {ChartData} chart @param {{unit: string, direction: string, raw: boolean, label: string}} look *raw*: as measured, with what the machine did */
function eventDrawing(chart, { unit, direction, raw, label }) {
  const values = shownValues(chart, raw);
  const side = direction === "regressed" ? "more" : "less";
  const scale = scaleOf(reach(values, chart.levels.map(({ value }) => value)), 4, unit);
  const x = (/** @type {number} */ at) => percent((at + 0.5) / values.length);
  const y = (/** @type {number} */ value) => TOP + (1 - Math.min(1, Math.max(0, scale.position(value)))) * (HEIGHT - TOP - FOOT);
  const since = chart.levels.findLastIndex(({ start }) => start <= chart.change_index);
  const kind = (/** @type {number} */ at) => (at >= chart.change_index ? side : "");
  const bottom = HEIGHT - FOOT;
  return svg(
    "svg",
    { class: "event-chart", width: "100%", height: HEIGHT, role: "img", "aria-label": label },
    svg("rect", { class: `since ${side}`, x: x(chart.change_index - 0.5), width: percent(1 - chart.change_index / values.length), y: 0, height: bottom }),
    ...chart.marks.map(({ at, kind: what, label: words }) => svg("g", { class: `upright ${what}` }, svg("title", {}, words), svg("line", { x1: x(at - 0.5), x2: x(at - 0.5), y1: what === "release" ? bottom - 8 : 0, y2: bottom }))),
    ...values.map((value, at) => svg("circle", { class: kind(at), cx: x(at), cy: y(value), r: 2.4 }, svg("title", {}, quantity(value, null, unit).value))),
    ...chart.levels.map(({ start, value }, index) => svg("line", { class: `level ${kind(start)}`, x1: x(start - 0.5), x2: x((chart.levels[index + 1]?.start ?? values.length) - 0.5), y1: y(value), y2: y(value) })),
    ...levelNames(chart, since, y, unit, side),
    svg("text", { x: 0, y: HEIGHT - 7 }, date(chart.dates[0])),
    svg("text", { x: "100%", y: HEIGHT - 7, "text-anchor": "end" }, date(chart.dates[1])),
  );
}

/** The levels before and after the change, at the right. @param {ChartData} chart @param {number} since @param {(value: number) => number} y @param {string} unit @param {string} side */
function levelNames({ levels }, since, y, unit, side) {
  const [before, after] = [levels[since - 1], levels[since]].map((each) => each && { value: each.value, at: y(each.value) });
  if (before && after && Math.abs(before.at - after.at) < LABEL) {
    const [upper, lower] = before.at < after.at ? [before, after] : [after, before];
    lower.at = upper.at + LABEL;
  }
  return [before && { ...before, kind: "" }, after && { ...after, kind: side }].map((each) => each && svg("text", { class: `value ${each.kind}`, x: "100%", dx: 7, y: each.at + 4 }, quantity(each.value, null, unit).value));
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

/** The alert of an event, in a line. @param {import("../types.js").AlertSummary} alert @param {string | null} commits */
export function alertLine({ id, state, author, reason, since }, commits) {
  const who = [author && `by ${author}`, since.slice(0, 10), reason && `“${reason}”`].filter(Boolean).join(", ");
  return element("p", { class: "alert-line" }, element("span", { class: "tag" }, state), " ", who, " ", element("a", { href: `${address("changes")}#alert-${id}` }, "alert"), " ", issueLink(id, commits));
}

/** The issue of an alert, where the project is on GitHub; without its number the search for it, as its text has the id. @param {string} id @param {string | null} commits @param {number} [number] */
export function issueLink(id, commits, number) {
  const root = commits?.match(/^(https?:\/\/[^/]+\/[^/]+\/[^/]+)\/commit\/$/)?.[1];
  return root === undefined ? null : link(number ? `${root}/issues/${number}` : `${root}/issues?q=${encodeURIComponent(`is:issue label:windtunnel ${id}`)}`, "issue");
}
