// Keyboard control of a history: arrows move from point to point, plus and minus zoom, Enter picks a point.

/** @typedef {import("../vendor/uplot/uPlot.min.js")} uPlot */

const LEAP = 10;

/**
 * @param {object} what
 * @param {HTMLElement} what.canvas has the focus and the words; it is a slider to those who cannot see it
 * @param {uPlot} what.plot
 * @param {import("./history.js").Chart} what.chart
 * @param {import("./history.js").ChartEvents} what.events
 * @param {AbortSignal} what.signal ends it
 * @param {(range: [number, number] | null) => void} what.zoomTo
 */
export function keyboard({ canvas, plot, chart, events, signal, zoomTo }) {
  const last = chart.xs.length - 1;
  let current = Math.max(0, last);
  const go = (/** @type {number} */ index) => {
    current = Math.min(last, Math.max(0, index));
    const value = chart.xs[current] ?? 0;
    reveal(plot, value, zoomTo);
    plot.setCursor({ left: plot.valToPos(value, "x"), top: 0 });
    say(canvas, current, last, events);
  };
  const press = (/** @type {KeyboardEvent} */ event) => {
    const steps = new Map([["ArrowLeft", current - 1], ["ArrowRight", current + 1], ["PageDown", current - LEAP], ["PageUp", current + LEAP], ["Home", 0], ["End", last]]);
    const target = steps.get(event.key);
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (target !== undefined) {
      go(target);
    } else if (event.key === "+" || event.key === "-") {
      zoomTo(zoomed(plot, chart.xs[current] ?? 0, event.key === "+" ? 0.5 : 2));
    } else if (event.key === "Escape" || event.key === "0") {
      zoomTo(null);
    } else if (event.key === "Enter" || event.key === " ") {
      events.pick(current);
    } else {
      return;
    }
    event.preventDefault();
  };
  canvas.addEventListener("keydown", press, { signal });
  say(canvas, current, last, events);
}

/** @param {HTMLElement} canvas @param {number} index @param {number} last @param {import("./history.js").ChartEvents} events */
function say(canvas, index, last, events) {
  canvas.setAttribute("aria-valuemin", "0");
  canvas.setAttribute("aria-valuemax", String(Math.max(0, last)));
  canvas.setAttribute("aria-valuenow", String(index));
  canvas.setAttribute("aria-valuetext", events.words(index));
}

/** @param {uPlot} plot @param {number} value @param {(range: [number, number]) => void} zoomTo */
function reveal(plot, value, zoomTo) {
  const { min = 0, max = 0 } = /** @type {{min?: number, max?: number}} */ (plot.scales.x);
  if (value < min || value > max) {
    const half = (max - min) / 2;
    zoomTo([value - half, value + half]);
  }
}

/** @param {uPlot} plot @param {number} middle @param {number} factor @returns {[number, number] | null} null: all of it */
function zoomed(plot, middle, factor) {
  const { min = 0, max = 0 } = /** @type {{min?: number, max?: number}} */ (plot.scales.x);
  const xs = plot.data[0];
  const half = ((max - min) / 2) * factor;
  const whole = [xs[0] ?? 0, xs[xs.length - 1] ?? 0];
  return half * 2 >= whole[1] - whole[0] ? null : [Math.max(whole[0], middle - half), Math.min(whole[1], middle + half)];
}
