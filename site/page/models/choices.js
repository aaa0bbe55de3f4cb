// What the reader has chosen, read from the address; what the address does not say, or says wrongly, is the default.

/**
 * @param {URLSearchParams} choices
 * @param {string} name
 * @param {readonly string[]} allowed
 * @param {string} fallback
 */
export function one(choices, name, allowed, fallback) {
  const asked = choices.get(name);
  return asked !== null && allowed.includes(asked) ? asked : fallback;
}

/**
 * @param {URLSearchParams} choices
 * @param {string} name
 * @returns {[number, number] | null}
 */
export function range(choices, name) {
  const limits = (choices.get(name) ?? "").split("_").map((text) => (text === "" ? NaN : Number(text)));
  const [from, to] = limits;
  return limits.length === 2 && from !== undefined && to !== undefined && from < to && Number.isFinite(to - from) ? [from, to] : null;
}

/** Words that must all be found, in any order. @param {string} text */
export function wordsOf(text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}
