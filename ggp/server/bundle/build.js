// Bundles CodeMirror into ../static/vendor/codemirror.js, with the licences of all packages in it beside it.

import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";

const target = "../static/vendor/codemirror.js";
const { metafile } = await build({
  entryPoints: ["codemirror.js"],
  bundle: true,
  format: "esm",
  minify: true,
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  banner: { js: "// CodeMirror 6, bundled: see codemirror.licences.txt beside this file, and CONTRIBUTING.md." },
  outfile: target,
  metafile: true,
});

const packages = new Set();
for (const path of Object.keys(metafile.inputs)) {
  const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
  if (found) packages.add(found[1]);
}
const licences = [...packages].sort().map((name) => {
  const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  return `${name} ${version} (${license})\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`;
});
writeFileSync("../static/vendor/codemirror.licences.txt", licences.join(`\n${"-".repeat(80)}\n\n`));
console.log(`${target}: ${packages.size} packages`);
