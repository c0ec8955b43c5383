// Compiles Vega-Lite specifications and draws still pictures from rows, with the same Vega as the pages.
//   node draw.mjs <folder of npm's packages> <the pages' bundle> <plan.json>
// The plan: {"specs": {name: Vega-Lite}, "advances": {character: thousandths of an em},
//            "stills": [{"chart": name, "rows": {…}, "values": {…}, "width": px}]}
// On standard output: {"specs": {name: Vega}, "stills": [svg]}
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [, , packages, bundle, planned] = process.argv;
const { compile } = await import(pathToFileURL(`${packages}/node_modules/vega-lite/build/index.js`));
await import(pathToFileURL(bundle));
const { View, parse, interpreter, measure } = globalThis.glassboxVega;
const plan = JSON.parse(await readFile(planned, "utf-8"));
measure(plan.advances);

const heard = [];
const logger = { error: say, warn: say, info: () => logger, debug: () => logger, level: () => logger };
function say(...words) {
  heard.push(words.join(" "));
  return logger;
}

// What a page has no use for: descriptions of single marks (the figure has its sentence and its table), and the
// signals by which Vega-Lite listens to the pointer (buttons fill the store of what is picked).
function slim(vega) {
  const pointed = /^(unit|.*_tuple|.*_tuple_fields|.*_toggle|.*_modify)$/;
  const picks = vega.data.filter((d) => d.name.endsWith("_store")).map((d) => d.name.slice(0, -6));
  for (const mark of vega.marks) if (mark.name?.startsWith("points_")) unseen(mark);
  vega.signals = vega.signals?.filter((s) => !pointed.test(s.name) && !picks.includes(s.name));
  return JSON.parse(JSON.stringify(vega, (key, value) => (key === "description" || key === "cursor" ? undefined : value)));
}

// What is pointed at stands in Vega's scene alone: as the corners of one line without ink, hundreds of marks are one
// element of the page, where each would be an element that every new state moves.
function unseen(mark) {
  const { x, y, tooltip } = mark.encode.update;
  mark.type = "line";
  mark.encode = { update: { x, y, tooltip, opacity: { value: 0 } } };
}

// Rows come from Python and pass by Vega's reader of files: what that would make dates of, a formula does.
function dated(vega) {
  for (const data of vega.data) {
    const dates = Object.entries(data.format?.parse || {}).filter(([, kind]) => /^(date|utc)/.test(kind));
    const formulas = dates.map(([field]) => ({ type: "formula", expr: `toDate(datum[${JSON.stringify(field)}])`, as: field }));
    if (formulas.length) data.transform = [...formulas, ...(data.transform || [])];
    if (data.format) delete data.format;
  }
  return vega;
}

// A still picture: without the marks that are there to be pointed at, and with short numbers.
const still = (vega) => ({ ...vega, marks: vega.marks.filter((m) => !m.name?.startsWith("points_")) });
function clean(svg) {
  return svg
    .replace(/ (?:font-family|aria-[a-z]+|role|class|pointer-events|xmlns:xlink|version)="[^"]*"/g, "")
    .replace(/ (?:opacity|stroke-opacity|fill-opacity)="1"| font-weight="normal"/g, "")
    .replace(/<[^>]*>/g, (tag) => tag.replace(/-?\d+\.\d{2,}(?:e-\d+)?/g, (n) => String(Math.round(n * 10) / 10)))
    .replace(/<path(?: d="(?:M0,0h[\d.]*v[\d.]*h-?[\d.]*Z)?"| display="none")+\/>/g, "")
    .replace(/<g>(<\/g>)/g, "")
    .replace("<svg ", '<svg aria-hidden="true" focusable="false" preserveAspectRatio="xMinYMin" ');
}

const specs = {};
for (const [name, spec] of Object.entries(plan.specs)) {
  try {
    const { $schema, description, ...vega } = compile(spec, { logger }).spec;
    specs[name] = dated(slim(vega));
    new View(parse(specs[name], null, { ast: true }), { expr: interpreter, renderer: "none", logger }).finalize();
  } catch (error) {
    say(error.message);
  }
  if (heard.length) throw new Error(`${name}: ${heard.join("; ")}`);
}

const stills = [];
for (const { chart, rows, values, width } of plan.stills) {
  const view = new View(parse(still(specs[chart]), null, { ast: true }), { expr: interpreter, renderer: "none", logger });
  view.width(width);
  for (const [name, value] of Object.entries(values)) view.signal(name, value);
  for (const [name, found] of Object.entries(rows)) view.data(name, found);
  await view.runAsync();
  await view.resize().runAsync(); // the first run fits the plot to the labels of a width before
  stills.push(clean(await view.toSVG()));
  view.finalize();
  if (heard.length) throw new Error(`${chart}: ${heard.join("; ")}`);
}
process.stdout.write(JSON.stringify({ specs, stills }));
