/** The deliveries of all channels: pages, filters, and nobody else's. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../src/domain/id.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { addWorkspace } from '../../support/records/workspace.ts';

interface Listed {
  id: string;
  subject: { id: string } | null;
  channel: { id: string; name: string };
}

const row = {
  event: 'job.failed',
  subject_id: 's',
  about_type: 'job',
  about_name: 'backup',
  queue: 0,
  payload: '{}',
  status: 'delivered',
} as const;

const ids = (deliveries: Listed[]): string[] => deliveries.map(({ id }) => id);

test('deliveries of all channels are listed newest first, by subject and beginning of the id, and nobody else sees them', async (t) => {
  const { ask, dataDir } = await startTestDaemon(t);
  const other = await addWorkspace(dataDir);
  const otherKey = await other.newKey('read');
  const writeKey = await other.newKey('write');
  const config = { url: 'https://example.com/' };
  const create = async (name: string, key?: string): Promise<string> => {
    const made = await ask('POST', '/channels', { name, type: 'slack', config }, key);
    assert.equal(made.status, 201, made.body.error);
    return made.body.channel.id;
  };
  const own = [await create('ops'), await create('boss'), await create('gone')];
  const [ops = '', boss = '', gone = ''] = own;
  const theirs = await create('theirs', writeKey);
  const [job, monitor] = [newId(Date.now()), newId(Date.now())];
  // Ids of channels are mixed: each third of them is about the job, half of the others about nothing.
  const made = Array.from({ length: 60 }, (_, index) => ({
    id: `019a9b1c-00${index.toString(16).padStart(2, '0')}-7000-8000-000000000000`,
    channel_id: [ops, boss, gone, theirs][(index * 7) % 4] ?? ops,
    about_id: [job, monitor, null][index % 3] ?? null,
  }));
  {
    await using local = await openTestLocal(dataDir);
    const rows = made.map((one, index) => Object.assign({ created_at: index }, row, one));
    await local.store.db.insertInto('deliveries').values(rows).execute();
  }
  await ask('DELETE', `/channels/${gone}`);
  const expected = (channels: string[], aboutId?: string, prefix = ''): string[] =>
    made
      .filter(({ id, channel_id, about_id }) => {
        const isAbout = aboutId === undefined || about_id === aboutId;
        return channels.includes(channel_id) && isAbout && id.startsWith(prefix);
      })
      .map(({ id }) => id)
      .toReversed();
  const listed = async (query: string, key?: string): Promise<Listed[]> => {
    const found: Listed[] = [];
    let cursor = '';
    do {
      const { status, body } = await ask(
        'GET',
        `/deliveries?limit=7${query}${cursor}`,
        undefined,
        key,
      );
      assert.equal(status, 200, body.error);
      found.push(...body.deliveries);
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
    } while (cursor !== '');
    return found;
  };

  const all = await listed('');
  assert.deepEqual(ids(all), expected([ops, boss]));
  for (const { id, channel } of all) {
    const channelId = made.find((one) => one.id === id)?.channel_id;
    assert.deepEqual(channel, { id: channelId, name: channelId === ops ? 'ops' : 'boss' });
  }
  assert.deepEqual(ids(await listed(`&jobId=${job.toUpperCase()}`)), expected([ops, boss], job));
  assert.deepEqual(ids(await listed(`&monitorId=${monitor}`)), expected([ops, boss], monitor));
  const [newest = ''] = expected([ops, boss]);
  const prefix = newest.slice(0, 12);
  const begun = expected([ops, boss], undefined, prefix);
  assert.ok(begun.length > 1 && begun.length < 30);
  assert.deepEqual(ids(await listed(`&idPrefix=${prefix.toUpperCase()}`)), begun);
  assert.deepEqual(ids(await listed(`&idPrefix=${newest}`)), [newest]);

  assert.deepEqual(ids(await listed('', otherKey)), expected([theirs]), "only one's own");
  assert.deepEqual(ids(await listed(`&jobId=${job}`, otherKey)), expected([theirs], job));
  assert.deepEqual(await listed(`&idPrefix=${newest}`, otherKey), []);

  const ofChannel = (await ask('GET', `/channels/${ops}/deliveries?idPrefix=${prefix}`)).body;
  assert.deepEqual(ids(ofChannel.deliveries), expected([ops], undefined, prefix));
  const both = await ask('GET', `/deliveries?jobId=${job}&monitorId=${monitor}`);
  assertRefused(both, 400, /^give either jobId or monitorId, not both$/, 'both');
  const { nextCursor } = (await ask('GET', `/channels/${ops}/deliveries?limit=1`)).body;
  const strange = await ask('GET', `/deliveries?cursor=${nextCursor}`);
  assertRefused(strange, 400, /^cursor must be a nextCursor of this list/, 'of another list');
});
