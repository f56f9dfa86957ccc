// Builds src/ludwin/web/static/: hashed files, index.html, licences and a manifest with the hashes of all of it.
// The result is committed, so that `pip install .` needs no Node; CI builds it again and compares.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url)), out = join(here, "..", "src", "ludwin", "web", "static");
process.chdir(here);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const hash = (data) => createHash("sha256").update(data).digest("hex");
const common = { bundle: true, minify: true, write: true, outdir: out, metafile: true, legalComments: "none", charset: "utf8", preserveSymlinks: true, logLevel: "warning" };
const script = await esbuild.build({ ...common, entryPoints: ["src/main.ts"], format: "esm", splitting: true, target: "es2022", entryNames: "[name]-[hash]", chunkNames: "[name]-[hash]" });
const style = await esbuild.build({ ...common, entryPoints: ["src/all.css"], entryNames: "style-[hash]" });
const entry = (result, source) => Object.entries(result.metafile.outputs).find(([, one]) => one.entryPoint === source)[0].split("/").at(-1);
const page = readFileSync("src/index.html", "utf8").replace("SCRIPT", entry(script, "src/main.ts")).replace("STYLE", entry(style, "src/all.css"));
writeFileSync(join(out, "index.html"), page);
writeFileSync(join(out, "icon.svg"), readFileSync("src/icon.svg"));
const licence = (name) => `${name}\n\n${readFileSync(join("node_modules", name, "LICENSE"), "utf8")}\n`;
writeFileSync(join(out, "LICENCES.txt"), licence("lit-html") + licence("uplot"));
const sources = {};
for (const name of [...readdirSync("src").sort().map((one) => `src/${one}`), "build.mjs", "package.json", "package-lock.json", "tsconfig.json"]) sources[name] = hash(readFileSync(name));
const outputs = {};
for (const name of readdirSync(out).sort()) {
  const data = readFileSync(join(out, name));
  outputs[name] = { sha256: hash(data), bytes: data.length, gzip: gzipSync(data, { level: 9 }).length };
}
const first = entry(script, "src/main.ts"), statics = (name) => [name, ...(script.metafile.outputs[Object.keys(script.metafile.outputs).find((one) => one.endsWith(name))].imports.filter((one) => one.kind === "import-statement").map((one) => one.path.split("/").at(-1)))];
const play = [...new Set(statics(first).flatMap(statics))], curves = Object.keys(outputs).filter((name) => /^(runs|events)-/.test(name));
const size = (names) => names.reduce((sum, name) => sum + outputs[name].gzip, 0);
const sizes = { play: size(play), curves: size([...new Set([...play, ...curves.flatMap(statics)])]) };
writeFileSync(join(out, "manifest.json"), JSON.stringify({ sizes, play, sources, outputs }, null, 1) + "\n");
console.log(JSON.stringify(sizes));
