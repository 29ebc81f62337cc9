/** The demo that tests of pages look at, served by the packaged executable. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demoCounts } from '../../support/demo/demo.ts';
import { until } from '../../support/until.ts';
import { noPages, sharedDemo } from './running/served.ts';

test(
  'a served demo has its jobs, a key that may write, and calls its own target',
  { skip: noPages },
  async () => {
    const jobd = await sharedDemo();
    const ask = async (method: string, path: string): Promise<Response> =>
      await fetch(`${jobd.url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${jobd.key}` },
      });
    const { overview } = (await (await ask('GET', '/overview')).json()) as {
      overview: { jobs: { total: number; down: number } };
    };
    assert.equal(overview.jobs.total, demoCounts.jobs.total);
    assert.equal(overview.jobs.down, demoCounts.jobs.down);

    const job = `/jobs/${jobd.demo.jobs.warmCache}`;
    const asked = await ask('POST', `${job}/run`);
    assert.equal(asked.status, 202);
    const { run } = (await asked.json()) as { run: { id: string } };
    await until('the end of a run', async () => {
      const answer = await ask('GET', `${job}/runs/${run.id}`);
      return ((await answer.json()) as { run: { status: string } }).run.status === 'success';
    });

    const receipt = `/jobs/${jobd.demo.jobs.rates}/runs/${jobd.demo.runs.success}/receipt`;
    assert.equal((await ask('GET', receipt)).status, 200);
    assert.match(await jobd.link(), /#code=/);
  },
);
