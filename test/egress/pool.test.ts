/** Connections of one origin: no turn is lost, and one is kept only once its request is sent. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../../src/domain/clock.ts';
import type { Connection } from '../../src/egress/connection.ts';
import { Deadline, DeadlineOver } from '../../src/egress/deadline.ts';
import { Pool } from '../../src/egress/pool.ts';
import { TcpSocket } from '../../src/egress/tcp.ts';
import type { Origin } from '../../src/egress/route.ts';
import { startTarget } from './support.ts';

const deadlineFor = (t: TestContext): Deadline => {
  const deadline = new Deadline({ timeoutMs: 60_000 });
  t.after(() => deadline.stop());
  return deadline;
};

/** A pool of connections to a target that answers nothing. */
async function startPool(
  t: TestContext,
  mostOpen: number,
): Promise<{ pool: Pool; origin: Origin }> {
  const { port } = await startTarget(t, () => {});
  const dial = async () => {
    const socket = new TcpSocket().connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return { socket, wire: null, address: '127.0.0.1' };
  };
  const pool = new Pool(dial, mostOpen, { timers: systemClock });
  t.after(() => pool[Symbol.asyncDispose]());
  const key = `http://127.0.0.1:${port}`;
  return { pool, origin: { protocol: 'http:', host: '127.0.0.1', port, key } };
}

test('a call that is woken when its time is already up passes its turn on to the next in line', async (t) => {
  const { pool, origin } = await startPool(t, 1);
  const take = (): { deadline: Deadline; taken: ReturnType<Pool['takeAny']> } => {
    const deadline = deadlineFor(t);
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

test('a connection is kept if its request turns out to be sent, and closed if it does not', async (t) => {
  const { pool, origin } = await startPool(t, 8);
  for (const left of [0, 1]) {
    const connection = (await pool.takeAny(origin, ['127.0.0.1'], deadlineFor(t))) as Connection;
    let unsent = 1;
    Object.defineProperty(connection.socket, 'writableLength', { get: () => unsent });
    connection.promisedMs = 60_000;
    pool.giveBack(connection);
    assert.equal(pool.takeIdle(origin, ['127.0.0.1']), null);
    unsent = left;
    await setImmediate();
    assert.equal(pool.takeIdle(origin, ['127.0.0.1']), left === 0 ? connection : null);
    assert.equal(connection.socket.destroyed, left === 1);
  }
});
