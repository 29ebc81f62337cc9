/** Calls are made even with few file descriptors and clients that want them all. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { temporaryDirectory } from '../support/directory.ts';
import { notPackaged, serve } from '../support/running/executable.ts';
import { prepareStore } from '../support/running/prepare.ts';
import { longestHealthMs, runAttack, startVictim } from '../support/running/under-attack.ts';
import { until } from '../support/until.ts';
import { startWitness } from '../support/fakes/witness.ts';

const prlimit = '/usr/bin/prlimit';
const skip = notPackaged || (existsSync(prlimit) ? false : 'there is no prlimit');
const everyMinute = { scheduleType: 'period', periodSeconds: 60 } as const;

/** The status of each run that ended, from the log. */
function statuses(log: string): string[] {
  const lines = log.split('\n').filter((line) => line.includes('"run ended"'));
  return lines.map((line) => (JSON.parse(line) as { status: string }).status);
}

test(
  '256 files and 400 connections before the first call: the call is made',
  { skip },
  async (t) => {
    const witness = await startWitness(t);
    const dataDir = temporaryDirectory(t);
    // Later than the early start of the call thread.
    const dueAt = Math.ceil(Date.now() / 1_000) * 1_000 + 10_000;
    await prepareStore(dataDir, ({ addJob }) =>
      addJob({ name: 'a', url: `${witness.url}/a`, ...everyMinute }, dueAt - 60_000),
    );
    const args = ['--data', dataDir, '--allow-target', '127.0.0.0/8:*'];
    const wrapper = [prlimit, '--nofile=256:256'];
    const daemon = await serve(t, args, { cwd: dataDir, wrapper });
    await runAttack(t, 'connections.ts', [
      daemon.url,
      '400',
      String((dueAt - Date.now()) / 1_000 + 2),
      '33',
    ]);
    await until('the end of the run', () => statuses(daemon.log()).length > 0);
    assert.deepEqual(statuses(daemon.log()), ['success']);
    assert.ok(Math.abs((witness.at('/a')[0]?.at ?? 0) - dueAt) < 5_000);
    assert.match(daemon.log(), /LimitNOFILE/);
  },
);

test('1,024 files, 988 connections held, 400 calls at once: none fails', { skip }, async (t) => {
  const target = createServer((_, response) => {
    setTimeout(() => response.end('ok'), 1_000);
  });
  await new Promise<void>((resolve) => {
    target.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => target.close(() => {}).closeAllConnections());
  const { port } = target.address() as AddressInfo;
  const calls = 400;
  const victim = await startVictim(t, {
    wrapper: [prlimit, '--nofile=1024:1024'],
    args: ['--slots-per-host', '512'],
    prepare: async ({ addJob }, firstDueAt) => {
      const createdAt = firstDueAt + 5_000 - 60_000;
      for (let number = 0; number < calls; number += 1) {
        const url = `http://127.0.0.1:${port}/${number}`;
        await addJob({ name: `slow ${number}`, url, ...everyMinute }, createdAt);
      }
    },
  });
  const args = [victim.url, '988', '12', '33'];
  const toll = await victim.watch(() => runAttack(t, 'connections.ts', args));
  t.diagnostic(JSON.stringify(toll));
  await until('the end of the runs', () => statuses(victim.log()).length >= calls);
  assert.deepEqual([...new Set(statuses(victim.log()))], ['success']);
  assert.equal(toll.healthFailed, 0);
  assert.ok(toll.healthMs < longestHealthMs);
  assert.ok(toll.latestCallMs < 5_000);
});
