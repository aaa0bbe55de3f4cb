// Reads the data files for the pages; runs.js reads those of runs.

import { limits, seriesOf, walked } from "./columns.js";
import { heights } from "./format.js";
import { BLOCK } from "./runs.js";

export { readDetail, readReadings, readRuns } from "./runs.js";

/** @typedef {import("./data.js").Loader} Loader */
/** @typedef {import("./types.js").SiteData} SiteData */

/** Commits in a file of commits. */
const PART = 512;
/** Sites with more files of commits load the newest ones alone; the others follow when a page needs them. */
const [MOST_PARTS, NEWEST_PARTS] = [8, 2];

/** @type {WeakMap<SiteData, import("./models/types.js").Site>} */
const sites = new WeakMap();

/** @param {Loader} load @param {SiteData} index @returns {Promise<import("./models/types.js").Site>} */
export async function readSite(load, index) {
  const known = sites.get(index);
  if (known !== undefined) {
    return known;
  }
  const parts = index.files.commits;
  const first = parts.length > MOST_PARTS ? (parts.length - NEWEST_PARTS) * PART : 0;
  const commits = unknownCommits(index);
  const [benchmarks] = await Promise.all([load(index.files.benchmarks, "windtunnel.benchmarks/1"), fillCommits(load, index, commits, first, Infinity)]);
  const site = { ...index, branches: index.branches ?? [], project: { ...index.project, commit_url: index.commit_url }, commits, benchmarks: listed(benchmarks) };
  sites.set(index, site);
  return site;
}

/** All commits without what is in their files; dates are interpolated. @param {SiteData} index @returns {import("./models/types.js").Commits} */
function unknownCommits({ commits, dates }) {
  const date = (/** @type {number} */ at) => {
    const [before, after] = [dates[Math.floor(at / BLOCK)] ?? null, dates[Math.floor(at / BLOCK) + 1] ?? null];
    return before === null || after === null ? before : Math.round(before + ((after - before) * (at % BLOCK)) / BLOCK);
  };
  const empty = () => new Array(commits).fill(null);
  return { hash: new Array(commits).fill(""), subject: empty(), author: empty(), date: Array.from({ length: commits }, (_, at) => date(at)), branch: empty() };
}

/** @param {Loader} load @param {SiteData} index @param {import("./models/types.js").Commits} commits @param {number} from @param {number} to */
async function fillCommits(load, index, commits, from, to) {
  const files = index.files.commits.slice(Math.max(0, Math.floor(from / PART)), Math.floor(to / PART) + 1);
  /** @type {import("./types.js").CommitsData[]} */
  const parts = await Promise.all(files.map((file) => load(file, "windtunnel.commits/1")));
  for (const part of parts) {
    for (const name of /** @type {const} */ (["hash", "subject", "author", "date", "branch"])) {
      part[name]?.forEach((each, at) => (commits[name][part.first + at] = each));
    }
  }
}

/** Loads the commits from one index to another. @param {Loader} load @param {SiteData} index @param {number} from @param {number} to */
export async function readCommits(load, index, from, to) {
  const { commits } = await readSite(load, index);
  await fillCommits(load, index, commits, from, to);
}

/**
 * Loads the commits of a branch, the newest first, until there are enough of them.
 *
 * @param {Loader} load
 * @param {SiteData} index
 * @param {number} branch
 * @param {() => boolean} isEnough
 */
export async function readBranch(load, index, branch, isEnough) {
  const { branches, commits } = await readSite(load, index);
  const { commits: all, newest } = branches[branch];
  const isWhole = () => commits.branch.filter((each) => each === branch).length >= all;
  for (let end = newest; end >= 0 && !isWhole() && !isEnough(); end -= PART) {
    await fillCommits(load, index, commits, end - PART + 1, end);
  }
}

/** The index of the commit whose hash begins so, after loading all commits if necessary; -1 for none. @param {Loader} load @param {SiteData} index @param {string | null} hash */
export async function findCommit(load, index, hash) {
  const { commits } = await readSite(load, index);
  const find = () => (hash ? commits.hash.findIndex((each) => each.startsWith(hash)) : -1);
  const known = find();
  if (known < 0 && hash && commits.hash.includes("")) {
    await fillCommits(load, index, commits, 0, Infinity);
    return find();
  }
  return known;
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
    get spark() {
      return heights(columns.spark[index]); // a page draws few of many
    },
    stale: columns.stale[index],
  }));
}

/** @param {Loader} load @param {import("./models/types.js").Listed} listed @returns {Promise<import("./models/types.js").BenchmarkFile>} */
export async function readBenchmark(load, { file }) {
  /** @type {import("./types.js").BenchmarkData} */
  const data = await load(file, "windtunnel.benchmark/2");
  return { ...data, file, series: data.series.map(seriesOf), detailed: null };
}

/** An optional file of the site; null when it was not published. @param {Loader} load @param {string | null} file @param {string} schema */
export async function readNamed(load, file, schema) {
  return file === null ? null : load(file, schema);
}

/**
 * The changes and alerts of some benchmarks, newest first; only the files that have them are loaded.
 *
 * @param {Loader} load
 * @param {SiteData} index
 * @param {readonly string[]} names
 * @returns {Promise<{changes: import("./types.js").Change[], alerts: import("./types.js").ShownAlert[]}>}
 */
export async function readChangesOf(load, index, names) {
  /** @type {import("./types.js").BenchmarksData} */
  const benchmarks = await load(index.files.benchmarks, "windtunnel.benchmarks/1");
  const files = names.flatMap((name) => index.files.benchmark_changes.findLast(([first]) => first <= benchmarks.name.indexOf(name))?.[1] ?? []);
  /** @type {import("./types.js").ChangesOfBenchmarks[]} */
  const parts = await Promise.all([...new Set(files)].map((file) => load(file, "windtunnel.site-benchmark-changes/1")));
  const changes = parts.flatMap((part) => part.changes).filter(({ benchmark }) => names.includes(benchmark));
  const alerts = new Map(parts.flatMap((part) => part.alerts).filter(({ cases }) => cases.some(({ benchmark }) => names.includes(benchmark))).map((alert) => [alert.id, alert]));
  return { changes: changes.toSorted((one, other) => one.date.localeCompare(other.date)).reverse(), alerts: [...alerts.values()].reverse() };
}

/** What moved all times of a run alike, by target and commit. @param {Loader} load @param {SiteData} index @returns {Promise<import("./models/history.js").Factors>} */
export async function readFactors(load, index) {
  /** @type {import("./types.js").FactorsData | null} */
  const found = await readNamed(load, index.files.factors ?? null, "windtunnel.factors/1");
  return new Map((found?.targets ?? []).map(({ target, commits, factors }) => [target, new Map(walked(commits).map((commit, at) => [commit ?? 0, factors[at] / 10_000]))]));
}
