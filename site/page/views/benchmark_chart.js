// The chart of a benchmark: over commits, over dates, or over the values of a parameter.

import { element } from "../dom.js";
import { key } from "../models/benchmark.js";
import { range } from "../models/choices.js";
import { aligned, ANY, chosenSeries, MOST_LINES, plain, positive, sweep } from "../models/history.js";
import { axisOf, changesOf, marksOf } from "../models/marks.js";
import { historySection } from "./history.js";
import { sweepSection } from "./sweep.js";

/**
 * @param {object} what
 * @param {import("../main.js").Context} what.context
 * @param {import("../models/types.js").Site} what.site
 * @param {import("../models/types.js").BenchmarkFile} what.benchmark
 * @param {import("../models/benchmark.js").Chosen} what.chosen
 * @param {ReturnType<typeof import("../models/benchmark.js").offered>} what.can
 * @param {readonly import("../models/history.js").Drawn[]} what.drawn
 * @param {readonly import("../types.js").Change[]} what.changes
 * @returns {Node[]}
 */
export function benchmarkChart({ context, site, benchmark, chosen, can, drawn, changes }) {
  const swept = benchmark.params.findIndex((_, index) => chosen.axis === key(index));
  if (swept >= 0) {
    const params = chosen.params.map((value, index) => (index === swept ? ANY : value));
    const lines = sweep(chosenSeries(benchmark.series, params, chosen, site.targets), swept, can.params[swept], site.targets);
    return sweepSection({ benchmark, name: benchmark.params[swept], values: can.params[swept].map(plain), lines: lines.slice(0, MOST_LINES), log: chosen.log && positive(lines) });
  }
  const { commits, lines } = aligned(drawn, chosen.relative);
  const log = chosen.log && positive(lines);
  const axis = { ...axisOf(site, commits, chosen.axis === "dates"), marks: marksOf(site, commits, changesOf(changes, drawn, site.targets)), log, zoom: range(context.choices, "zoom") };
  const zoomed = (/** @type {[number, number] | null} */ zoom) => context.note({ zoom: zoom && zoom.map((each) => Number(each.toFixed(3))).join("_") });
  const shown = { site, name: benchmark.name, unit: chosen.relative ? null : benchmark.unit, commits, lines };
  const refused = chosen.log && !log ? [element("p", { class: "aside" }, "Some values are zero or less and have no logarithm: the scale is linear.")] : [];
  return [...refused, ...historySection(shown, axis, zoomed)];
}
