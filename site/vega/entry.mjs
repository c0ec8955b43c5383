/* What of Vega the pages need: one file, made by the build, that sets `glassboxVega`. It has no loader of files
   and no canvas, and it runs expressions by walking their tree, so that a page may forbid `eval`. */
import { transforms } from "vega-dataflow";
import * as encode from "vega-encode";
import { expressionInterpreter } from "vega-interpreter";
import { parse } from "vega-parser";
import { fontSize, textMetrics } from "vega-scenegraph";
import * as reshaping from "vega-transforms";
import { View } from "vega-view";
import * as laying from "vega-view-transforms";

Object.assign(transforms, reshaping, laying, encode);

/* The width of words, from a table of the site's own font: the build has no canvas, and asking the same table in
   the page puts the same words in the same place. */
function measure(advances) {
  const usual = advances.n;
  textMetrics.width = (item, text) => {
    let sum = 0;
    for (const letter of String(text ?? "")) sum += advances[letter] ?? usual;
    return (sum * fontSize(item)) / 1000;
  };
}

globalThis.glassboxVega = { View, parse, interpreter: expressionInterpreter, measure };
