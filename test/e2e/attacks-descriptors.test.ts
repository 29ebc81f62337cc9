/** Calls are made even with few file descriptors and clients that want them all. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { startSink } from '../support/fakes/sink.ts';
import { notPackaged } from '../support/running/executable.ts';
import { assertHarmless, startAttack, startVictim } from '../support/running/under-attack.ts';
import { until } from '../support/until.ts';
import { prepareService } from './faults/service.ts';

const prlimit = '/usr/bin/prlimit';
const skip = notPackaged || (existsSync(prlimit) ? false : 'there is no prlimit');

/** The statuses of the runs that ended of jobs whose names begin so, from the log. */
function statuses(log: string, name: string): string[] {
  const lines = log.split('\n').filter((line) => line.includes('"run ended"'));
  const ended = lines.map((line) => JSON.parse(line) as { job: string; status: string });
  return ended.filter(({ job }) => job.startsWith(name)).map(({ status }) => status);
}

test(
  '256 files and 400 connections before the first call: the call is made',
  { skip },
  async (t) => {
    const wrapper = [prlimit, '--nofile=256:256'];
    const service = await prepareService(t, ['a'], { wrapper });
    const daemon = await service.start();
    const attack = startAttack(t, 'connections.ts', await daemon.listening, '400', '33');
    await attack.hasBegun();
    await service.dueIn({ a: 0 });
    await until('the end of the run', () => statuses(daemon.log(), 'a').length > 0);
    await attack.end();
    assert.deepEqual(statuses(daemon.log(), 'a'), ['success']);
    assert.equal(service.witness.arrivals.length, 1);
    assert.match(daemon.log(), /LimitNOFILE/);
  },
);

test('1,024 files, 988 connections held, 400 calls at once: none fails', { skip }, async (t) => {
  const calls = 400;
  const held: ServerResponse[] = [];
  const target = await startSink(t, (response) => {
    held.push(response);
    if (held.length === calls) for (const one of held) one.end('ok');
  });
  const victim = await startVictim(t, {
    wrapper: [prlimit, '--nofile=1024:1024'],
    args: ['--slots-per-host', '512'],
    prepare: async (addJob) => {
      for (let number = 0; number < calls; number += 1) {
        await addJob({ name: `slow ${number}`, url: `${target.url}/${number}` }, 0);
      }
    },
  });
  const toll = await victim.watch(async (untilServed) => {
    const attack = startAttack(t, 'connections.ts', victim.url, '988', '33');
    await attack.hasBegun();
    victim.makeDue();
    await until('the end of the runs', () => statuses(victim.log(), 'slow').length >= calls);
    await untilServed();
    return await attack.end();
  });
  t.diagnostic(JSON.stringify(toll));
  assert.deepEqual([...new Set(statuses(victim.log(), 'slow'))], ['success']);
  assertHarmless(toll, Infinity);
});
