// What the reader has chosen. The address holds all of it, so that every view has a link and "back" works.

export const ALL = "all";
export const SHOWS = ["ratio", "time"];

/**
 * @typedef {object} State
 * @property {string} python name of a place, or ALL
 * @property {string} load name of a load
 * @property {string} show what the plots' axes are: the ratio to the reference, or the time
 * @property {string} find words that a benchmark's name must contain
 */

/**
 * @param {string} search the address from its question mark on
 * @param {{places: readonly string[], loads: readonly string[], load: string}} choices with the default load
 * @returns {State}
 */
export function parse(search, choices) {
  const query = new URLSearchParams(search);
  const one = (name, allowed, fallback) => (allowed.includes(query.get(name)) ? query.get(name) : fallback);
  return {
    python: one("python", choices.places, ALL),
    load: one("load", choices.loads, choices.load),
    show: one("show", SHOWS, SHOWS[0]),
    find: query.get("find") ?? "",
  };
}

/**
 * The address of a state, without what is the default anyway.
 *
 * @param {State} state
 * @param {{load: string}} choices
 */
export function format(state, choices) {
  const query = new URLSearchParams();
  const defaults = { python: ALL, load: choices.load, show: SHOWS[0], find: "" };
  for (const [name, value] of Object.entries(state)) {
    if (value !== defaults[name]) {
      query.set(name, value);
    }
  }
  const text = query.toString();
  return text === "" ? "?" : `?${text}`;
}
