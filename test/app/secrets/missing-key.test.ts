/** A missing master key: what to do begins with where it is, and ends with giving it up. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findMissingKey } from '../../../src/app/secrets/missing-key.ts';
import { masterKeysFor } from '../../../src/serve/local-store.ts';
import { availableIds } from '../../../src/secrets/master-keys.ts';
import { temporaryDirectory } from '../../support/directory.ts';

const [right, wrong] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('hex')) as [
  string,
  string,
];

test('the file beside the database is looked into before anything is given up', (t) => {
  const dataDir = temporaryDirectory(t);
  const file = join(dataDir, 'secret-key');
  const given = (text: string | null) =>
    masterKeysFor(
      { dataDir, database: null },
      { current: text === null ? null : { name: 'JOBD_SECRET_KEY', text }, next: null },
    );
  const [[lost = ''], [other = '']] = [availableIds(given(right)), availableIds(given(wrong))];
  const found = (current: string | null) =>
    findMissingKey([lost], given(current), []) ?? assert.fail();
  const copy = 'your copy of the key (a jobd backup does not contain it)';
  const last = `only if there is no copy: jobd secrets forget ${lost} gives up the headers, bodies, channel configs and signing key that it sealed, for good`;

  assert.equal(findMissingKey([lost], given(right), []), null);
  assert.equal(
    found(wrong).problem,
    `the master key of this store is ${lost}, but in JOBD_SECRET_KEY there is ${other}`,
  );
  const set = `set JOBD_SECRET_KEY to ${copy}`;
  assert.deepEqual(found(wrong).remedies, [set, last], 'no file');
  writeFileSync(file, right, { mode: 0o600 });
  const there = `the right key is in ${file}: remove JOBD_SECRET_KEY from the environment`;
  assert.deepEqual(found(wrong).remedies, [there], 'nothing is to be given up');
  writeFileSync(file, 'cut', { mode: 0o600 });
  assert.match(found(wrong).remedies[0] ?? '', /^it may be in .*secret-key, beside the database: /);
  writeFileSync(file, wrong, { mode: 0o600 });
  const neither = `${file} is not it either: there is ${other}`;
  assert.deepEqual(found(wrong).remedies, [neither, set, last]);
  assert.deepEqual(found(null).remedies, [
    'if the daemon gets the key as JOBD_SECRET_KEY (see /etc/jobd/jobd.env), set that here too',
    `otherwise put ${copy} into ${file}`,
    last,
  ]);
  const both = findMissingKey([lost, other], given(null), []);
  assert.match(both?.remedies.at(-2) ?? '', /^a rotation was interrupted: /);
  assert.equal(both?.remedies.at(-1), last);
});
