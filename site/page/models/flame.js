// A differential flame graph: where its frames are, what the keys reach, and the costs of functions.

/** @typedef {import("../types.js").Frame} Frame */
/** @typedef {Frame & {parent: number, left: number, width: number}} Placed a frame with the index of the one around it, -1 for none, and shares of the whole width */
/** @typedef {{name: string, place: string, touched: boolean, base: number, head: number}} FunctionCosts own costs, without those of the frames in it */

/** @param {readonly Frame[]} frames each before those in it @returns {Placed[]} */
export function placed(frames) {
  const whole = frames[0].base + frames[0].head;
  /** @type {Placed[]} */
  const done = [];
  /** @type {number[]} */
  const around = [];
  const free = [0]; // where the next frame of each depth begins
  for (const [index, frame] of frames.entries()) {
    around.length = frame.depth;
    free.length = frame.depth + 1;
    const left = free[frame.depth];
    const width = Math.min((frame.base + frame.head) / whole, 1 - left);
    done.push({ ...frame, parent: around[frame.depth - 1] ?? -1, left, width });
    around.push(index);
    free[frame.depth] = left + width;
    free.push(left);
  }
  return done;
}

/**
 * The frames that are seen when one fills the width: those around it and in it, with their place in pixels.
 *
 * @param {readonly Placed[]} frames
 * @param {number} zoom the index of the frame that fills the width
 * @param {number} width in pixels
 * @param {number} least narrower frames are left out
 * @returns {{at: number, x: number, wide: number}[]}
 */
export function seen(frames, zoom, width, least) {
  const { left, width: share } = frames[zoom].width > 0 ? frames[zoom] : frames[0];
  const x = (/** @type {number} */ place) => Math.min(1, Math.max(0, (place - left) / share)) * width;
  return frames.map((frame, at) => ({ at, x: x(frame.left), wide: x(frame.left + frame.width) - x(frame.left) })).filter(({ at, wide }) => wide >= least || at === zoom);
}

/**
 * The frame that an arrow key reaches: down is called, up calls, left and right are called beside it.
 *
 * @param {readonly Placed[]} frames
 * @param {readonly number[]} shown the indices of frames that are drawn
 * @param {number} at
 * @param {string} key
 */
export function reached(frames, shown, at, key) {
  const beside = shown.filter((each) => frames[each].parent === frames[at].parent);
  const place = beside.indexOf(at);
  const steps = new Map([["ArrowDown", shown.find((each) => frames[each].parent === at)], ["ArrowUp", frames[at].parent], ["ArrowLeft", beside[place - 1]], ["ArrowRight", beside[place + 1]], ["Home", 0]]);
  const found = steps.get(key) ?? -1;
  return found < 0 ? at : found;
}

/**
 * The own costs of each function, the largest difference first, without the first frame, which is the whole. Frames that are too
 * narrow to be kept count for the one around them.
 *
 * @param {readonly Placed[]} frames
 * @returns {FunctionCosts[]}
 */
export function functionCosts(frames) {
  const own = frames.map(({ base, head }) => ({ base, head }));
  for (const { parent, base, head } of frames.filter((each) => each.parent >= 0)) {
    own[parent] = { base: own[parent].base - base, head: own[parent].head - head };
  }
  /** @type {Map<string, FunctionCosts>} */
  const found = new Map();
  for (const [index, { name, place, touched }] of [...frames.entries()].slice(1)) {
    const key = JSON.stringify([name, place]);
    const before = found.get(key) ?? { base: 0, head: 0 };
    found.set(key, { name, place, touched, base: before.base + Math.max(0, own[index].base), head: before.head + Math.max(0, own[index].head) });
  }
  return [...found.values()].toSorted((one, other) => Math.abs(other.head - other.base) - Math.abs(one.head - one.base));
}

/** The shade of a difference: more-1 to more-3 or less-1 to less-3; empty for none. @param {number} base @param {number} head */
export function shade(base, head) {
  const share = (head - base) / Math.max(base, head, Number.MIN_VALUE);
  const strength = [0.005, 0.15, 0.5].filter((limit) => Math.abs(share) >= limit).length;
  return strength === 0 ? "" : `${share > 0 ? "more" : "less"}-${strength}`;
}

/** A name, its last part or its beginning, in as many letters; empty if too few fit. @param {string} name @param {number} letters */
export function fitting(name, letters) {
  const last = name.slice(name.lastIndexOf(".") + 1);
  const fits = [name, last].find((each) => each.length <= letters);
  return fits ?? (letters > 2 ? `${last.slice(0, letters - 1)}…` : "");
}

/** What a function adds to the cost of the whole benchmark, as a share of that on base. @param {number} difference @param {number} whole */
export function added(difference, whole) {
  if (whole <= 0) {
    return "–";
  }
  const percent = (100 * difference) / whole;
  const text = Math.abs(percent) < 10 ? percent.toFixed(1) : percent.toFixed(0);
  return `${Number(text) > 0 ? "+" : ""}${Number(text) === 0 ? "0" : text.replace("-", "−")} %`;
}
