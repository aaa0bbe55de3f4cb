// What can be chosen on the page of a benchmark.

import { key } from "../models/benchmark.js";
import { ANY, plain } from "../models/history.js";
import { check, choice, controls } from "./controls.js";

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
