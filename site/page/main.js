// The page: loads the overview, lays it out, and draws it again when the reader chooses something else.

import { DataError, load } from "./data.js";
import { choicesOf, shown } from "./model.js";
import { format, parse } from "./state.js";
import { counted } from "./format.js";
import { answerTable } from "./views/answers.js";
import { benchmarkList } from "./views/benchmarks.js";
import { controls, finder, reflect } from "./views/controls.js";
import { absenceLists, commitWords, coverageTable, noteList } from "./views/coverage.js";
import { element, link } from "./views/dom.js";
import { scenarioSections } from "./views/scenarios.js";

const at = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

function layOut(overview) {
  document.title = `${overview.project.name} · Windtunnel`;
  at("project").replaceChildren(link(overview.project.url, overview.project.name));
  at("latest").replaceChildren(...latest(overview));
  at("confidence").textContent = `${Number((overview.confidence * 100).toPrecision(4))} %`;
  at("coverage-table").replaceChildren(coverageTable(overview), ...absenceLists(overview), noteList(overview.notes) ?? "");
  for (const [part, present] of Object.entries({ answer: overview.scenarios, scenarios: overview.scenarios, benchmarks: overview.benchmarks })) {
    for (const node of document.querySelectorAll(`[data-part="${part}"]`)) {
      node.toggleAttribute("hidden", present.length === 0);
    }
  }
  at("asv-pages").replaceChildren(overview.asv === null ? "" : element("a", { href: overview.asv }, "History"));
  at("content").hidden = false;
  at("status").hidden = true;
}

function latest(overview) {
  if (overview.commits.length === 0) {
    return ["No results yet."];
  }
  const places = overview.places.filter(({ commit }) => commit === 0).length;
  return ["Newest commit with results: ", ...commitWords(overview.commits[0]), ` on ${counted(places, "Python")}`];
}

function draw(overview, state) {
  const places = shown(overview, state);
  at("answer-table").replaceChildren(answerTable(overview, state, places));
  at("scenario-list").replaceChildren(...scenarioSections(overview, state, places));
  at("benchmark-list").replaceChildren(...benchmarkList(overview, state));
  reflect(document, state);
}

function follow(overview) {
  const choices = choicesOf(overview);
  const current = () => parse(location.search, choices);
  const change = (difference) => {
    const address = format({ ...current(), ...difference }, choices) + location.hash;
    // a word being typed is one step back, not one for each letter
    history["find" in difference ? "replaceState" : "pushState"](null, "", address);
    redraw();
  };
  let drawn = null;
  const redraw = () => {
    // a jump inside the page comes by here too, and must not take the page from under the reader
    if (drawn !== location.search) {
      drawn = location.search;
      draw(overview, current());
    }
  };
  at("controls").replaceChildren(controls(choices, overview, change) ?? "");
  at("finder").replaceChildren(finder(change));
  addEventListener("popstate", redraw);
  redraw();
  if (location.hash) {
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }
}

async function start() {
  try {
    const overview = await load(fetch);
    layOut(overview);
    follow(overview);
  } catch (error) {
    at("status").replaceChildren(error instanceof DataError ? error.message : `This page has a bug: ${error.message}`);
    at("status").classList.add("error");
    if (!(error instanceof DataError)) {
      throw error;
    }
  }
}

await start();
