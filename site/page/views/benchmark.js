// The controls, the chart and the downloads of a benchmark.

import { element } from "../dom.js";
import { plain } from "../format.js";
import { key } from "../models/benchmark.js";
import { range } from "../models/choices.js";
import { commitRange, isShared, missing } from "../models/detail.js";
import { aligned, ANY, chosenSeries, MOST_LINES, positive, sweep } from "../models/history.js";
import { axisOf, besideOf, changesOf, marksOf } from "../models/marks.js";
import { historySection } from "./history.js";
import { sweepSection } from "./sweep.js";
import { check, choice, controls } from "./controls.js";
import { csv, json } from "../models/exports.js";
import { save } from "./parts.js";

/**
 * @param {object} what
 * @param {import("../main.js").Context} what.context
 * @param {import("../models/types.js").Site} what.site
 * @param {import("../models/types.js").BenchmarkFile} what.benchmark
 * @param {import("../models/benchmark.js").Chosen} what.chosen
 * @param {ReturnType<typeof import("../models/benchmark.js").offered>} what.can
 * @param {readonly import("../models/history.js").Drawn[]} what.drawn
 * @param {readonly import("../types.js").Change[]} what.changes
 * @param {readonly import("../models/history.js").Drawn[]} [what.counted] instructions of the same cases, as second lines
 * @param {readonly import("../types.js").RunMark[]} [what.marks] what else changed
 * @returns {Node[]}
 */
export function benchmarkChart({ context, site, benchmark, chosen, can, drawn, changes, counted = [], marks = [] }) {
  const swept = benchmark.params.findIndex((_, index) => chosen.axis === key(index));
  if (swept >= 0) {
    const params = chosen.params.map((value, index) => (index === swept ? ANY : value));
    const lines = sweep(chosenSeries(benchmark.series, params, chosen, site.targets), swept, can.params[swept], site.targets);
    return sweepSection({ benchmark, name: benchmark.params[swept], values: can.params[swept].map(plain), lines: lines.slice(0, MOST_LINES), log: chosen.log && positive(lines) });
  }
  const { commits, lines } = aligned([...drawn, ...counted.map((each) => ({ ...each, label: `${each.label} · instructions`, second: true }))], chosen.relative);
  const log = chosen.log && positive(lines);
  const axis = { ...axisOf(site, commits, chosen.axis === "dates"), marks: marksOf(site, commits, changesOf(changes, drawn, site.targets), besideOf(marks, benchmark.name, drawn)), log, zoom: range(context.choices, "zoom") };
  const zoomed = (/** @type {[number, number] | null} */ zoom) => {
    const choice = { zoom: zoom && zoom.map((each) => Number(each.toFixed(3))).join("_") };
    const detail = missing(benchmark, commitRange(site, zoom, axis.dates));
    (detail === null ? context.note : context.choose)(choice);
  };
  const shown = { site, name: benchmark.name, unit: chosen.relative ? null : benchmark.unit, commits, lines, marks: axis.marks, isShared: (/** @type {number} */ commit) => isShared(benchmark, commit), perPoint: benchmark.commits_per_point };
  const refused = chosen.log && !log ? [element("p", { class: "aside" }, "Some values are zero or less and have no logarithm: the scale is linear.")] : [];
  return [...refused, ...historySection(shown, axis, zoomed)];
}

/**
 * @param {import("../main.js").Context} context
 * @param {import("../models/types.js").BenchmarkFile} benchmark
 * @param {ReturnType<typeof import("../models/benchmark.js").offered>} can
 * @param {import("../models/benchmark.js").Chosen} chosen
 */
export function benchmarkControls({ choose }, benchmark, can, chosen) {
  const axes = /** @type {[string, string][]} */ ([["commits", "commits"], ["dates", "author dates"]]);
  const swept = benchmark.params.flatMap((name, index) => (can.params[index].length > 1 ? [/** @type {[string, string]} */ ([key(index), name])] : []));
  return controls(
    choice({ name: "machine", label: "Machine", options: any(can.machines), chosen: chosen.machine, choose }),
    choice({ name: "python", label: "Python", options: any(can.pythons), chosen: chosen.python, choose }),
    ...benchmark.params.map((name, index) => choice({ name: key(index), label: name, options: any(can.params[index]), chosen: chosen.params[index], choose })),
    choice({ name: "axis", label: "Along", options: [...axes, ...swept], chosen: chosen.axis, choose: (each) => choose({ ...each, zoom: null }) }),
    check({ name: "log", label: "logarithmic", checked: chosen.log, choose: (on) => choose({ scale: on ? "log" : null }) }),
    check({ name: "relative", label: "relative to the first value", checked: chosen.relative, choose: (on) => choose({ relative: on ? "yes" : null }) }),
  );
}

/** @param {readonly string[]} values @returns {[string, string][]} */
function any(values) {
  return values.length > 1 ? [[ANY, "all"], ...values.map((value) => /** @type {[string, string]} */ ([value, plain(value)]))] : [];
}

/** @param {import("../main.js").Context} context @param {import("../models/types.js").Site} site @param {import("../models/types.js").BenchmarkFile} benchmark */
export function files({ data }, site, benchmark) {
  const whole = () => data.commits(0, Infinity); // of a long history, not all are loaded
  return element(
    "p",
    { class: "files" },
    save(benchmark.name, "csv", async () => (await whole(), csv(site, benchmark))),
    " ",
    save(benchmark.name, "json", async () => (await whole(), json(site, benchmark))),
    " or as the site keeps it: ",
    element("a", { href: benchmark.file }, benchmark.file),
  );
}
