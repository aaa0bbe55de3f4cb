// The shapes of overview.json, for editors and checkers; overview.schema.json is the full account.

/**
 * @typedef {object} Measured
 * @property {"measured"} state
 * @property {number} value median, in the benchmark's unit
 * @property {[number, number] | null} interval of the median; null where there are too few samples for one
 * @property {number | null} samples
 *
 * @typedef {object} Absent
 * @property {"failed" | "skipped" | "missing" | "infinite"} state
 *
 * @typedef {object} Ratio
 * @property {number} value
 * @property {[number, number] | null} interval
 *
 * @typedef {object} Commit
 * @property {string} hash
 * @property {string | null} subject
 * @property {number | null} date seconds since 1970
 * @property {string | null} url
 *
 * @typedef {object} Place
 * @property {string} name unique
 * @property {string} python
 * @property {string} machine
 * @property {number} commit index into commits
 * @property {number} measured
 * @property {number} failed
 * @property {number} skipped
 * @property {{case: string, state: string, reason: string}[]} absences
 *
 * @typedef {object} Load
 * @property {string} name
 * @property {string} parameter as asv writes it
 *
 * @typedef {object} Distribution
 * @property {(number | null)[]} quantiles at the levels of the file
 * @property {number | null} processes
 *
 * @typedef {object} Case
 * @property {number} place index into places
 * @property {number} commit index into commits
 * @property {number} load index into the scenario's loads
 * @property {number} variant index into the scenario's variants
 * @property {Measured | Absent} result
 * @property {Ratio | null} ratio to the reference; null for the reference itself and where one of the two is absent
 * @property {Distribution | null} distribution
 * @property {number[][]} profiles of kind "profile": the values of each process, at equal distances of time
 *
 * @typedef {object} Fastest
 * @property {number} place
 * @property {number} load
 * @property {number[]} variants the one with the smallest median, and those that cannot be told from it
 *
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} benchmark
 * @property {string} group the module: benchmarks of one group time the same job
 * @property {string} kind "time", "latency", "peakmemory", "profile", "track" …
 * @property {string} unit
 * @property {number} reference index into variants
 * @property {string[]} variants
 * @property {Load[]} loads
 * @property {Case[]} cases
 * @property {Fastest[]} fastest
 *
 * @typedef {object} PlainCase
 * @property {number} place
 * @property {number} commit
 * @property {string[]} parameters
 * @property {Measured | Absent} result
 *
 * @typedef {object} Benchmark
 * @property {string} name
 * @property {string} unit
 * @property {string[]} parameters names
 * @property {PlainCase[]} cases
 *
 * @typedef {object} Overview
 * @property {{name: string, url: string | null}} project
 * @property {number} confidence of every interval
 * @property {number[]} levels of quantiles
 * @property {string | null} asv where asv's own pages are
 * @property {Commit[]} commits newest first
 * @property {Place[]} places
 * @property {Scenario[]} scenarios
 * @property {Benchmark[]} benchmarks
 * @property {string[]} notes
 */

/**
 * The files of histories (docs/site-data.md).
 *
 * @typedef {object} SeriesData
 * @property {number} place
 * @property {string[]} params
 * @property {number} digits
 * @property {number[]} commits
 * @property {(number | null)[]} values
 * @property {(number | null)[]} below
 * @property {(number | null)[]} above
 *
 * @typedef {SeriesData & {benchmark: number}} BlockSeries
 *
 * @typedef {object} BenchmarkData
 * @property {string} name
 * @property {string} unit
 * @property {string} kind
 * @property {string | null} version
 * @property {string[]} params
 * @property {string} code
 * @property {number} confidence
 * @property {SeriesData[]} series
 *
 * @typedef {{commit: number[], place: number[], file: number[], files: string[]}} RunsData
 * @typedef {{first: number, hash: string[], subject: (string | null)[], author: (string | null)[], date: (number | null)[]}} CommitsData
 *
 * @typedef {object} BenchmarksData
 * @property {string[]} units
 * @property {string[]} name
 * @property {string[]} file
 * @property {number[]} unit
 * @property {string[][]} params
 * @property {number[]} cases
 * @property {number[]} measured
 * @property {number[]} place
 * @property {string[][]} case
 * @property {(number | null)[]} last
 * @property {(number | null)[]} low
 * @property {(number | null)[]} high
 * @property {(number | null)[]} trend
 * @property {string[]} spark
 * @property {number[]} stale
 *
 * @typedef {object} SitePlace
 * @property {string} name
 * @property {string} python
 * @property {string} machine
 * @property {string} environment
 * @property {number} commit
 * @property {number} measured
 * @property {number} failed
 * @property {number} runs
 *
 * @typedef {object} RecentChange
 * @property {string} event
 * @property {string} commit
 * @property {string | null} subject
 * @property {string} date
 * @property {string} benchmark
 * @property {string[]} params
 * @property {number | null} place
 * @property {number} members
 * @property {number} regressed
 * @property {number | null} relative_change
 * @property {[number, number] | null} interval of the relative change
 * @property {string} status
 * @property {string} spark
 * @property {string} spark_low
 * @property {string} spark_high
 * @property {number[]} marks places in *spark* at which a new level begins
 *
 * @typedef {object} SiteData
 * @property {{name: string, url: string | null}} project
 * @property {string | null} commit_url
 * @property {number} confidence
 * @property {number} commits
 * @property {number} benchmarks
 * @property {number} [scenarios]
 * @property {SitePlace[]} places
 * @property {{name: string, commit: number}[]} releases
 * @property {{name: string, details: [string, string][]}[]} machines
 * @property {{series: number, stale: number, failing: number, newest: number | null, alarm_rate: number | null, comparisons: number, taken_back: number | null}} health
 * @property {RecentChange[]} recent
 * @property {{commits: string[], benchmarks: string, runs: string, changes: string | null, claims: string | null, alerts: string | null}} files
 * @property {string[]} notes
 * @property {Commit | null} [newest]
 */

/**
 * changes.json (docs/changes-format.md), as far as pages read it.
 *
 * @typedef {object} Change
 * @property {string} id
 * @property {string} event
 * @property {string} commit
 * @property {string} previous_commit
 * @property {string[]} candidates
 * @property {number} candidate_count
 * @property {string} date
 * @property {"step" | "creep"} kind
 * @property {string} benchmark
 * @property {string[]} params
 * @property {string} environment
 * @property {string} machine
 * @property {string | null} unit
 * @property {number} before
 * @property {number} after
 * @property {number | null} relative_change
 * @property {{low: number, high: number} | null} interval
 * @property {number} confidence
 * @property {"regressed" | "improved"} direction
 * @property {"small" | "medium" | "large" | "huge"} magnitude
 * @property {"current" | "superseded" | "recovered"} status
 *
 * @typedef {object} Event
 * @property {string} id
 * @property {string} commit
 * @property {string} previous_commit
 * @property {number} candidate_count
 * @property {string} date
 * @property {string[]} members
 * @property {number} regressed
 * @property {number} improved
 * @property {number | null} largest
 *
 * @typedef {object} Changes
 * @property {number} series
 * @property {number} commits
 * @property {Change[]} changes
 * @property {Event[]} events
 * @property {{id: string, commit: string, date: string, machine: string, relative_change: number, cases: number, total: number}[]} common_mode
 * @property {string[]} notes
 */

/**
 * alerts.json (docs/alerts.md), as far as pages read it.
 *
 * @typedef {object} Alert
 * @property {string} id
 * @property {string} state
 * @property {string | null} until
 * @property {{commit: string, date: string} | null} where
 * @property {{benchmark: string, params: string[]}[]} members
 * @property {{machine: string, relative_change: number, cases: number, total: number} | null} move
 * @property {{text: string} | null} ailment
 * @property {{state: string, who: string, why: string, when: string}[]} history
 *
 * @typedef {{alerts: Alert[]}} Alerts
 */

/**
 * claims.json (docs/claims-format.md), as far as pages read it.
 *
 * @typedef {{low: number, high: number}} Span
 * @typedef {{benchmark: string, params: string[], value: number | null, unit: string | null}} Side
 *
 * @typedef {object} ClaimTest
 * @property {Side} contender
 * @property {Side} baseline
 * @property {number | null} low
 * @property {number | null} high
 * @property {number | null} article
 * @property {string} decision
 * @property {string} reason
 * @property {number | null} ratio
 * @property {Span | null} interval
 *
 * @typedef {object} Decision
 * @property {string} claim
 * @property {string} place
 * @property {"holds" | "fails" | "undecided" | "out_of_scope"} decision
 * @property {string} reason
 * @property {number} decisive
 * @property {ClaimTest[]} tests
 *
 * @typedef {object} Claims
 * @property {number} confidence
 * @property {{id: string, title: string}[]} sources
 * @property {{id: string, source: string, sentence: string, storage: string, article_says: string}[]} claims
 * @property {{name: string, python: string, machine: string}[]} places
 * @property {Decision[]} decisions
 * @property {string[]} notes
 */

export {};
