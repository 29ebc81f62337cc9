/** node make-caches.cjs DIRECTORY: V8's code cache of each piece in it, for this very version of Node. */
'use strict';

const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

const directory = process.argv[2];
for (const name of readdirSync(directory).filter((file) => file.endsWith('.js'))) {
  const path = join(directory, name);
  const script = new Script(readFileSync(path, 'latin1'), { filename: name });
  writeFileSync(`${path}.cache`, script.createCachedData());
}
