/**
 * What the executable runs first. The program is there in pieces, one for each part that is loaded only when
 * it is needed, each an asset with V8's code cache beside it: a start costs what it uses, not what there is.
 */
'use strict';

const { getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

const loaded = new Map();

/** `require` for pieces: of another piece, or of a module of Node. */
function load(name) {
  if (!name.startsWith('./')) return require(name);
  const before = loaded.get(name);
  if (before !== undefined) return before.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const script = new Script(Buffer.from(getRawAsset(name)).utf8Slice(), {
    filename: name.slice(2), // the name that stack traces show
    cachedData: cacheOf(name),
  });
  script.runInThisContext()(module.exports, load, module);
  return module.exports;
}

/** There is none in an executable that was made on a machine of another architecture. */
function cacheOf(name) {
  try {
    return new Uint8Array(getRawAsset(`${name}.cache`));
  } catch {
    return undefined;
  }
}

load('./main.js');
