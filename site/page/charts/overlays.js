// The parts under the lines of a history: interval bands, change points, releases.

/** @typedef {import("../vendor/uplot/uPlot.min.js")} uPlot */
/** @typedef {import("./history.js").Chart} Chart */

const MOST_RELEASES = 12;
/** Pixels of the mark of one of many releases. */
const TICK = 8;

/** The colours that the style sheet has for this scheme. @param {Element} node */
export function palette(node) {
  const style = getComputedStyle(node);
  const colour = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
  return {
    soft: colour("soft"),
    line: colour("line"),
    regressed: colour("more"),
    improved: colour("less"),
    release: colour("soft"),
    beside: colour("series-3"),
    series: Array.from({ length: 8 }, (_, index) => colour(`series-${index}`)),
  };
}

/** The axis of a line: counts have one of their own beside times, unless all are relative. @param {Pick<Chart, "unit">} chart @param {Chart["lines"][number]} line */
export function scaleName({ unit }, line) {
  return line.second && unit !== null ? "second" : "y";
}

/** @param {uPlot} plot @param {Chart} chart @param {ReturnType<typeof palette>} colours */
export function bands(plot, chart, colours) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.globalAlpha = 0.18;
  const x = chart.xs.map((value) => plot.valToPos(value, "x", true));
  for (const line of chart.lines) {
    ctx.fillStyle = colours.series[line.hue % 8] ?? colours.soft;
    for (const run of stretches(line.low, line.high)) {
      band(plot, x, line, run, scaleName(chart, line));
    }
  }
  ctx.restore();
}

/**
 * Runs of points that have an interval; null ends a run, a missing point does not.
 *
 * @param {import("../models/history.js").Column} low
 * @param {import("../models/history.js").Column} high
 */
export function stretches(low, high) {
  /** @type {number[][]} */
  const found = [];
  /** @type {number[]} */
  let run = [];
  low.forEach((limit, index) => {
    if (typeof limit === "number" && typeof high[index] === "number") {
      run.push(index);
    } else if (limit === null && run.length) {
      found.push(run);
      run = [];
    }
  });
  return run.length ? [...found, run] : found;
}

/** @param {uPlot} plot @param {number[]} x @param {Chart["lines"][number]} line @param {number[]} run @param {string} scale */
function band(plot, x, line, run, scale) {
  const { ctx, bbox } = plot;
  const y = (/** @type {number | null | undefined} */ value) => {
    const at = plot.valToPos(value ?? 0, scale, true);
    return Number.isFinite(at) ? at : bbox.top + bbox.height; // zero has no position on a logarithmic axis
  };
  const [only] = run;
  if (run.length === 1) {
    const top = y(line.high[only]);
    ctx.fillRect(x[only] - 3, top, 6, y(line.low[only]) - top);
    return;
  }
  ctx.beginPath();
  for (const index of run) {
    ctx.lineTo(x[index], y(line.high[index]));
  }
  for (const index of run.toReversed()) {
    ctx.lineTo(x[index], y(line.low[index]));
  }
  ctx.fill();
}

/** @param {uPlot} plot @param {Chart} chart @param {ReturnType<typeof palette>} colours */
export function marks(plot, chart, colours) {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio || 1;
  const shown = chart.marks.filter(({ at }) => inside(plot, chart.xs[at] ?? NaN));
  const named = shown.filter(({ kind }) => kind === "release").length <= MOST_RELEASES;
  ctx.save();
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.lineWidth = ratio;
  for (const mark of shown) {
    const x = Math.round(plot.valToPos(chart.xs[mark.at] ?? 0, "x", true));
    ctx.strokeStyle = ctx.fillStyle = colours[mark.kind];
    ctx.setLineDash(mark.kind === "release" ? [2 * ratio, 4 * ratio] : mark.kind === "beside" ? [6 * ratio, 3 * ratio] : []);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + (mark.kind === "release" && !named ? TICK * ratio : bbox.height));
    ctx.stroke();
    if (mark.kind !== "beside" && (mark.kind !== "release" || named)) {
      ctx.fillText(mark.label, x, bbox.top - 6 * ratio);
    }
  }
  ctx.restore();
}

/** @param {uPlot} plot @param {number} value */
function inside(plot, value) {
  const { min, max } = plot.scales.x ?? {};
  return value >= (min ?? Infinity) && value <= (max ?? -Infinity);
}
