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
 * @typedef {object} Case
 * @property {number} place index into places
 * @property {number} commit index into commits
 * @property {number} load index into the scenario's loads
 * @property {number} variant index into the scenario's variants
 * @property {Measured | Absent} result
 * @property {Ratio | null} ratio to the reference; null for the reference itself and where one of the two is absent
 *
 * @typedef {object} Fastest
 * @property {number} place
 * @property {number} load
 * @property {number[]} variants the one with the smallest median, and those that cannot be told from it
 *
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} benchmark
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
 * @property {string | null} asv where asv's own pages are
 * @property {Commit[]} commits newest first
 * @property {Place[]} places
 * @property {Scenario[]} scenarios
 * @property {Benchmark[]} benchmarks
 * @property {string[]} notes
 */

export {};
