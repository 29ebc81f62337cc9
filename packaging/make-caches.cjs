/**
 * node make-caches.cjs DIRECTORY: V8's code cache of each piece in it, for this very version of Node. A few
 * commands are run before, so that the functions they need are in the cache, compiled.
 */
'use strict';

const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

const directory = process.argv[2];
const scripts = new Map(
  readdirSync(directory).map((name) => {
    const source = readFileSync(join(directory, name), 'utf8');
    return [`./${name}`, new Script(source, { filename: name })];
  }),
);

/** What they say is of no interest, nor how they end: the second finds no server. */
const commands = [['--help'], ['jobs', 'list'], ['schedule', 'preview', '@daily']];

function runNext() {
  const command = commands.shift();
  if (command === undefined) {
    finish();
    return;
  }
  process.argv = [process.argv[0], 'jobd', ...command];
  const loaded = new Map();
  const load = (name) => {
    if (!name.startsWith('./')) return require(name);
    const before = loaded.get(name);
    if (before !== undefined) return before.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    scripts.get(name).runInThisContext()(module.exports, load, module);
    return module.exports;
  };
  // A turn of the event loop later: without one, Node ends.
  process.once('beforeExit', () => setImmediate(runNext));
  load('./main.js');
}

function finish() {
  for (const [name, script] of scripts) {
    writeFileSync(join(directory, `${name}.cache`), script.createCachedData());
  }
  process.exitCode = 0;
}

runNext();
