import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobSentence, runsNow } from '../../../src/dashboard/view/job-state.ts';
import type { JobState, MoreOfState } from '../../../src/dashboard/view/job-state.ts';

const nowMs = Date.parse('2026-11-22T00:41:12.000Z');

function sentence(job: Partial<JobState>, more: Partial<MoreOfState> = {}) {
  const whole: JobState = {
    status: 'up',
    paused: job.status === 'paused',
    downReason: null,
    nextRunAt: '2026-11-22T01:30:00.000Z',
    timezone: 'Europe/Paris',
    ...job,
  };
  const { status, before, error, after } = jobSentence(whole, { nowMs, ...more });
  assert.equal(status, whole.status);
  assert.equal(error, whole.downReason);
  return before + (error ?? '') + after;
}

const failing = { failures: 3, failingSince: '2026-11-21T22:37:12.000Z' };

test('a job that is down says for how long, why, and when it is called again', () => {
  const down = { status: 'down', downReason: 'http: 502' } as const;
  assert.equal(
    sentence(down, failing),
    'Down for 2 h 4 m: http: 502, 3 runs in a row. It is called again at 02:30 (Europe/Paris).',
  );
  assert.equal(
    sentence(down, { ...failing, failures: 1 }),
    'Down for 2 h 4 m: http: 502. It is called again at 02:30 (Europe/Paris).',
  );
  assert.equal(sentence(down), 'Down: http: 502. It is called again at 02:30 (Europe/Paris).');
});

test('a job that is up or new says when it is called, with the day if that is another one', () => {
  assert.equal(sentence({}), 'Up. It is called next at 02:30 (Europe/Paris).');
  assert.equal(
    sentence({ nextRunAt: '2026-11-23T01:30:00.000Z' }),
    'Up. It is called next on Mon 23 Nov at 02:30 (Europe/Paris).',
  );
  // It is another day in UTC already, not in the zone of the job.
  assert.equal(
    sentence({ nextRunAt: '2026-11-22T04:59:00.000Z', timezone: 'America/New_York' }),
    'Up. It is called next at 23:59 (America/New_York).',
  );
  assert.equal(sentence({ status: 'new' }), 'No result yet. It is called at 02:30 (Europe/Paris).');
});

test('a job that keeps changing says how often it failed, and one that runs for how long', () => {
  const recent = ['success', 'failed', 'success', 'failed', 'success'];
  assert.equal(
    sentence({}, { recent }),
    'Up, but 2 of the last 5 runs failed. It is called next at 02:30 (Europe/Paris).',
  );
  assert.equal(
    sentence({ status: 'running' }, { run: { startedAt: '2026-11-22T00:40:00.000Z' } }),
    'Running for 1 m 12 s. It is called again at 02:30 (Europe/Paris).',
  );
});

test('a running or paused job that was down before says so', () => {
  assert.equal(
    sentence({ status: 'running' }),
    'Running now. It is called again at 02:30 (Europe/Paris).',
  );
  assert.equal(
    sentence({ status: 'running', downReason: 'timeout: x' }, failing),
    'Running now. Down for 2 h 4 m: timeout: x, 3 runs in a row. It is called again at 02:30 (Europe/Paris).',
  );
  assert.equal(
    sentence({ status: 'paused', nextRunAt: null }),
    'Paused. It is called again once it is resumed.',
  );
  const over = { status: 'paused', nextRunAt: null, runAt: '2026-11-22T00:41:12.000Z' } as const;
  assert.equal(sentence(over), 'Paused. Its time has passed: set a later one to have it called.');
  assert.equal(
    sentence({ status: 'paused', nextRunAt: null, downReason: 'http: 502' }, failing),
    'Paused. Down for 2 h 4 m: http: 502, 3 runs in a row. It is called again once it is resumed.',
  );
});

test('a job without a due time says why, if that is known', () => {
  const note = 'the account has expired: its jobs are called again once it is renewed';
  assert.equal(
    sentence({ nextRunAt: null }, { note }),
    'Up. The account has expired: its jobs are called again once it is renewed.',
  );
  assert.equal(sentence({ nextRunAt: null }), 'Up. It has no next due time.');
  assert.equal(sentence({ nextRunAt: '2026-11-22T00:41:12.000Z' }), 'Up. It is due now.');
});

const told = (of: { heldUntil?: string }): string => runsNow({ name: 'Shop', ...of }, nowMs);

test('who runs a held job sees that a window holds it', () => {
  assert.equal(told({}), 'Shop runs now.');
  const held = told({ heldUntil: '2026-11-22T01:30:00.000Z' });
  assert.equal(held, 'Shop runs now, though a window holds it.');
  assert.equal(told({ heldUntil: '2026-11-22T00:30:00.000Z' }), 'Shop runs now.', 'it is over');
});
