/** `jobd runs tail` follows events, and polls where they do not get through. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Event } from '../../../src/api/events/contract.ts';
import type { ListedRun } from '../../../src/api/runs/contract.ts';
import { followEnded, type Following } from '../../../src/cli/runs/follow.ts';
import type { Output } from '../../../src/cli/terminal/output.ts';
import type { RunStatus } from '../../../src/domain/runs/run.ts';
import { JobdError } from '../../../src/domain/errors.ts';
import { until } from '../../support/until.ts';

const hello: Event = { event: 'hello', data: { workspaceId: 'w', version: '1', at: '' } };
const resync: Event = { event: 'resync', data: {} };

function changed(...runs: [jobId: string, status: RunStatus][]): Event {
  const named = runs.map(([jobId, status], index) => ({ id: `r${index}`, jobId, status }));
  return { event: 'changed', data: { jobs: ['edited'], runs: named, monitors: [], channels: [] } };
}

/** Follows a server whose streams are scripts, one after the other; the last one stays open. */
function start(
  t: TestContext,
  streams: readonly (readonly (Event | JobdError)[])[],
  following: Partial<Following> = {},
) {
  const interrupt = new AbortController();
  t.after(() => interrupt.abort());
  const [asked, printed, said]: [string[], string[], string[]] = [[], [], []];
  let opened = 0;
  const output = {
    say: (line) => void said.push(line),
  } as Output;
  const ended = followEnded({
    follower: {
      async poll(changes) {
        const named = [...(changes ?? [])].map(
          ([id, { jobId, status }]) => `${id} ${jobId} ${status}`,
        );
        asked.push(changes === undefined ? 'all' : named.join());
        return [{ id: `run ${asked.length}`, status: 'success' } as ListedRun];
      },
    },
    async *listen(signal) {
      const script = streams[opened] ?? [];
      opened += 1;
      for (const step of script) {
        if (step instanceof JobdError) throw step;
        yield step;
        // What the follower does with it needs no timer and no socket here, so it has asked before the next event.
        await setImmediate();
      }
      if (opened < streams.length) return;
      // Like a request, it rejects when it is aborted.
      await setTimeout(600_000, undefined, { signal });
    },
    output,
    print: (run) => void printed.push(JSON.stringify(run)),
    status: null,
    jobId: null,
    signal: interrupt.signal,
    ...following,
  });
  return { ended, asked, printed, said, stop: () => interrupt.abort() };
}

test('it asks about everything at first and after a resync, else about the runs that changed', async (t) => {
  const script = [
    hello,
    changed(['a', 'success'], ['b', 'running'], ['c', 'missed']),
    resync,
    changed(['b', 'interrupted']),
  ];
  const { ended, asked, printed, said, stop } = start(t, [script]);
  await until('all answers', () => asked.length === 4);
  assert.deepEqual(asked, [
    'all',
    'r0 a success,r1 b running,r2 c missed',
    'all',
    'r0 b interrupted',
  ]);
  await until('all lines', () => printed.length === 4);
  stop();
  await ended;
  assert.deepEqual(said, []);
});

test('with --job it asks about no other job', async (t) => {
  const script = [hello, changed(['other', 'success']), changed(['mine', 'success'])];
  const { asked } = start(t, [script], { jobId: 'mine' });
  await until('both answers', () => asked.length === 2);
  assert.deepEqual(asked, ['all', 'r0 mine success']);
});

test('it connects again, asks about everything, and says so', async (t) => {
  const broken = new JobdError('unreachable', 'gone \u001b[2J');
  const { asked, said } = start(t, [[hello, broken], [hello]]);
  await until('the second stream', () => said.length === 2);
  assert.deepEqual(said, ['gone ; connecting again', 'events come again']);
  await until('its answer', () => asked.length === 2);
  assert.deepEqual(asked, ['all', 'all']);
});

test('it polls when the stream breaks twice, and where there are no events', async (t) => {
  const broken = new JobdError('unreachable', 'gone');
  const twice = start(t, [[broken], [broken], [hello]]);
  await until('polls', () => twice.asked.length === 2);
  assert.deepEqual(twice.said, ['gone; connecting again', 'gone; polling']);

  const never = start(t, [
    [new JobdError('not_found', 'there is nothing at GET /events')],
    [hello],
  ]);
  await until('polls', () => never.asked.length === 2);
  assert.deepEqual(never.said, ['this server has no events; polling']);
  never.stop();
  await never.ended;
});

test('it says once that a server limits it', async (t) => {
  const limited = new JobdError('rate_limited', 'slowly', { retryAfterSeconds: 99_999 });
  const follower = { poll: (): Promise<ListedRun[]> => Promise.reject(limited) };
  const { said, stop, ended } = start(t, [[hello]], { follower });
  await until('the sentence', () => said.length > 0);
  assert.deepEqual(said, ['slowly; retrying']);
  stop();
  await ended;
});

test('a key that is not valid any more ends it', async (t) => {
  const { ended } = start(t, [[hello], [new JobdError('unauthenticated', 'revoked')], []]);
  await assert.rejects(ended, { code: 'unauthenticated', message: 'revoked' });
});
