// The choices in the address. A missing or invalid choice has its default.

/** @param {URLSearchParams} choices @param {string} name @param {readonly string[]} allowed @param {string} fallback */
export function one(choices, name, allowed, fallback) {
  const asked = choices.get(name);
  return asked !== null && allowed.includes(asked) ? asked : fallback;
}

/** @param {URLSearchParams} choices @param {string} name @returns {[number, number] | null} */
export function range(choices, name) {
  const limits = (choices.get(name) ?? "").split("_").map((text) => (text === "" ? NaN : Number(text)));
  const [from, to] = limits;
  return limits.length === 2 && from !== undefined && to !== undefined && from < to && Number.isFinite(to - from) ? [from, to] : null;
}

/** A parameter in the address, for links from where its position is not known. @param {string} name */
export function keyByName(name) {
  return `.${name}`;
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

/**
 * A text in parts, of which those that a search found are marked.
 *
 * @param {string} text
 * @param {readonly string[]} words in lower case
 * @returns {{text: string, isFound: boolean}[]}
 */
export function highlighted(text, words) {
  const lower = text.toLowerCase();
  const marks = new Array(text.length).fill(false);
  for (const word of lower.length === text.length ? words : []) {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
      marks.fill(true, at, at + word.length);
    }
  }
  const starts = marks.flatMap((mark, at) => (at === 0 || mark !== marks[at - 1] ? [at] : []));
  return starts.map((start, at) => ({ text: text.slice(start, starts[at + 1]), isFound: marks[start] }));
}
