// The choices in the address. A missing or invalid choice has its default.

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

/** The words of a search, which must all match, in any order. @param {string} text */
export function wordsOf(text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether *text* contains every word of a search. @param {readonly string[]} words @param {string} text */
export function matches(words, text) {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}
