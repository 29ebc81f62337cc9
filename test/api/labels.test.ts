/** Labels of jobs and monitors, and lists by selector, over the API (docs/behavior.md#labels). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from '../support/checks/answer.ts';
import { startTestDaemon, type TestDaemon } from '../support/running/daemon.ts';

const job = { url: 'http://127.0.0.1:1/', cronExpr: '0 0 1 1 *' };
const beat = { scheduleType: 'period', periodSeconds: 3_600 };

interface Made {
  id: string;
  labels: object;
}

async function add({ ask }: TestDaemon, path: '/jobs' | '/monitors', input: object): Promise<Made> {
  const made = await ask('POST', path, { ...(path === '/jobs' ? job : beat), ...input });
  assert.equal(made.status, 201, made.body.error);
  return made.body[path.slice(1, -1)];
}

for (const path of ['/jobs', '/monitors'] as const) {
  test(`${path}: labels are replaced whole, and absent where there are none`, async (t) => {
    const daemon = await startTestDaemon(t);
    const { ask } = daemon;
    const made = await add(daemon, path, { name: 'a', labels: { env: 'prod', client: 'acme' } });
    assert.deepEqual(Object.entries(made.labels), [
      ['client', 'acme'],
      ['env', 'prod'],
    ]);
    const change = async (labels: unknown) => {
      const { status, body } = await ask('PATCH', `${path}/${made.id}`, { labels });
      assert.equal(status, 200, body.error);
      return (Object.values(body)[0] as { labels?: object }).labels;
    };
    assert.deepEqual(await change({ team: 'x' }), { team: 'x' });
    assert.equal(await change({}), undefined);
    assert.deepEqual(await change({ team: 'x' }), { team: 'x' });
    assert.equal(await change(null), undefined);
    assertRefused(
      await ask('PATCH', `${path}/${made.id}`, { labels: { Client: 'x' } }),
      400,
      /^labels must have keys of .* got "Client"$/,
    );
    assertRefused(
      await ask('PATCH', `${path}/${made.id}`, { labels: { client: 3 } }),
      400,
      /^labels\.client must be a string, got 3$/,
    );
    // The trail names the field, and no value.
    const { entries } = (await ask('GET', '/audit')).body;
    const [latest] = entries;
    assert.deepEqual(latest.fields, ['labels']);
    assert.doesNotMatch(JSON.stringify(entries), /acme/);
  });

  test(`${path}: a selector limits lists, on their pages too`, async (t) => {
    const daemon = await startTestDaemon(t);
    const { ask } = daemon;
    for (const [name, labels] of Object.entries({
      one: { client: 'acme', env: 'prod' },
      two: { client: 'acme', env: 'dev' },
      three: { client: 'other' },
      four: undefined,
    })) {
      await add(daemon, path, { name, ...(labels && { labels }) });
    }
    const noun = path.slice(1);
    const named = async (list: string, query: string): Promise<string[]> => {
      const names: string[] = [];
      let cursor: string | null = '';
      do {
        const next = cursor === '' ? '' : `&cursor=${cursor}`;
        const { status, body } = await ask('GET', `${list}?limit=1&${query}${next}`);
        assert.equal(status, 200, body.error);
        names.push(...body[noun].map(({ name }: { name: string }) => name));
        cursor = body.nextCursor;
      } while (cursor !== null && names.length < 9);
      return names.toReversed();
    };
    for (const list of [path, `/overview${path}`]) {
      assert.deepEqual(await named(list, 'selector=client=acme'), ['one', 'two']);
      assert.deepEqual(await named(list, 'selector=client=acme,env!=dev'), ['one']);
      assert.deepEqual(await named(list, 'selector=env!=dev'), ['one', 'three', 'four']);
      assert.deepEqual(await named(list, 'selector=!client'), ['four']);
      assert.deepEqual(await named(list, 'selector=client=ACME'), []);
      const bad = await ask('GET', `${list}?selector=client%20%3D%20acme`);
      assertRefused(
        bad,
        400,
        /^selector must be terms such as client=acme, .* got "client = acme"$/,
      );
    }
    assert.deepEqual(await named(`/overview${path}`, 'q=TWO&selector=client'), ['two']);
    assert.deepEqual(await named(path, 'name=two&selector=client=acme'), ['two']);
  });
}

test('a copy has the labels of its job, and runs are found by those of their jobs', async (t) => {
  const daemon = await startTestDaemon(t);
  const { ask } = daemon;
  const { id } = await add(daemon, '/jobs', { name: 'one', labels: { client: 'acme' } });
  const copy = await ask('POST', `/jobs/${id}/copy`, { name: 'copy' });
  assert.deepEqual(copy.body.job.labels, { client: 'acme' });
  const other = await add(daemon, '/jobs', { name: 'other', labels: { client: 'b' } });
  for (const each of [id, other.id])
    assert.equal((await ask('POST', `/jobs/${each}/run`)).status, 202);
  const runsOf = async (query: string): Promise<string[]> => {
    const { body } = await ask('GET', `/runs?${query}`);
    return body.runs.map((run: { job: { name: string } }) => run.job.name);
  };
  assert.deepEqual(await runsOf('selector=client=acme'), ['one']);
  assert.deepEqual((await runsOf('selector=client')).toSorted(), ['one', 'other']);
  assert.deepEqual(await runsOf('selector=!client'), []);
});
