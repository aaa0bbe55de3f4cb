// The shapes of the published data, for editors and checkers. docs/site-data.schema.json is the full account; a test
// (tests/unit/test_site_types.py) holds the two together.

/**
 * site.json: what every page needs first.
 *
 * @typedef {object} SiteData
 * @property {"windtunnel.site/1"} schema
 * @property {Project} project
 * @property {string | null} commit_url
 * @property {number} confidence
 * @property {number} commits
 * @property {number} benchmarks
 * @property {number} scenarios
 * @property {Commit | null} newest
 * @property {SitePlace[]} places
 * @property {Release[]} releases
 * @property {MachineData[]} machines
 * @property {Health} health
 * @property {RecentChange[]} recent
 * @property {Files} files
 * @property {string[]} notes
 *
 * @typedef {object} Project
 * @property {string} name
 * @property {string | null} url
 *
 * @typedef {object} Commit
 * @property {string} hash
 * @property {string | null} subject
 * @property {number | null} date seconds since 1970
 * @property {string | null} url
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
 * @typedef {object} Release
 * @property {string} name
 * @property {number} commit
 *
 * @typedef {object} MachineData
 * @property {string} name
 * @property {[string, string][]} details
 *
 * @typedef {object} Health
 * @property {number} series
 * @property {number} stale
 * @property {number} failing
 * @property {number | null} newest
 * @property {number | null} alarm_rate
 * @property {number} comparisons
 * @property {number | null} taken_back
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
 * @typedef {object} Files
 * @property {string[]} commits
 * @property {string} benchmarks
 * @property {string} runs
 * @property {string | null} changes
 * @property {string | null} claims
 * @property {string | null} alerts
 */

/**
 * overview.json: scenarios, one job done in several ways.
 *
 * @typedef {object} Overview
 * @property {"windtunnel/overview"} format
 * @property {1} version
 * @property {Project} project
 * @property {number} confidence of every interval
 * @property {number[]} levels of quantiles
 * @property {Commit[]} commits newest first
 * @property {Place[]} places
 * @property {Scenario[]} scenarios
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
 * @typedef {object} Distribution
 * @property {(number | null)[]} quantiles at the levels of the file
 * @property {number | null} processes
 *
 * @typedef {object} Load
 * @property {string} name
 * @property {string} parameter as asv writes it
 *
 * @typedef {object} Fastest
 * @property {number} place
 * @property {number} load
 * @property {number[]} variants the one with the smallest median, and those that cannot be told from it
 *
 * @typedef {object} Place
 * @property {string} name unique
 * @property {string} python
 * @property {string} machine
 * @property {number} commit index into commits
 * @property {number} measured
 * @property {number} failed
 * @property {number} skipped
 * @property {AbsentCase[]} absences
 *
 * @typedef {object} AbsentCase
 * @property {string} case
 * @property {"failed" | "skipped"} state
 * @property {string} reason
 */

/**
 * Commits and benchmarks, in columns.
 *
 * @typedef {object} CommitsData
 * @property {"windtunnel.commits/1"} schema
 * @property {number} first
 * @property {string[]} hash
 * @property {(string | null)[]} subject
 * @property {(string | null)[]} author
 * @property {(number | null)[]} date
 * @property {(number | null)[]} revision
 *
 * @typedef {object} BenchmarksData
 * @property {"windtunnel.benchmarks/1"} schema
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
 */

/**
 * Histories: one benchmark over all commits, and all benchmarks over neighbouring commits.
 *
 * @typedef {object} BenchmarkData
 * @property {"windtunnel.benchmark/1"} schema
 * @property {string} name
 * @property {string} unit
 * @property {string} kind
 * @property {string | null} version
 * @property {string[]} params
 * @property {string} code
 * @property {number} confidence
 * @property {SeriesData[]} series
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
 * @typedef {object} RunBlock
 * @property {"windtunnel.runs-block/1"} schema
 * @property {number} place
 * @property {BlockSeries[]} series
 *
 * @typedef {object} BlockSeries
 * @property {number} place
 * @property {string[]} params
 * @property {number} digits
 * @property {number[]} commits
 * @property {(number | null)[]} values
 * @property {(number | null)[]} below
 * @property {(number | null)[]} above
 * @property {number} benchmark
 *
 * @typedef {object} RunsData
 * @property {"windtunnel.runs/1"} schema
 * @property {number[]} commit
 * @property {number[]} place
 * @property {number[]} file
 * @property {string[]} files
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
 * @property {"current" | "superseded" | "recovered" | "gone"} status
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
 * @property {{text: string} | null} health_issue
 * @property {{state: string, who: string, why: string, when: string}[]} history
 *
 * @typedef {object} Alerts
 * @property {Alert[]} alerts
 */

/**
 * claims.json (docs/claims-format.md), as far as pages read it.
 *
 * @typedef {{low: number, high: number}} Span
 *
 * @typedef {object} Side
 * @property {string} benchmark
 * @property {string[]} params
 * @property {number | null} value
 * @property {string | null} unit
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
 * @property {StatedFigure[]} figures
 *
 * @typedef {object} StatedFigure
 * @property {string} name
 * @property {number | null} value
 * @property {string | null} unit
 * @property {number | null} low
 * @property {number | null} high
 * @property {string} reason
 *
 * @typedef {object} Claims
 * @property {number} confidence
 * @property {{id: string, title: string}[]} sources
 * @property {{id: string, source: string, sentence: string, storage: string, article_says: string}[]} claims
 * @property {{name: string, python: string, machine: string}[]} places
 * @property {Decision[]} decisions
 * @property {{claim: string, holds: string[], fails: string[]}[]} place_flips
 * @property {string[]} notes
 */

export {};
