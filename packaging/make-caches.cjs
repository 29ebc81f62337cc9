/**
 * node make-caches.cjs DIRECTORY: writes V8's code cache of each piece, for this version of Node. A few commands run first,
 * so that the cache has the functions that they compile.
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

/** Their output and exit codes are ignored: the second finds no server. */
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
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    scripts.get(name).runInThisContext()(module.exports, load, module);
    return module.exports;
  };
  // In a later turn of the event loop: otherwise Node ends.
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
