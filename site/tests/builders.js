// Overviews for tests: say what matters, the rest is filled in.

export const measured = (value, interval = [value * 0.9, value * 1.1]) => ({ value, interval, samples: 6 });
export const failed = "failed";

export function aCase({ target = 0, load = 0, variant = 0, commit = 0, result = measured(1), ratio = null, distribution = null, profiles = [] } = {}) {
  return { target, load, variant, commit, result, ratio, distribution, profiles };
}

export function aScenario({ variants = ["sync", "gather"], loads = ["quick"], cases = [], fastest = [] } = {}) {
  return {
    name: "sleep",
    benchmark: "sleep.Sleep.time_run",
    group: "sleep",
    kind: "time",
    unit: "seconds",
    variant_parameter: "variant",
    load_parameter: "load",
    reference: 0,
    variants,
    loads: loads.map((name) => ({ name, parameter: `'${name}'` })),
    cases,
    fastest,
  };
}

export function anOverview({ targets = ["3.12"], scenarios = [], benchmarks = [] } = {}) {
  return {
    commits: [{ hash: "a".repeat(40), subject: null, date: null, url: null }],
    targets: targets.map((name) => ({ name, python: name, machine: "desk", commit: 0, measured: 1, failed: 0, skipped: 0, absences: [] })),
    scenarios,
    benchmarks,
    asv: "asv/",
  };
}
