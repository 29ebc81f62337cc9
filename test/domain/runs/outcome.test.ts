/** The stored result of an attempt, and its error message (docs/behavior.md#results). */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { errorOfResult, failureReasons, outcomeOf } from '../../../src/domain/runs/outcome.ts';
import { errorWordOf, errorWords } from '../../../src/domain/runs/reason.ts';
import type { TargetResult, Failure, Response } from '../../../src/domain/runs/outcome.ts';

function answered(response: Partial<Response>): TargetResult {
  const defaults: Response = {
    httpStatus: 200,
    location: null,
    retryAfter: null,
    body: 'hello',
    truncated: false,
    broken: null,
  };
  return { kind: 'response', response: { ...defaults, ...response } };
}

test('every complete 2xx is a success and keeps the answer', () => {
  for (const httpStatus of [200, 201, 202, 204, 206, 226, 299]) {
    assert.deepEqual(outcomeOf(answered({ httpStatus })), {
      status: 'success',
      httpStatus,
      responseBody: 'hello',
      truncated: false,
      reason: null,
      detail: null,
    });
  }
});

test('a 2xx larger than the preview is a success and marked as truncated', () => {
  const outcome = outcomeOf(answered({ truncated: true }));
  assert.deepEqual([outcome.status, outcome.truncated], ['success', true]);
});

test('a 2xx with a Location header is still a success', () => {
  assert.equal(outcomeOf(answered({ httpStatus: 201, location: '/new' })).status, 'success');
});

test('a 2xx whose body breaks off is failed, with its status and the received part', () => {
  const broken: Failure = { reason: 'protocol', detail: 'the body broke off' };
  assert.deepEqual(outcomeOf(answered({ body: 'hel', broken })), {
    status: 'failed',
    httpStatus: 200,
    responseBody: 'hel',
    truncated: false,
    reason: 'protocol',
    detail: 'the body broke off',
  });
});

test('any other status is failed, with the answer kept', () => {
  for (const httpStatus of [300, 304, 400, 401, 404, 429, 499, 500, 503, 599]) {
    assert.deepEqual(outcomeOf(answered({ httpStatus })), {
      status: 'failed',
      httpStatus,
      responseBody: 'hello',
      truncated: false,
      reason: 'http',
      detail: null,
    });
  }
});

test('a redirect is failed and names its target; without a Location it is just a status', () => {
  for (const httpStatus of [301, 302, 303, 307, 308]) {
    const answer = answered({ httpStatus, location: 'https://a.example/' });
    assert.equal(outcomeOf(answer).status, 'failed');
    assert.equal(
      errorOfResult(answer),
      `redirect: ${httpStatus} to https://a.example/, redirects are not followed`,
    );
  }
  assert.equal(errorOfResult(answered({ httpStatus: 304 })), 'http: 304');
  assert.equal(errorOfResult(answered({ httpStatus: 404, location: '/x' })), 'http: 404');
});

test('a very long Location does not make a very long error', () => {
  const error = errorOfResult(answered({ httpStatus: 302, location: 'x'.repeat(60_000) }));
  assert.ok(error !== null && error.length < 300);
});

test('the error of a redirect contains no path, query, user info or terminal controls', () => {
  const rows = [
    ['https://a.example/b?token=s3cret#s3cret', 'https://a.example/...'],
    ['https://me:s3cret@a.example:8443/b', 'https://a.example:8443/...'],
    ['//a.example/b?s3cret', '//a.example/...'],
    ['/b/c?s3cret', 'another path of the same host'],
    ['https:\\\\me:s3cret@a.example\\b', 'https://a.example/...'],
    ['https://a.example/\u009b31m\u001b[2J\u202e', 'https://a.example/...'],
    ['javascript:alert("s3cret")', 'javascript:'],
    ['data:,s3cret', 'data:'],
    ['http://[s3cret', 'what is no URL'],
    ['', 'another path of the same host'],
  ] as const;
  for (const [location, shown] of rows) {
    const error = errorOfResult(answered({ httpStatus: 302, location }));
    assert.equal(error, `redirect: 302 to ${shown}, redirects are not followed`);
  }
});

test('a failed answer that also broke off has its status as the error', () => {
  const broken: Failure = { reason: 'timeout', detail: 'no answer within 1 s' };
  assert.equal(errorOfResult(answered({ httpStatus: 500, broken })), 'http: 500');
});

test('no answer is failed; the error begins with the word of the reason', () => {
  for (const reason of failureReasons) {
    const result = { kind: 'failure', failure: { reason, detail: 'the detail' } } as const;
    assert.equal(errorOfResult(result), `${errorWordOf(reason)}: the detail`);
    assert.deepEqual(outcomeOf(result), {
      status: 'failed',
      httpStatus: null,
      responseBody: null,
      truncated: false,
      reason,
      detail: 'the detail',
    });
  }
});

test('every word that an error begins with is in the docs', () => {
  const page = readFileSync(new URL('../../../docs/behavior.md', import.meta.url), 'utf8');
  const [, table = ''] = /id="result-4"(.*?)id="result-5"/s.exec(page) ?? [];
  const documented = table.matchAll(/^ *\| `(\w+)`/gm).map(([, word]) => word);
  assert.deepEqual([...documented], [...errorWords]);
});
