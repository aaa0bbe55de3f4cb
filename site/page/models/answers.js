// The answers of the first page: in which direction, how large, and where they were measured. Does not use the DOM.

import { listed } from "../format.js";

/** @typedef {import("../types.js").DecidedFinding} Answer */
/** @typedef {import("../types.js").ClaimSummary} Board */
/** @typedef {{at: string, target: string, ratio: number, interval: [number, number] | null, other: number | null, best: number | null, unit: string}} Figure *ratio*: the other way / the recommended way */

/** The figures of each Python, the other way in relation to the recommended one; of all values of a series if *whole*. @param {Answer} answer @returns {Figure[]} */
export function figuresOf({ figures, best }, whole = false) {
  const listed = figures.flatMap(({ target, tests }) => tests.filter(({ at }) => whole || at === tests.at(-1)?.at).map((test) => ({ target: test.condition ? `${target}, ${test.condition}` : target, test })));
  return listed.flatMap(({ target, test }) => {
    if (test.ratio === null || test.ratio <= 0) {
      return [];
    }
    const turned = best === "contender";
    const ends = test.interval === null ? null : /** @type {[number, number]} */ (turned ? [1 / test.interval.high, 1 / test.interval.low] : [test.interval.low, test.interval.high]);
    const [one, other] = turned ? [test.baseline, test.contender] : [test.contender, test.baseline];
    return [{ at: test.at, target, ratio: turned ? 1 / test.ratio : test.ratio, interval: ends, other: one.value, best: other.value, unit: test.contender.unit ?? "unit" }];
  });
}

/** The answers under their headings, in the order of the first one of each. @param {readonly Answer[]} answers @returns {[string, Answer[]][]} */
export function grouped(answers) {
  const groups = new Map(answers.map(({ group }) => [group, /** @type {Answer[]} */ ([])]));
  answers.forEach((each) => groups.get(each.group)?.push(each));
  return [...groups];
}

/** Whether no Python shows a clear difference. @param {readonly Figure[]} figures */
export function isOpen(figures) {
  return figures.every(({ ratio, interval }) => interval === null || (interval[0] <= 1 && interval[1] >= 1) || Math.abs(ratio - 1) < 0.03);
}

/** When and where a board was measured, in words. @param {{answers: readonly {figures: readonly {target: string, measured: string}[]}[], targets: Board["targets"]}} board */
export function measuredWords({ answers, targets }) {
  const used = new Set(answers.flatMap(({ figures }) => figures.map(({ target }) => target)));
  const days = [...new Set(answers.flatMap(({ figures }) => figures.map(({ measured }) => measured)).filter(Boolean))].sort();
  const here = targets.filter(({ name }) => used.has(name));
  const machines = new Set(here.map(({ machine }) => machine));
  const cores = new Set(here.map((each) => each.cores));
  const [only] = cores;
  const where = machines.size === 1 ? `on one machine${only && cores.size === 1 ? ` with ${only} cores` : ""}` : `on ${machines.size} machines`;
  return `${days.length ? dayRange(days[0], days[days.length - 1]) : ""} on Python ${listed([...new Set(here.map(({ python }) => python))])}, ${where}`;
}

/** “22 and 23 November 2026”. @param {string} first @param {string} last ISO days */
export function dayRange(first, last) {
  const words = (/** @type {string} */ day, /** @type {Intl.DateTimeFormatOptions} */ options) => new Date(`${day}T12:00:00Z`).toLocaleDateString("en-GB", { ...options, timeZone: "UTC" });
  const whole = words(last, { day: "numeric", month: "long", year: "numeric" });
  if (first === last) {
    return whole;
  }
  const same = first.slice(0, 7) === last.slice(0, 7);
  const next = Date.parse(last) - Date.parse(first) <= 86_400_000;
  return `${words(first, same ? { day: "numeric" } : { day: "numeric", month: "long" })} ${next ? "and" : "to"} ${whole}`;
}
