// The series of a benchmark for other programs: a table for spreadsheets, and plain JSON.

/**
 * @param {import("./types.js").Site} site
 * @param {import("./types.js").BenchmarkFile} benchmark
 */
export function csv({ commits, targets }, { params, series, unit }) {
  const head = ["commit", "date", "target", ...params, `value (${unit})`, "low", "high"];
  const rows = series.flatMap((each) =>
    each.commits.map((commit, at) => {
      const date = commits.date[commit];
      return [commits.hash[commit], date === null ? null : new Date(date * 1000).toISOString(), targets[each.target].name, ...each.params, each.values[at], each.low[at], each.high[at]];
    }),
  );
  return [head, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/**
 * A cell in the format of RFC 4180. Text that a spreadsheet would read as a formula is quoted.
 *
 * @param {string | number | null} value
 */
function cell(value) {
  if (value === null || typeof value === "number") {
    return value === null ? "" : String(value);
  }
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * All values with the hashes of their commits.
 *
 * @param {import("./types.js").Site} site
 * @param {import("./types.js").BenchmarkFile} benchmark
 */
export function json({ commits, targets }, { name, unit, params, confidence, series }) {
  const plain = series.map((each) => ({ ...each, target: targets[each.target].name, commits: each.commits.map((commit) => commits.hash[commit]) }));
  return JSON.stringify({ name, unit, params, confidence, series: plain }, null, 1);
}
