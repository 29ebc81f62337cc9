/** `Location`: where created objects are, with the base URL that the operator set. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newCode, postSession, signIn } from '../../support/running/browser.ts';
import { startTestDaemon, type Answer } from '../../support/running/daemon.ts';

const baseUrl = 'https://jobs.example.com/x';
const url = 'http://127.0.0.1:1/';

test('every answer 201 or 202 says where the object is, and it is there', async (t) => {
  const daemon = await startTestDaemon(t, { flags: { baseUrl } });
  const { ask } = daemon;
  /** Creates something, and returns its path in the API. */
  const create = async (path: string, body: unknown, status: number): Promise<string> => {
    const made = await ask('POST', path, body);
    assert.equal(made.status, status, path);
    return placeOf(made);
  };
  const placeOf = ({ headers }: Answer): string => {
    const place = headers.get('location') ?? 'nowhere';
    assert.ok(place.startsWith(`${baseUrl}/api/v1/`), place);
    return place.slice(`${baseUrl}/api/v1`.length);
  };
  const job = await create('/jobs', { name: 'a', url }, 201);
  const channel = await create('/channels', { name: 'a', type: 'webhook', config: { url } }, 201);
  const places: [place: string, pattern: RegExp][] = [
    [job, /^\/jobs\/[^/]+$/],
    [await create(`${job}/copy`, { name: 'b' }, 201), /^\/jobs\/[^/]+$/],
    [await create(`${job}/run`, undefined, 202), /^\/jobs\/[^/]+\/runs\/[^/]+$/],
    [await create('/monitors', { name: 'a' }, 201), /^\/monitors\/[^/]+$/],
    [channel, /^\/channels\/[^/]+$/],
    [await create(`${channel}/test`, undefined, 202), /^\/channels\/[^/]+\/deliveries\/[^/]+$/],
  ];
  for (const [place, pattern] of places) {
    assert.match(place, pattern);
    assert.equal((await ask('GET', place)).status, 200, place);
  }

  const copy = await create(`${job}/copy`, { name: 'c' }, 201);
  const run = await ask('POST', `${copy}/run`);
  assert.equal(run.headers.get('location'), run.body.resultUrl, 'the same as resultUrl');
});

test('a session and a key that its owner makes have a place too', async (t) => {
  const daemon = await startTestDaemon(t);
  const api = `${daemon.url}/api/v1`;
  const session = await postSession(daemon.url, { code: await newCode(daemon.dataDir) });
  assert.equal(session.headers.get('location'), `${api}/session`);
  const owner = await signIn(daemon.url, { code: await newCode(daemon.dataDir) });
  const made = await owner.ask('POST', '/keys', { name: 'a', permission: 'read' });
  const place = made.headers.get('location') ?? '';
  assert.equal(place, `${api}/keys/${made.body.key.id}`);
  assert.equal((await owner.ask('DELETE', place.slice(api.length))).status, 200);
});
