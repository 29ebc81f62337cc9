/**
 * The entry of the executable. The program is in pieces, one for each part that is loaded on demand. Each is an asset with
 * V8's code cache beside it, so a start loads only what it uses.
 */
'use strict';

const { getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

const loaded = new Map();

/** `require` for pieces: loads another piece or a module of Node. */
function load(name) {
  if (!name.startsWith('./')) return require(name);
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const script = new Script(Buffer.from(getRawAsset(name)).utf8Slice(), {
    filename: name.slice(2), // the name that stack traces show
    cachedData: cacheOf(name),
  });
  script.runInThisContext()(module.exports, load, module);
  return module.exports;
}

/** An executable built on another architecture has none. */
function cacheOf(name) {
  try {
    return new Uint8Array(getRawAsset(`${name}.cache`));
  } catch {
    return undefined;
  }
}

load('./main.js');
