// The first page: the answers of a suite with claims, what got slower in any other. Each loads its own modules.

/** @param {import("../main.js").Context} context @returns {Promise<import("../main.js").Drawn>} */
export async function draw({ data }) {
  const site = await data.front();
  const title = `${site.project.name} · Windtunnel`;
  const claims = /** @type {import("../types.js").ClaimSummary | null} */ (site.claims);
  if (claims === null) {
    const { regressionPage } = await import("../views/regressions.js");
    return { title, content: await regressionPage(site, Date.now() / 1000, data) };
  }
  const isFirst = claims.answers.length === 0 && site.scenarios > 0;
  const [{ answerPage }, here] = await Promise.all([import("../views/answers.js"), isFirst ? jobs(site, data) : null]);
  return { title, content: answerPage(site, claims, here, claims.answers.length > 0 ? data.claims() : data.publishedClaims(), data.years()) };
}

/** What was measured on this machine before any claim. @param {import("../types.js").SiteData} site @param {import("../data.js").Data} data */
async function jobs(site, data) {
  const [overview, { jobsOf }, views] = await Promise.all([data.scenarios(), import("../models/scenarios.js"), import("../views/jobs.js")]);
  return { jobs: jobsOf(overview, site.board), ...views };
}
