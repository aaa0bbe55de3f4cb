// Reads the data files for the pages; only this module unpacks their columns.

import { DataError } from "./data.js";
import { heights } from "./format.js";

/** @typedef {import("./data.js").Loader} Loader */
/** @typedef {import("./types.js").SiteData} SiteData */

/**
 * @param {Loader} load
 * @param {SiteData} index
 * @returns {Promise<import("./models/types.js").Site>}
 */
export async function readSite(load, index) {
  const [commits, benchmarks] = await Promise.all([readCommits(load, index), load(index.files.benchmarks, "windtunnel.benchmarks/1")]);
  return { ...index, project: { ...index.project, commit_url: index.commit_url }, commits, benchmarks: listed(benchmarks) };
}

/** @param {Loader} load @param {SiteData} index @returns {Promise<import("./models/types.js").Commits>} */
async function readCommits(load, index) {
  /** @type {import("./types.js").CommitsData[]} */
  const parts = await Promise.all(index.files.commits.map((file) => load(file, "windtunnel.commits/1")));
  parts.sort((one, other) => one.first - other.first);
  return {
    hash: parts.flatMap(({ hash }) => hash),
    subject: parts.flatMap(({ subject }) => subject),
    author: parts.flatMap(({ author }) => author),
    date: parts.flatMap(({ date }) => date),
  };
}

/** @param {import("./types.js").BenchmarksData} columns @returns {import("./models/types.js").Listed[]} */
function listed(columns) {
  return columns.name.map((name, index) => ({
    name,
    file: columns.file[index],
    unit: columns.units[columns.unit[index]],
    params: columns.params[index],
    cases: columns.cases[index],
    measured: columns.measured[index],
    target: columns.target[index],
    targets: columns.target_sets[columns.measured_at[index]] ?? [],
    case: columns.case[index],
    last: columns.last[index],
    interval: limits(columns.low[index], columns.high[index]),
    trend: columns.trend[index],
    spark: heights(columns.spark[index]),
    stale: columns.stale[index],
  }));
}

/**
 * @param {Loader} load
 * @param {import("./models/types.js").Listed} listed
 * @returns {Promise<import("./models/types.js").BenchmarkFile>}
 */
export async function readBenchmark(load, { file }) {
  /** @type {import("./types.js").BenchmarkData} */
  const data = await load(file, "windtunnel.benchmark/1");
  return { ...data, file, series: data.series.map(seriesOf) };
}

/** @param {import("./types.js").SeriesData} packed @returns {import("./models/history.js").Series} */
export function seriesOf({ target, params, digits, commits, values, below, above }) {
  const steps = walked(values);
  const value = (/** @type {number | null} */ count) => (count === null ? null : digits >= 0 ? count / 10 ** digits : count * 10 ** -digits);
  const limit = (/** @type {(number | null)[]} */ widths, /** @type {number} */ sign) =>
    steps.map((count, index) => (count === null || widths[index] === null || widths[index] === undefined ? null : value(count + sign * widths[index])));
  return { target, params, commits: /** @type {number[]} */ (walked(commits)), values: steps.map(value), low: limit(below, -1), high: limit(above, 1) };
}

/** The sums of the differences so far; a gap is skipped. @param {readonly (number | null)[]} column @returns {(number | null)[]} */
function walked(column) {
  let total = 0;
  return column.map((step) => (step === null ? null : (total += step)));
}

/**
 * An optional file of the site; null when it was not published.
 *
 * @param {Loader} load
 * @param {string | null} file
 * @param {string} schema
 */
export async function readNamed(load, file, schema) {
  return file === null ? null : load(file, schema);
}

/** Newest first. @param {Loader} load @param {SiteData} index @returns {Promise<import("./models/types.js").Run[]>} */
export async function readRuns(load, index) {
  /** @type {import("./types.js").RunsData} */
  const { commit, target, file, files } = await load(index.files.runs, "windtunnel.runs/1");
  return commit.map((each, at) => ({ commit: each, target: target[at], file: files[file[at]] }));
}

/**
 * All values of some runs at one target, case by case, in the order of the runs.
 *
 * @param {Loader} load
 * @param {SiteData} index
 * @param {readonly import("./models/types.js").Run[]} runs
 * @returns {Promise<import("./models/types.js").Reading[]>}
 */
export async function readReadings(load, index, runs) {
  const paths = [...new Set(runs.map(({ file }) => file))];
  const [columns, ...blocks] = await Promise.all([load(index.files.benchmarks, "windtunnel.benchmarks/1"), ...paths.map((file) => load(file, "windtunnel.runs-block/1"))]);
  const positions = new Map(runs.map(({ commit }, at) => [commit, at]));
  /** @type {Map<string, any>} */
  const found = new Map();
  for (const { file, packed } of blocks.flatMap((block, at) => /** @type {import("./types.js").BlockSeries[]} */ (block.series).map((each) => ({ file: paths[at], packed: each })))) {
    const key = JSON.stringify([packed.benchmark, ...packed.params]);
    const reading = found.get(key) ?? emptyReading(columns, packed, { file, board: index.board, runs: runs.length });
    found.set(key, reading);
    const { commits, values, low, high } = seriesOf(packed);
    commits.forEach((commit, at) => {
      const position = positions.get(commit);
      if (position !== undefined) {
        [reading.values[position], reading.low[position], reading.high[position]] = [values[at], low[at], high[at]];
      }
    });
  }
  return [...found.values()];
}

/** @param {any} columns @param {import("./types.js").BlockSeries} packed @param {{file: string, board: SiteData["board"], runs: number}} what */
function emptyReading(columns, { benchmark, params }, { file, board, runs }) {
  const name = columns.name[benchmark];
  if (name === undefined) {
    throw new DataError(`${file} names a benchmark that the list of benchmarks does not have. Publish the site again.`);
  }
  const empty = () => new Array(runs).fill(null);
  const variant = board === null ? -1 : columns.params[benchmark].indexOf(board.variant);
  return { benchmark: name, params, unit: columns.units[columns.unit[benchmark]], variant, values: empty(), low: empty(), high: empty() };
}

/** @param {number | null} low @param {number | null} high @returns {[number, number] | null} */
function limits(low, high) {
  return low === null || high === null ? null : [low, high];
}
