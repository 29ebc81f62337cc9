/** The line of calls that wait for a connection to one origin: no turn is lost. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../../src/domain/clock.ts';
import type { Connection } from '../../src/egress/connection.ts';
import { Deadline, DeadlineOver } from '../../src/egress/deadline.ts';
import { Pool } from '../../src/egress/pool.ts';
import type { Origin } from '../../src/egress/route.ts';
import { startTarget } from './support.ts';

test('a call that is woken when its time is already up passes its turn on to the next in line', async (t) => {
  const { port } = await startTarget(t, () => {});
  const dial = async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return { socket, wire: null, address: '127.0.0.1' };
  };
  await using pool = new Pool(dial, 1, { timers: systemClock });
  const key = `http://127.0.0.1:${port}`;
  const origin: Origin = { protocol: 'http:', host: '127.0.0.1', port, key };
  const take = (): { deadline: Deadline; taken: ReturnType<Pool['takeAny']> } => {
    const deadline = new Deadline({ timeoutMs: 60_000 });
    t.after(() => deadline.stop());
    return { deadline, taken: pool.takeAny(origin, ['127.0.0.1'], deadline) };
  };
  const only = (await take().taken) as Connection;
  const [second, third] = [take(), take()];
  only.promisedMs = 60_000;
  pool.giveBack(only);
  second.deadline.end('expired');
  await assert.rejects(second.taken, DeadlineOver);
  // Without I/O: what was passed on has arrived.
  assert.equal(await Promise.race([third.taken, setImmediate('nothing')]), only);
});
