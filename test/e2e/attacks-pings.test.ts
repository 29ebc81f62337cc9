/** Ping URLs appear in crontabs: anyone who reads one can ping as fast as they like. */

import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { reservePath } from '../../src/store/sqlite/reserve.ts';
import { notPackaged } from '../support/running/executable.ts';
import { monitorsOf } from '../support/records/monitor.ts';
import { readAnswer } from '../support/running/daemon.ts';
import { bearer, send } from '../support/running/send.ts';
import { assertHarmless, runAttack, startVictim } from '../support/running/under-attack.ts';

const noProc = process.platform === 'linux' ? false : 'only Linux counts written bytes';
/** Stored bytes of a ping's body. */
const bodyBytes = 4_096;
/** Of one monitor, which may keep 300 at once and then two in 200 ms. */
const pings = 8_000;

test(
  'a flood of pings to a monitor is answered, writes little, and delays nobody',
  { skip: notPackaged || noProc },
  async (t) => {
    const victim = await startVictim(t);
    const ask = async (method: string, path: string, body?: unknown) => {
      const response = await send(`${victim.url}/api/v1${path}`, method, body, bearer(victim.key));
      return await readAnswer(method, response);
    };
    const { createMonitor, readPings } = monitorsOf({ ask });
    const { id, pingUrl } = await createMonitor();
    const before = writtenMB(victim.pid);
    const flood = { urls: [pingUrl, `${pingUrl}/fail`], pings, bodyBytes };
    const toll = await victim.watch(async (untilServed) => {
      const [answered] = await Promise.all([
        runAttack(t, 'pings.ts', JSON.stringify(flood)),
        untilServed(),
      ]);
      return answered;
    });
    // The reserve file is written once, some seconds after the first start.
    const reserve = statSync(reservePath(victim.dataDir), { throwIfNoEntry: false })?.size ?? 0;
    const written = writtenMB(victim.pid) - before - reserve / 1e6;
    t.diagnostic(JSON.stringify({ ...toll, writtenMB: written }));
    assert.deepEqual(toll.result, { 200: pings }, 'no valid ping is refused');
    // A ping that is kept is written twice, into the log and into the database.
    const sentMB = (pings * bodyBytes) / 1e6;
    assert.ok(written < sentMB / 2, `${written} MB of ${sentMB}`);
    assert.equal((await readPings(id, '?limit=100')).length, 100);
    // Garbage of 7,000 pings takes 60 or 100 MiB, depending on when it is collected.
    assertHarmless(toll, 160);
  },
);

/** The bytes a process has written to files so far. */
function writtenMB(pid: number): number {
  const [, bytes] = /^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8')) ?? [];
  return Number(bytes) / 1e6;
}
