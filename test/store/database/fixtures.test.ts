/** Stores of earlier versions: each is brought up to date, and people see in it what they saw. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { serveConfig } from '../../../src/settings/config.ts';
import { startDaemon } from '../../../src/serve/daemon.ts';
import { openLog } from '../../../src/base/log.ts';
import { newestVersion, schemaVersion } from '../../../src/store/database/migrate.ts';
import { openReader, storePath } from '../../../src/store/sqlite/reader.ts';
import { version } from '../../../src/version.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { fixtureVersions, readSeen, unpackFixture } from '../../support/fixtures/stores.ts';

const changelog = readFileSync(join(import.meta.dirname, '..', '..', '..', 'CHANGELOG.md'), 'utf8');
const released = Array.from(
  changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\] - \d{4}/gm),
  ([, name = '']) => name,
);
const remake = 'make it with: npx node test/support/fixtures/make.ts';

test('there is a store of this version and of each released one', () => {
  const versions = new Set(fixtureVersions());
  for (const wanted of new Set([version, ...released])) {
    assert.ok(versions.has(wanted), `no store of ${wanted} in test/fixtures/stores: ${remake}`);
  }
});

for (const name of fixtureVersions()) {
  test(`a store of jobd ${name} shows what it showed`, async (t) => {
    const dataDir = temporaryDirectory(t);
    const { at, seen, ...known } = unpackFixture(name, dataDir);
    const remedy = released.includes(name)
      ? 'a migration that was released must stay as it is: add another one'
      : `the tables were changed since: ${remake}`;
    await using before = await openReader(storePath(dataDir)).catch((error: unknown) => {
      throw new Error(remedy, { cause: error });
    });
    assert.ok((await schemaVersion(before.db)) <= newestVersion);
    const config = serveConfig(
      { data: dataDir, port: '0', baseUrl: 'https://jobs.example.com' },
      {},
    );
    // On trial it calls nothing, so nothing changes meanwhile.
    await using daemon = await startDaemon(config, openLog('silent'), {
      clock: fakeClock(at),
      isOnTrial: true,
    });
    const now = await readSeen(daemon.url, known);
    for (const [path, answer] of Object.entries(seen)) {
      assert.deepEqual(withKnownFields(now[path], answer), answer, path);
    }
  });
}

/** Only the fields that the other value has, too: a later version may say more. */
function withKnownFields(value: unknown, other: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(other)) {
    return value.map((item, index) => withKnownFields(item, other[index]));
  }
  if (!isRecord(value) || !isRecord(other)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) =>
      name in other ? [[name, withKnownFields(item, other[name])]] : [],
    ),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
