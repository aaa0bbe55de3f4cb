// Loads the data files: each is fetched once, checked and kept. docs/explanation/site.md describes their content.

/** A problem with a data file; the message for the reader names the file. */
export class DataError extends Error {}

/** The modules of each page beside those of main.js, which load together; written by make generate. */
export const MODULES = new Map([
  ["about", ["charts/dots.js", "format.js", "models/rates.js", "pages/about.js", "views/parts.js", "views/rates.js", "words.js"]],
  ["benchmark", ["charts/dots.js", "charts/history.js", "charts/scale.js", "columns.js", "format.js", "models/benchmark.js", "models/changes.js", "models/choices.js", "models/commits.js", "models/detail.js", "models/evidence.js", "models/exports.js", "models/history.js", "models/levels.js", "models/marks.js", "models/samples.js", "models/scenarios.js", "pages/benchmark.js", "reading.js", "runs.js", "views/alerts.js", "views/benchmark.js", "views/changes.js", "views/controls.js", "views/event.js", "views/history.js", "views/jobs.js", "views/parts.js", "views/samples.js", "views/series.js", "views/steadiness.js", "words.js"]],
  ["benchmarks", ["columns.js", "format.js", "models/choices.js", "models/scenarios.js", "models/search.js", "pages/benchmarks.js", "reading.js", "runs.js", "views/controls.js", "words.js"]],
  ["changes", ["charts/dots.js", "charts/scale.js", "columns.js", "format.js", "models/changes.js", "models/choices.js", "models/commits.js", "pages/changes.js", "reading.js", "runs.js", "views/alerts.js", "views/changes.js", "views/controls.js", "views/event.js", "views/parts.js", "words.js"]],
  ["claims", ["charts/dots.js", "charts/scale.js", "columns.js", "format.js", "models/answers.js", "models/benchmark.js", "models/choices.js", "models/claims.js", "models/evidence.js", "models/history.js", "models/levels.js", "pages/claims.js", "reading.js", "runs.js", "views/articles.js", "views/claims.js", "views/controls.js", "views/parts.js", "words.js"]],
  ["compare", ["columns.js", "format.js", "models/choices.js", "models/commits.js", "models/compare.js", "models/evidence.js", "models/exports.js", "models/runsets.js", "pages/compare.js", "reading.js", "runs.js", "views/comparison.js", "views/controls.js", "views/parts.js", "words.js"]],
  ["group", ["charts/dots.js", "charts/history.js", "charts/scale.js", "columns.js", "format.js", "models/benchmark.js", "models/changes.js", "models/choices.js", "models/commits.js", "models/detail.js", "models/evidence.js", "models/exports.js", "models/history.js", "models/levels.js", "models/marks.js", "pages/group.js", "reading.js", "runs.js", "views/benchmark.js", "views/controls.js", "views/history.js", "views/parts.js", "views/series.js", "words.js"]],
  ["overview", ["pages/overview.js"]],
  ["years", ["charts/dots.js", "charts/history.js", "charts/scale.js", "format.js", "models/changes.js", "models/choices.js", "models/marks.js", "models/years.js", "pages/years.js", "views/parts.js", "views/years.js", "words.js"]],
]);

/**
 * @typedef {{ok: boolean, status: number, arrayBuffer: () => Promise<ArrayBuffer>}} Answer
 * @typedef {(file: string) => Promise<Answer>} Fetcher
 * @typedef {(file: string, schema: string) => Promise<any>} Loader
 */

/** A loader that fetches each file once; after a failure it fetches the file again. @param {Fetcher} fetcher @returns {Loader} */
export function createLoader(fetcher) {
  /** @type {Map<string, Promise<any>>} */
  const kept = new Map();
  return (file, schema) => {
    const known = kept.get(file);
    if (known !== undefined) {
      return known;
    }
    const asked = read(fetcher, file, schema);
    kept.set(file, asked);
    asked.catch(() => kept.delete(file));
    return asked;
  };
}

/** @param {Fetcher} fetcher @param {string} file @param {string} schema */
async function read(fetcher, file, schema) {
  /** @type {Answer} */
  let answer;
  try {
    answer = await fetcher(file);
  } catch {
    throw new DataError(`${file} cannot be reached. Is the site served? “make serve” or “python -m http.server” does it.`);
  }
  if (!answer.ok) {
    throw new DataError(`${file} is missing (${answer.status}). Publish the site again.`);
  }
  const document = parse(file, await text(file, await answer.arrayBuffer()), schema);
  await turn();
  return document;
}

/** Ends the task, so that the page draws and answers before what comes next. @returns {Promise<void>} */
export function turn() {
  return /** @type {any} */ (globalThis).scheduler?.yield?.() ?? new Promise((done) => setTimeout(done));
}

/** How long long work keeps the page from drawing and answering, in milliseconds. */
const TASK = 10;

/**
 * What *make* returns for each item, made in short tasks.
 *
 * @template T, U
 * @param {readonly T[]} items
 * @param {(item: T) => U} make
 * @returns {Promise<U[]>}
 */
export async function madeInTurns(items, make) {
  const made = [];
  let end = performance.now() + TASK;
  for (const item of items) {
    if (performance.now() >= end) {
      await turn();
      end = performance.now() + TASK;
    }
    made.push(make(item));
  }
  return made;
}

/** The text of the content, compressed or not: some servers let the browser unpack it, others do not. @param {string} file @param {ArrayBuffer} content */
async function text(file, content) {
  const [first, second] = new Uint8Array(content);
  if (first !== 0x1f || second !== 0x8b) {
    return new TextDecoder().decode(content);
  }
  try {
    return await new Response(new Blob([content]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  } catch {
    throw new DataError(`${file} is broken: it cannot be unpacked. Publish the site again.`);
  }
}

/** @param {string} file @param {string} text @param {string} schema the expected format */
export function parse(file, text, schema) {
  /** @type {any} */
  let document;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new DataError(`${file} is broken: ${error instanceof Error ? error.message : error}. Publish the site again.`);
  }
  const found = document?.schema ?? document?.format ?? null;
  if (found !== schema) {
    throw new DataError(`${file} has the format ${JSON.stringify(found)}; this page reads ${JSON.stringify(schema)}. Publish the site again.`);
  }
  return document;
}

/**
 * The data for the pages. Files, and the module that reads them, are loaded when a page needs them.
 *
 * @param {Loader} load
 * @param {() => Promise<typeof import("./reading.js")>} reading
 */
export function createData(load, reading) {
  const index = () => load("site.json", "windtunnel.site/1");
  return {
    /** @returns {Promise<import("./types.js").SiteData>} */
    front: index,
    site: async () => (await reading()).readSite(load, await index()),
    /** @param {import("./models/types.js").Listed} listed */
    benchmark: async (listed) => (await reading()).readBenchmark(load, listed),
    /** A point for each commit of a range of indices. @param {import("./models/types.js").BenchmarkFile} benchmark @param {ReadonlySet<number>} targets @param {[number, number]} range */
    detail: async (benchmark, targets, range) => {
      const { readCommits, readDetail } = await reading();
      const site = await index();
      const [detailed] = await Promise.all([readDetail(load, site, benchmark, targets, range), readCommits(load, site, ...range)]);
      return detailed;
    },
    /** Loads the commits of a range of indices into those of the site. @param {number} from @param {number} to */
    commits: async (from, to) => (await reading()).readCommits(load, await index(), from, to),
    /** Loads the commits of a branch, the newest first, until there are enough. @param {number} branch @param {() => boolean} isEnough */
    branch: async (branch, isEnough) => (await reading()).readBranch(load, await index(), branch, isEnough),
    /** The index of the commit whose hash begins so; -1 for none. @param {string | null} hash */
    commit: async (hash) => (await reading()).findCommit(load, await index(), hash),
    /** @returns {Promise<import("./types.js").ChangesData | null>} */
    changesHead: async () => (await reading()).readNamed(load, (await index()).files.changes, "windtunnel.site-changes/1"),
    /** @param {string} block one of the blocks of the changes @returns {Promise<import("./types.js").ShownEvent[]>} */
    events: async (block) => (await load(block, "windtunnel.site-events/1")).events,
    /** All changes of an event, the largest first. @param {import("./types.js").ShownEvent} event @returns {Promise<import("./types.js").Change[]>} */
    members: async ({ members, file }) => (file === null ? members : (await load(file, "windtunnel.site-event/1")).members),
    /** @param {readonly string[]} names of benchmarks @returns {Promise<{changes: import("./types.js").Change[], alerts: import("./types.js").ShownAlert[]}>} newest first */
    changesOf: async (names) => (await reading()).readChangesOf(load, await index(), names),
    /** @returns {Promise<import("./types.js").AlertsData | null>} */
    alerts: async () => (await reading()).readNamed(load, (await index()).files.alerts, "windtunnel.site-alerts/1"),
    /** @returns {Promise<import("./types.js").ClaimBoard | null>} */
    claims: async () => (await reading()).readNamed(load, (await index()).files.claims, "windtunnel.claims/1"),
    /** The claims that were decided elsewhere. @returns {Promise<import("./types.js").ClaimBoard | null>} */
    publishedClaims: async () => (await reading()).readNamed(load, (await index()).files.published_claims ?? null, "windtunnel.claims/1"),
    /** @returns {Promise<import("./types.js").YearsData | null>} */
    years: async () => {
      const { years } = (await index()).files;
      return years ? load(years, "windtunnel.years/1") : null;
    },
    /** What moved all times of a run alike. @returns {Promise<import("./models/history.js").Factors>} */
    factors: async () => (await reading()).readFactors(load, await index()),
    /** @returns {Promise<import("./types.js").OverviewData>} */
    scenarios: () => load("overview.json", "windtunnel/overview"),
    /** The charts of an event, by its id. @param {string} event @returns {Promise<readonly import("./types.js").ChartData[]>} */
    charts: async (event) => {
      const { charts } = (await index()).files;
      const file = charts ? await load(`${charts}${event.slice(0, 1)}.json.gz`, "windtunnel.charts/1").catch(() => null) : null;
      return file?.events[event] ?? [];
    },
    /** @returns {Promise<import("./types.js").MarksData | null>} */
    marks: async () => (await reading()).readNamed(load, (await index()).files.marks ?? null, "windtunnel.marks/1"),
    runs: async () => (await reading()).readRuns(load, await index()),
    /** @param {readonly import("./models/types.js").Run[]} runs at one target @param {(benchmark: string) => boolean} wanted */
    readings: async (runs, wanted) => (await reading()).readReadings(load, await index(), runs, wanted),
  };
}

/** @typedef {ReturnType<typeof createData>} Data */
