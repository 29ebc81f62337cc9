/** Ping URLs appear in crontabs: anyone who reads one can ping as fast as they like. */

import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { reservePath } from '../../src/store/sqlite/reserve.ts';
import { notPackaged } from '../support/running/executable.ts';
import { monitorsOf } from '../support/records/monitor.ts';
import { readAnswer } from '../support/running/daemon.ts';
import { longestHealthMs, runAttack, startVictim } from '../support/running/under-attack.ts';

const noProc = process.platform === 'linux' ? false : 'only Linux counts written bytes';
/** Stored bytes of a ping's body. */
const bodyBytes = 4_096;
const seconds = 5;

test(
  'a flood of pings to a monitor is answered, writes little, and delays nobody',
  { skip: notPackaged || noProc },
  async (t) => {
    const victim = await startVictim(t);
    const ask = async (method: string, path: string, body?: unknown) => {
      const authorization = `Bearer ${victim.key}`;
      const response = await fetch(`${victim.url}/api/v1${path}`, {
        method,
        headers: {
          authorization,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return await readAnswer(method, response);
    };
    const { createMonitor, readPings } = monitorsOf({ ask });
    const { id, pingUrl } = await createMonitor();
    const before = writtenMB(victim.pid);
    const flood = { urls: [pingUrl, `${pingUrl}/fail`], pings: 1e9, seconds, bodyBytes };
    const toll = await victim.watch(() => runAttack(t, 'pings.ts', [JSON.stringify(flood)]));
    // The reserve file is written once, some seconds after the first start.
    const reserve = statSync(reservePath(victim.dataDir), { throwIfNoEntry: false })?.size ?? 0;
    const writtenPerSecond = (writtenMB(victim.pid) - before - reserve / 1e6) / seconds;
    t.diagnostic(JSON.stringify({ ...toll, writtenPerSecond }));
    const answered = toll.result as Record<string, number>;
    assert.deepEqual(Object.keys(answered), ['200'], 'no valid ping is refused');
    assert.ok((answered['200'] ?? 0) > 1_000, `${answered['200']} pings are a flood`);
    assert.ok(writtenPerSecond < 5, `${writtenPerSecond} MB a second`);
    assert.equal((await readPings(id, '?limit=100')).length, 100);
    assert.ok(toll.healthMs < longestHealthMs, `/healthz took ${toll.healthMs} ms`);
    assert.equal(toll.healthFailed, 0);
    assert.ok(toll.latestCallMs < 5_000, `a call came ${toll.latestCallMs} ms late`);
    // Garbage of 7,000 pings takes 60 or 100 MiB, depending on when it is collected.
    assert.ok(toll.grownMiB <= 160, `${toll.grownMiB} MiB more`);
  },
);

/** The bytes a process has written to files so far. */
function writtenMB(pid: number): number {
  const [, bytes] = /^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8')) ?? [];
  return Number(bytes) / 1e6;
}
