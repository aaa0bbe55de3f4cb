// Commits and their web addresses.

/**
 * @typedef {{hash: string, subject: string | null, author: string | null, date: number | null, url: string | null}} Commit
 */

/** @param {import("./types.js").Site} site @param {number} index @returns {Commit} */
export function commitAt({ commits, project }, index) {
  const hash = commits.hash[index] ?? "";
  const prefix = project.commit_url;
  return {
    hash,
    subject: commits.subject[index] ?? null,
    author: commits.author[index] ?? null,
    date: commits.date[index] ?? null,
    url: prefix === null ? null : `${prefix}${hash}`,
  };
}

/**
 * The address of a comparison on GitHub and similar sites; null where it cannot be derived from a commit's address.
 *
 * @param {import("./types.js").Site} site
 * @param {Commit} before
 * @param {Commit} after
 */
export function diffAddress({ project }, before, after) {
  const root = project.commit_url?.match(/^(https?:\/\/.+)\/commit\/$/)?.[1];
  return root === undefined ? null : `${root}/compare/${before.hash}...${after.hash}`;
}

/** The index of the commit whose hash begins so; -1 for none. @param {import("./types.js").Site} site @param {string | null} hash */
export function commitIndex({ commits }, hash) {
  return hash ? commits.hash.findIndex((each) => each.startsWith(hash)) : -1;
}

/**
 * The commit that a reader names: a release, the beginning of a hash, or a day, of which the last commit is taken; -1 for none.
 *
 * @param {import("./types.js").Site} site
 * @param {string} text
 * @param {number} [branch] the only one that counts; -1 for all
 */
export function namedCommit(site, text, branch = -1) {
  const counts = (/** @type {number} */ index) => isOn(site.commits, index, branch);
  const release = site.releases.find(({ name }) => name === text);
  if (release) {
    return counts(release.commit) ? release.commit : -1;
  }
  if (/^\d{4}-\d\d-\d\d$/.test(text)) {
    const end = Date.parse(`${text}T24:00:00Z`) / 1000;
    return site.commits.date.findLastIndex((date, index) => date !== null && date < end && counts(index));
  }
  const found = /^[0-9a-f]{4,40}$/.test(text) ? commitIndex(site, text) : -1;
  return found >= 0 && counts(found) ? found : -1;
}

/** Whether a commit is on a branch, as far as it has been loaded. @param {Pick<import("./types.js").Commits, "branch">} commits @param {number} index @param {number} branch -1 for all */
export function isOn(commits, index, branch) {
  return branch < 0 || commits.branch[index] === branch;
}

/** The release that a change came with, in words; null without releases. @param {Pick<import("./types.js").Site, "releases">} site @param {number} index of the commit */
export function releaseOf({ releases }, index) {
  const first = releases.find(({ commit }) => commit >= index);
  const last = releases.findLast(({ commit }) => commit < index);
  return index < 0 ? null : first ? `first in ${first.name}` : last ? `after ${last.name}` : null;
}
