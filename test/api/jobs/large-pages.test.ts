/** Lists of large jobs: no answer is far above 1 MB, and whoever follows `nextCursor` gets all (docs/behavior.md#api-5). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pages, type Ask } from '../../../src/cli/client/client.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';

test('pages of jobs and definitions end by size, and the command line lists all', async (t) => {
  const { ask } = await startTestDaemon(t);
  const made: string[] = [];
  for (let index = 0; index < 12; index += 1) {
    const name = `large ${index}`;
    const call = { url: 'http://127.0.0.1:1/', method: 'POST', body: '\u0001'.repeat(32_768) };
    const input = { name, ...call, cronExpr: '0 0 1 1 *', labels: { size: 'large' } };
    made.unshift((await ask('POST', '/jobs', input)).body.job.id);
  }
  for (const [path, field] of [
    ['/jobs', 'jobs'],
    ['/jobs?selector=size=large', 'jobs'],
    ['/definitions?show=all', 'definitions'],
  ] as const) {
    const sizes: number[] = [];
    const measured = async (method: string, asked: string) => {
      const { status, body } = await ask(method, asked);
      assert.equal(status, 200);
      sizes.push(JSON.stringify(body).length);
      return body;
    };
    const ids: string[] = [];
    for await (const { id } of pages<{ id: string }>(measured as Ask, path, field)) ids.push(id);
    assert.deepEqual(ids, made, path);
    assert.ok(sizes.length > 1 && Math.max(...sizes) < 1_300_000, `${path}: ${sizes.join(' ')}`);
  }
  const { jobs, nextCursor } = (await ask('GET', '/jobs?limit=1')).body;
  assert.deepEqual([jobs.length, typeof nextCursor], [1, 'string']);
});
