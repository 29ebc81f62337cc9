/** The rules for `sign` and `audience` of a job (docs/behavior.md#identity-1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeJob, defineJob } from '../../../src/domain/jobs/job-input.ts';
import type { JobInput, JobUpdate } from '../../../src/domain/jobs/job-input.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { everywhere } from '../../../src/domain/targets/target.ts';

const context = { now: Date.parse('2026-03-02T10:00:00Z'), allowTargets: everywhere };
const audience = 'https://api.example.com';

function defined(input: Partial<JobInput>): Job {
  const whole = { name: 'a', url: 'https://example.com/', ...input };
  return defineJob(whole, { ...context, id: 'job', workspaceId: 'workspace' });
}

function signing({ sign, audience: named }: Job) {
  return [sign, named];
}

const refusals: [what: string, input: Partial<JobInput>, error: RegExp][] = [
  ['a token for nobody', { sign: 'oidc' }, /^audience is needed with sign oidc: .*https:/],
  ['an audience without a token', { audience }, /^audience is for sign oidc .*got sign null$/],
  [
    'an audience of a signature',
    { sign: 'httpsig', audience },
    /^audience is for sign oidc .*got sign httpsig$/,
  ],
  ['an empty audience', { sign: 'oidc', audience: '' }, /^audience must not be empty$/],
  [
    'an audience with a space',
    { sign: 'oidc', audience: 'a b' },
    /^audience must be visible ASCII/,
  ],
  [
    'a long audience',
    { sign: 'oidc', audience: 'a'.repeat(256) },
    /^audience must be at most 255 characters, got 256$/,
  ],
  [
    'another kind',
    { sign: 'hmac' as 'oidc' },
    /^sign must be one of httpsig, oidc, oidc-rs256, got "hmac"$/,
  ],
  [
    'a second Authorization',
    { sign: 'oidc', audience, headers: { AUTHORIZATION: 'Basic eA==' } },
    /^headers must not contain AUTHORIZATION with sign oidc, which sets it: remove the header, or set sign to null$/,
  ],
  [
    'a header that servers may take for ours',
    { sign: 'httpsig', headers: { Signature_Input: 'a' } },
    /^headers must not contain Signature_Input with sign httpsig/,
  ],
];
for (const [what, input, message] of refusals) {
  test(`${what} is refused`, () => {
    assert.throws(() => defined(input), { code: 'invalid_input', message });
  });
}

test('headers that a job signs with are free for jobs that do not', () => {
  const headers = { Authorization: 'Basic eA==', Signature: 'a', 'Content-Digest': 'b' };
  assert.deepEqual(signing(defined({ headers })), [null, null]);
  const both = { sign: 'httpsig', headers: { Authorization: 'Basic eA==' } } as const;
  assert.deepEqual(signing(defined(both)), ['httpsig', null]);
});

test('an update keeps what it does not name, and an audience goes with its tokens', () => {
  const token = defined({ sign: 'oidc', audience });
  const after = (update: JobUpdate) => signing(changeJob(token, update, context));
  assert.deepEqual(after({ retries: 1 }), ['oidc', audience]);
  assert.deepEqual(after({ sign: 'oidc-rs256' }), ['oidc-rs256', audience]);
  assert.deepEqual(after({ audience: 'other' }), ['oidc', 'other']);
  assert.deepEqual(after({ sign: null }), [null, null]);
  assert.deepEqual(after({ sign: 'httpsig' }), ['httpsig', null]);
  assert.throws(() => after({ audience: null }), /audience is needed/);
  const refused = { headers: { authorization: 'x' } };
  assert.throws(() => after(refused), /headers must not contain authorization/);
  assert.throws(
    () => changeJob(defined(refused), { sign: 'oidc', audience }, context),
    /headers must not contain authorization/,
  );
});
