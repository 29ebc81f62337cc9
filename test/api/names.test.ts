/** Lists of jobs, monitors and channels by name and by the beginning of an id. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestDaemon } from '../support/running/daemon.ts';

const made = {
  jobs: { url: 'https://example.com/' },
  monitors: { scheduleType: 'period', periodSeconds: 3600 },
  channels: { type: 'webhook', config: { url: 'https://example.com/hook' } },
};

for (const [list, input] of Object.entries(made)) {
  const noun = list.slice(0, -1);
  test(`${list} are found by their exact name, and by the beginning of an id`, async (t) => {
    const { ask } = await startTestDaemon(t);
    const add = async (name: string): Promise<string> => {
      const { status, body } = await ask('POST', `/${list}`, { ...input, name });
      assert.equal(status, 201, JSON.stringify(body));
      return body[noun].id;
    };
    const idsOf = async (query: string): Promise<string[]> => {
      const { status, body } = await ask('GET', `/${list}?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body[list].map(({ id }: { id: string }) => id);
    };
    const [first, other, second] = [await add('Ä & b'), await add('ä & b'), await add('Ä & b')];
    const name = encodeURIComponent('Ä & b');
    assert.deepEqual(await idsOf(`name=${name}`), [second, first], 'newest first');
    assert.deepEqual(await idsOf(`name=${encodeURIComponent('ä & b')}`), [other]);
    assert.deepEqual(await idsOf('name='), []);
    assert.deepEqual(await idsOf(`idPrefix=${first.slice(0, 20).toUpperCase()}`), [first]);
    assert.deepEqual(await idsOf(`idPrefix=${first.slice(0, 4)}`), [second, other, first]);
    assert.deepEqual(await idsOf(`idPrefix=${first.slice(0, 20)}&name=x`), []);
    const { body: page } = await ask('GET', `/${list}?name=${name}&limit=1`);
    assert.deepEqual(await idsOf(`name=${name}&limit=1&cursor=${page.nextCursor}`), [first]);
    for (const wrong of ['idPrefix=019', 'idPrefix=01%25%25', `name=${'x'.repeat(121)}`]) {
      assert.equal((await ask('GET', `/${list}?${wrong}`)).status, 400, wrong);
    }
  });
}

test('names and notes without U+0000, which not every database can keep', async (t) => {
  const { ask } = await startTestDaemon(t);
  for (const [list, input] of Object.entries(made)) {
    const { status, body } = await ask('POST', `/${list}`, { ...input, name: 'a\0b' });
    assert.deepEqual([status, body.error], [400, 'name must not contain the character U+0000']);
  }
  const notes = { ...made.jobs, name: 'a', notes: 'a\0b' };
  assert.match((await ask('POST', '/jobs', notes)).body.error, /^notes must not contain/);
  assert.deepEqual((await ask('GET', '/jobs?name=a%00b')).status, 400);
});
