/** node FLAGS check-caches.cjs DIRECTORY: fails if V8 with these flags refuses the code cache of a piece in it. */
'use strict';

const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

const directory = process.argv[2];
for (const cache of readdirSync(directory).filter((name) => name.endsWith('.cache'))) {
  const name = cache.slice(0, -'.cache'.length);
  const source = readFileSync(join(directory, name), 'utf8');
  const cachedData = readFileSync(join(directory, cache));
  const { cachedDataRejected } = new Script(source, { filename: name, cachedData });
  if (cachedDataRejected) throw new Error(`V8 refuses the code cache of ${name}`);
}
