// Reads the files of runs: all values of some runs, and each value of older commits.

import { placed, unpacked, walked } from "./columns.js";
import { DataError, turn } from "./data.js";

/** @typedef {import("./data.js").Loader} Loader */
/** @typedef {import("./types.js").SiteData} SiteData */

/** Commits of a block. */
export const BLOCK = 64;

/** The first commit of each block, and the runs of each. @param {Loader} load @param {SiteData} index */
async function readBlocks(load, index) {
  /** @type {import("./types.js").RunsData} */
  const { starts, blocks } = await load(index.files.runs, "windtunnel.runs/3");
  const first = /** @type {number[]} */ (walked(starts));
  return { starts: first, blocks: blocks.map((each) => ({ ...each, start: first[each.block] })) };
}

/** Newest first. @param {Loader} load @param {SiteData} index @returns {Promise<import("./models/types.js").Run[]>} */
export async function readRuns(load, index) {
  const { blocks } = await readBlocks(load, index);
  const found = blocks.flatMap(({ commits, start, target, files, first }) => walked(commits).map((commit) => ({ commit: commit ?? 0, start, target, files, first })));
  return found.sort((one, other) => other.commit - one.commit || other.target - one.target);
}

/**
 * The values of some runs at one target, case by case, in the order of the runs; only the files that have them are loaded.
 *
 * @param {Loader} load
 * @param {SiteData} index
 * @param {readonly import("./models/types.js").Run[]} runs
 * @param {(benchmark: string) => boolean} wanted
 * @returns {Promise<import("./models/types.js").Reading[]>}
 */
export async function readReadings(load, index, runs, wanted) {
  /** @type {import("./types.js").BenchmarksData} */
  const columns = await load(index.files.benchmarks, "windtunnel.benchmarks/1");
  const chosen = columns.name.flatMap((name, at) => (wanted(name) ? [at] : []));
  const has = (/** @type {readonly number[]} */ first, /** @type {number} */ file) => chosen.some((at) => at >= (file === 0 ? 0 : first[file]) && at < (first[file + 1] ?? Infinity));
  const starts = new Map(runs.flatMap(({ start, files, first }) => files.filter((_, file) => has(first, file)).map((file) => [file, start])));
  const paths = [...starts.keys()];
  /** @type {import("./types.js").RunBlock[]} */
  const blocks = await Promise.all(paths.map((file) => load(file, "windtunnel.runs-block/3")));
  const indices = new Map(columns.name.map((name, at) => [name, at]));
  /** @type {Map<string, {benchmark: number, parts: (import("./types.js").BlockSeries & {start: number})[]}>} */
  const found = new Map();
  for (const [at, { benchmarks, series }] of blocks.entries()) {
    const known = benchmarks.map((name) => indices.get(name));
    if (known.includes(undefined)) {
      throw new DataError(`${paths[at]} names a benchmark that the list of benchmarks does not have. Publish the site again.`);
    }
    for (const packed of series.filter((each) => wanted(benchmarks[each.benchmark]))) {
      const benchmark = known[packed.benchmark] ?? 0;
      const key = JSON.stringify([benchmark, ...packed.params]);
      const own = found.get(key) ?? { benchmark, parts: [] };
      found.set(key, own);
      own.parts.push({ ...packed, start: starts.get(paths[at]) ?? 0 });
    }
    await turn();
  }
  const at = { count: runs.length, positions: new Map(runs.map(({ commit }, position) => [commit, position])) };
  return [...found.values()].map(({ benchmark, parts }) => readingOf(columns, benchmark, index.board, parts, at));
}

/**
 * The values of a case in some runs, unpacked when they are asked for: most comparisons need no limits.
 *
 * @param {import("./types.js").BenchmarksData} columns
 * @param {number} benchmark
 * @param {SiteData["board"]} board
 * @param {readonly (import("./types.js").BlockSeries & {start: number})[]} parts
 * @param {{count: number, positions: ReadonlyMap<number, number>}} at the runs, by commit
 * @returns {import("./models/types.js").Reading}
 */
function readingOf(columns, benchmark, board, parts, at) {
  const column = (/** @type {-1 | 0 | 1} */ side) => {
    /** @type {(number | null)[] | undefined} */
    let made;
    return () => (made ??= placed(parts, side, at));
  };
  const [low, values, high] = [column(-1), column(0), column(1)];
  return {
    benchmark: columns.name[benchmark],
    params: parts[0].params,
    unit: columns.units[columns.unit[benchmark]],
    variant: board === null ? -1 : columns.params[benchmark].indexOf(board.variant),
    get values() {
      return values();
    },
    get low() {
      return low();
    },
    get high() {
      return high();
    },
  };
}

/**
 * The benchmark with a point for each commit of a range, for series at some of the targets; other series stay as they are.
 *
 * @param {Loader} load
 * @param {SiteData} index
 * @param {import("./models/types.js").BenchmarkFile} benchmark
 * @param {ReadonlySet<number>} targets
 * @param {[number, number]} range indices of commits
 * @returns {Promise<import("./models/types.js").BenchmarkFile>}
 */
export async function readDetail(load, index, benchmark, targets, range) {
  const size = benchmark.commits_per_point / BLOCK;
  const [{ starts, blocks: runs }, listed] = await Promise.all([readBlocks(load, index), load(index.files.benchmarks, "windtunnel.benchmarks/1")]);
  const pointOf = (/** @type {number} */ commit) => Math.floor(starts.findLastIndex((each) => each <= commit) / size);
  const [from, to] = [starts[pointOf(range[0]) * size], Math.min(benchmark.exact_from, starts[(pointOf(range[1]) + 1) * size] ?? Infinity)];
  const at = /** @type {string[]} */ (listed.name).indexOf(benchmark.name);
  const inside = runs.filter(({ target, start, files }) => targets.has(target) && files.length > 0 && start < to && start >= from);
  /** @type {{target: number, start: number, block: import("./types.js").RunBlock}[]} */
  const blocks = await Promise.all(inside.map(async ({ target, start, files, first }) => ({ target, start, block: await load(files[Math.max(0, first.findLastIndex((each) => each <= at))], "windtunnel.runs-block/3") })));
  /** @type {Map<string, ReturnType<typeof unpacked>[]>} */
  const found = new Map();
  for (const { target, start, block } of blocks.toReversed()) {
    const own = block.benchmarks.indexOf(benchmark.name);
    for (const packed of block.series.filter((each) => each.benchmark === own)) {
      const key = JSON.stringify([target, packed.params]);
      found.set(key, [...(found.get(key) ?? []), unpacked(packed, start)]);
    }
  }
  const series = benchmark.series.map((each) => (targets.has(each.target) ? replaced(each, found.get(JSON.stringify([each.target, each.params])) ?? [], from, to) : each));
  return { ...benchmark, series, detailed: [from, to] };
}

/**
 * The series with other points from one commit up to another.
 *
 * @param {import("./models/history.js").Series} series
 * @param {readonly ReturnType<typeof unpacked>[]} parts oldest first
 * @param {number} from
 * @param {number} to
 */
function replaced(series, parts, from, to) {
  const before = series.commits.findIndex((each) => each >= from);
  const after = series.commits.findIndex((each) => each >= to);
  const [left, right] = [before < 0 ? series.commits.length : before, after < 0 ? series.commits.length : after];
  const column = (/** @type {"commits" | "values" | "low" | "high"} */ name) => [
    ...series[name].slice(0, left),
    ...parts.flatMap((part) => part[name].filter((_, at) => part.commits[at] >= from && part.commits[at] < to)),
    ...series[name].slice(right),
  ];
  return { ...series, commits: /** @type {number[]} */ (column("commits")), values: column("values"), low: column("low"), high: column("high") };
}
