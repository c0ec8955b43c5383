// Compiles the Python files inside wheels and inside the standard library's zip, in the interpreter that
// will run them in the page:  node compiler.mjs <folder with the interpreter> <plan.json>
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [home, planFile] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(planFile, "utf8"));
const { loadPyodide } = await import(pathToFileURL(`${home}/pyodide.mjs`).href);
const python = await loadPyodide({
  indexURL: home,
  lockFileContents: { info: plan.info, packages: {} },
  env: { PYTHONHASHSEED: "0", PYTHONDONTWRITEBYTECODE: "1" }, // the same bytes on every machine
});
const room = "/build/glassbox/publish/python"; // folders without __init__.py: these two files and no more
python.FS.mkdirTree(room);
for (const name of ["archive.py", "zips.py"]) {
  python.FS.writeFile(`${room}/${name}`, readFileSync(new URL(name, import.meta.url)));
}
const archive = python.runPython(
  "import sys; sys.path.insert(0, '/build'); from glassbox.publish.python import archive; archive",
);
for (const wheel of plan.installed) {
  python.FS.writeFile("/wheel.zip", readFileSync(wheel));
  archive.install("/wheel.zip");
}
const instead = python.toPy(plan.instead);
// First what a page imports that is read: the lean archives hold that alone. Then what any page imports.
plan.jobs.sort((a, b) => (b.part === "lean") - (a.part === "lean"));
archive.warm(plan.lean);
for (const [number, job] of plan.jobs.entries()) {
  if (job.part !== "lean") archive.warm(plan.imports);
  python.FS.writeFile("/source.zip", readFileSync(job.source));
  archive.compile_archive("/source.zip", "/target.zip", job.inside, job.part, instead);
  writeFileSync(`${job.target}.part`, python.FS.readFile("/target.zip"));
  renameSync(`${job.target}.part`, job.target);
  process.stdout.write(`${number + 1}\n`);
}
