// Runs a module that was split in two:  node halves.mjs <folder> [lines of Python…]
// Without Python the folder holds a.wasm and its rest, and every export is called; with it, the interpreter.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, ...lines] = process.argv.slice(2);
const file = (name) => readFileSync(`${folder}/${name}`);
let given;
let came = 0;
const load = (rest) => {
  came += 1;
  new WebAssembly.Instance(new WebAssembly.Module(file(rest)), { first: given });
  given["rest loaded"].value = 1;
};

async function small() {
  const { instance } = await WebAssembly.instantiate(file("a.wasm"), { rest: { load: () => load("rest.wasm") } });
  given = instance.exports;
  return Object.entries(given).flatMap(([name, it]) => (typeof it === "function" ? [[name, it(5), came]] : []));
}

async function python() {
  const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.js`).href);
  const { default: create } = await import(pathToFileURL(`${folder}/pyodide.asm.js`).href);
  const pyodide = await loadPyodide({
    indexURL: folder,
    lockFileContents: { info: JSON.parse(file("lock.json")).info, packages: {} },
    createPyodideModule: (settings) => {
      const instantiate = settings.instantiateWasm;
      settings.instantiateWasm = (imports, done) =>
        instantiate({ ...imports, rest: { load: () => load("pyodide.rest.wasm") } }, (instance, module) => {
          given = instance.exports;
          done({ exports: Object.fromEntries(Object.entries(given).filter(([n]) => !n.startsWith("rest "))) }, module);
        });
      return create(settings);
    },
  });
  return lines.map((line) => [pyodide.runPython(line), came]);
}

process.stdout.write(JSON.stringify(await (lines.length ? python() : small())));
