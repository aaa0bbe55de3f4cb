// The types of the data that pages show. reading.js builds them from the files, whose types are in ../types.js.

/**
 * @typedef {[number, number] | null} Limits
 * @typedef {{name: string, url: string | null, commit_url: string | null}} Project
 * @typedef {{hash: string[], subject: (string | null)[], author: (string | null)[], date: (number | null)[], branch: (number | null)[]}} Commits oldest first; a hash is "" where the commit has not been loaded; *branch*: an index, null also where it has not been loaded
 *
 * @typedef {object} Listed one benchmark of the list
 * @property {string} name
 * @property {string} unit
 * @property {string} file
 * @property {number} cases
 * @property {number} measured of them, on the newest commit
 * @property {number | null} last
 * @property {Limits} interval
 * @property {number | null} trend relative change over the sparkline
 * @property {readonly (number | null)[]} spark heights of a sparkline
 * @property {readonly string[]} params names of the parameters
 * @property {number} target where *last* was measured
 * @property {readonly number[]} targets where anything was measured
 * @property {readonly string[]} case the parameters of *last*
 * @property {number} stale commits measured there since
 *
 * @typedef {object} Site
 * @property {Project} project
 * @property {number} confidence
 * @property {Commits} commits
 * @property {readonly import("../types.js").SiteBranch[]} branches
 * @property {readonly import("../types.js").Release[]} releases
 * @property {readonly import("../types.js").SiteTarget[]} targets
 * @property {readonly Listed[]} benchmarks
 * @property {readonly string[]} notes
 * @property {unknown} claims null for a suite without claims
 *
 * @typedef {object} BenchmarkFile
 * @property {string} name
 * @property {string} unit
 * @property {readonly string[]} params names
 * @property {readonly import("./history.js").Series[]} series
 * @property {string} file
 * @property {number} confidence
 * @property {number} exact_from from this commit on each has a point
 * @property {number} commits_per_point before it
 * @property {Record<string, number>} changed indices of commits by hash
 * @property {[number, number] | null} detailed the range of older commits that have a point each
 *
 * @typedef {{commit: number, start: number, target: number, files: readonly string[], first: readonly number[]}} Run *start*: the first commit of its block; *first*: the first benchmark of each file; what was measured on a commit at a target
 *
 * @typedef {object} Reading one case in several runs at a target; null: failed, skipped or not measured
 * @property {string} benchmark
 * @property {readonly string[]} params
 * @property {string} unit
 * @property {number} variant index of the parameter that is the variant; -1 for none
 * @property {readonly (number | null)[]} values
 * @property {readonly (number | null)[]} low
 * @property {readonly (number | null)[]} high
 */

export {};
