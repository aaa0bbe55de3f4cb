// The way in: one file, checked before anything is drawn. overview.schema.json says what is in it.

export const FILE = "overview.json";
const FORMAT = "windtunnel/overview";
const VERSION = 1;

/** What went wrong, in words for the reader; names the file. */
export class DataError extends Error {}

/**
 * @param {typeof fetch} fetcher
 * @returns {Promise<import("./types.js").Overview>}
 */
export async function load(fetcher) {
  let response;
  try {
    response = await fetcher(FILE, { cache: "no-cache" }); // yesterday's figures on today's page would mislead
  } catch {
    throw new DataError(`${FILE} cannot be reached. Is the site served? “make serve” or “python -m http.server” does it.`);
  }
  if (!response.ok) {
    throw new DataError(`${FILE} is missing (${response.status}). Publish the site again.`);
  }
  return parse(await response.text());
}

/**
 * @param {string} text
 * @returns {import("./types.js").Overview}
 */
export function parse(text) {
  let document;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new DataError(`${FILE} is broken: ${error.message}. Publish the site again.`);
  }
  if (document?.format !== FORMAT) {
    throw new DataError(`${FILE} is no overview of Windtunnel. Publish the site again.`);
  }
  if (document.version !== VERSION) {
    throw new DataError(`${FILE} has version ${document.version}; this page reads version ${VERSION}. Publish the site again.`);
  }
  return document;
}
