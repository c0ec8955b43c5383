// Compresses files:  node brotli.mjs <plan.json>, a list of [source, target, quality].
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { brotliCompress, constants } from "node:zlib";

const jobs = JSON.parse(readFileSync(process.argv[2], "utf8"));
let done = 0;

const compress = ([source, target, quality]) => {
  const data = readFileSync(source);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: data.length,
  };
  return new Promise((resolve, reject) =>
    brotliCompress(data, { params }, (error, packed) => {
      if (error) return reject(error);
      writeFileSync(`${target}.part`, packed);
      renameSync(`${target}.part`, target);
      process.stdout.write(`${++done}\n`);
      resolve();
    }),
  );
};

// The largest first, as many at a time as Node has threads for it.
const worker = async () => {
  for (let job; (job = jobs.shift()); ) await compress(job);
};
await Promise.all(Array.from({ length: 4 }, worker));
