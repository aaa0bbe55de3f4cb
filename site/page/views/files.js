// The figures of a page as files.

import { element } from "../dom.js";
import { csv, json } from "../models/exports.js";

/** @param {import("../models/types.js").Site} site @param {import("../models/types.js").BenchmarkFile} benchmark */
export function files(site, benchmark) {
  return element(
    "p",
    { class: "files" },
    save(benchmark.name, "csv", "text/csv", () => csv(site, benchmark)),
    " ",
    save(benchmark.name, "json", "application/json", () => json(site, benchmark)),
    " or as the site keeps it: ",
    element("a", { href: benchmark.file }, benchmark.file),
  );
}

/** @param {string} name @param {string} kind @param {string} type @param {() => string} make */
function save(name, kind, type, make) {
  const button = element("button", { type: "button", class: "show-more" }, `Save as ${kind.toUpperCase()}`);
  button.addEventListener("click", () => {
    const url = URL.createObjectURL(new Blob([make()], { type }));
    element("a", { href: url, download: `${name.replaceAll(/[^\w.-]/g, "_")}.${kind}` }).click();
    setTimeout(() => URL.revokeObjectURL(url));
  });
  return button;
}
