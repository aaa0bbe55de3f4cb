// The series of a benchmark for other programs: a table for spreadsheets, and plain JSON.

/** @param {import("./types.js").Site} site @param {import("./types.js").BenchmarkFile} benchmark */
export function csv({ commits, targets }, { params, series, unit }) {
  const head = ["commit", "date", "target", ...params, `value (${unit})`, "low", "high"];
  const rows = series.flatMap((each) =>
    each.commits.map((commit, at) => {
      const date = commits.date[commit];
      return [commits.hash[commit], date === null ? null : new Date(date * 1000).toISOString(), targets[each.target].name, ...each.params, each.values[at], each.low[at], each.high[at]];
    }),
  );
  return table([head, ...rows]);
}

/** @param {readonly (readonly (string | number | null)[])[]} rows */
function table(rows) {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** A comparison as a table. @param {readonly import("./compare.js").Pair[]} pairs */
export function comparisonCsv(pairs) {
  const figure = (/** @type {string} */ side) => ["value", "low", "high", "runs"].map((each) => `${side} ${each}`);
  const values = (/** @type {import("./compare.js").Figure} */ { value, limits, runs }) => [value, limits?.[0] ?? null, limits?.[1] ?? null, runs];
  const head = ["benchmark", "parameters", "unit", "ratio", "low", "high", "verdict", "evidence", ...figure("first"), ...figure("second")];
  return table([head, ...pairs.map((each) => [each.benchmark, each.params.join(", "), each.unit, each.ratio, each.interval?.[0] ?? null, each.interval?.[1] ?? null, each.verdict, each.reason, ...values(each.base), ...values(each.head)])]);
}

/** A comparison with its two sides. @param {readonly import("./compare.js").Pair[]} pairs @param {Record<string, unknown>} sides */
export function comparisonJson(pairs, sides) {
  return JSON.stringify({ ...sides, cases: pairs.map(({ base, head, ...each }) => ({ ...each, first: base, second: head })) }, null, 1);
}

/** A cell in the format of RFC 4180. Text that a spreadsheet would read as a formula is quoted. @param {string | number | null} value */
function cell(value) {
  if (value === null || typeof value === "number") {
    return value === null ? "" : String(value);
  }
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** All values with the hashes of their commits. @param {import("./types.js").Site} site @param {import("./types.js").BenchmarkFile} benchmark */
export function json({ commits, targets }, { name, unit, params, confidence, series }) {
  const plain = series.map((each) => ({ ...each, target: targets[each.target].name, commits: each.commits.map((commit) => commits.hash[commit]) }));
  return JSON.stringify({ name, unit, params, confidence, series: plain }, null, 1);
}
