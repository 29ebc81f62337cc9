/** The verdict on saved calls, as `jobd verify-call` gives it. */

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import type { Caller } from '../../src/domain/proof/caller.ts';
import { identify } from '../../src/identity/sign.ts';
import { readRequest } from '../../src/identity/raw-request.ts';
import { readCallKeys, verifyCall } from '../../src/identity/verify-call.ts';

const at = Date.parse('2026-03-02T10:00:00Z');
const scheduledFor = '2026-03-02T02:30:00.000Z';
const ed25519 = generateKeyPairSync('ed25519');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const jwkOf = ({ publicKey }: typeof ed25519) => publicKey.export({ format: 'jwk' });
const keys = readCallKeys([{ keys: [jwkOf(ed25519), jwkOf(rsa)] }]);
const [edId = '', rsaId = ''] = keys.keys();
const audience = 'https://api.example.com';
const body = '{"a":"ä"}';

/** A call as a target saves it. */
function saved(kind: Caller['kind'], change: (text: string) => string = (text) => text): Buffer {
  const isRsa = kind === 'oidc-rs256';
  const keyId = isRsa ? rsaId : edId;
  const who = { issuer: 'https://jobd.example.com', workspaceId: 'w', jobId: 'j', runId: 'r' };
  const caller: Caller = { kind, keyId, ...who, scheduledFor, audience, at };
  const { privateKey } = isRsa ? rsa : ed25519;
  const request = { method: 'POST', targetUri: `${audience}/x?y=1`, body, timeoutMs: 30_000 };
  const algorithm = isRsa ? 'RS256' : 'EdDSA';
  const { headers } = identify(request, caller, { keyId, algorithm, privateKey });
  const own = { 'X-Service-Run-Id': 'r', 'X-Service-Scheduled-For': scheduledFor };
  const lines = Object.entries({ Host: 'api.example.com', ...own, ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(change(`POST /x?y=1 HTTP/1.1\r\n${head}\r\n${body}`));
}

function verdictOn(bytes: Buffer, question = {}) {
  return verifyCall(readRequest(bytes, 'https'), keys, { at, audience: null, ...question });
}

test('a signature says which site called, and what nobody can have changed', () => {
  assert.deepEqual(verdictOn(saved('httpsig')), {
    verdict: 'valid',
    kind: 'httpsig',
    keyId: edId,
    issuer: 'https://jobd.example.com',
    workspaceId: null,
    jobId: null,
    runId: 'r',
    scheduledFor,
    audience: null,
    covered: [
      '@method',
      '@target-uri',
      'x-service-run-id',
      'x-service-scheduled-for',
      'content-digest',
      'signature-agent',
    ],
    expiresAt: '2026-03-02T10:01:30.000Z',
  });
});

test('a token says which workspace, job and run called', () => {
  for (const kind of ['oidc', 'oidc-rs256'] as const) {
    const found = verdictOn(saved(kind), { audience });
    assert.equal(found.verdict, 'valid');
    assert.deepEqual(
      'issuer' in found && [found.workspaceId, found.jobId, found.runId, found.audience],
      ['w', 'j', 'r', audience],
    );
    assert.equal('issuer' in found && found.scheduledFor, scheduledFor);
  }
});

const changes: [what: string, Caller['kind'], (text: string) => string, reason: RegExp][] = [
  ['another path', 'httpsig', (text) => text.replace('/x', '/z'), /does not match/],
  ['another method', 'httpsig', (text) => text.replace('POST', 'PUT'), /does not match/],
  ['another host', 'httpsig', (text) => text.replace('Host: api', 'Host: ap1'), /does not match/],
  ['another body', 'httpsig', (text) => text.replace('"a"', '"b"'), /its body is another one/],
  [
    'another run',
    'httpsig',
    (text) => text.replace('Run-Id: r', 'Run-Id: q'),
    /does not match the request/,
  ],
  [
    'another due time',
    'httpsig',
    (text) => text.replace('T02:30', 'T03:30'),
    /does not match the request/,
  ],
  [
    'another due time than that of the token',
    'oidc',
    (text) => text.replace('T02:30', 'T03:30'),
    /its X-Service-Scheduled-For is not that of its token/,
  ],
  ['no signature', 'httpsig', (text) => text.replace(/signature: .*\r\n/, ''), /neither/],
  [
    'a signature of less',
    'httpsig',
    (text) => text.replace(' "content-digest"', ''),
    /does not cover content-digest/,
  ],
  [
    'another purpose',
    'httpsig',
    (text) => text.replace('web-bot-auth', 'other'),
    /its tag is "other"/,
  ],
  [
    'another key',
    'httpsig',
    (text) => text.replace(/keyid="[^"]+"/, 'keyid="mine"'),
    /its key "mine" is not trusted/,
  ],
  [
    'a component that is there twice',
    'httpsig',
    (text) => text.replace('("@method"', '("@method" "@method"'),
    /cannot be read/,
  ],
  [
    'a token without a signature',
    'oidc',
    (text) => text.replace(/Bearer [^.]+\.([^.]+)\..*/, `Bearer ${none()}.$1.`),
    /the alg of its token is "none"/,
  ],
  [
    'a token of another run',
    'oidc',
    (text) => text.replace('Run-Id: r', 'Run-Id: q'),
    /is not that of its token/,
  ],
  ['a token that was cut', 'oidc', (text) => text.replace(/(.)\r\n\r\n/, '\r\n\r\n'), /match/],
];
for (const [what, kind, change, reason] of changes) {
  test(`refused is ${what}`, () => {
    const found = verdictOn(saved(kind, change));
    assert.equal(found.verdict, 'invalid');
    assert.match('reason' in found ? found.reason : '', reason);
  });
}

function none(): string {
  return Buffer.from(JSON.stringify({ alg: 'none', kid: edId })).toString('base64url');
}

test('refused are a call that expired, one from the future, and a token for somebody else', () => {
  for (const kind of ['httpsig', 'oidc'] as const) {
    const late = verdictOn(saved(kind), { at: at + 91_000 });
    assert.deepEqual(late, {
      verdict: 'invalid',
      reason: 'it expired at 2026-03-02T10:01:30.000Z',
    });
    const early = verdictOn(saved(kind), { at: at - 31_000 });
    assert.deepEqual(early, {
      verdict: 'invalid',
      reason: 'it is valid from 2026-03-02T10:00:00.000Z',
    });
  }
  const other = verdictOn(saved('oidc'), { audience: 'https://other.example.com' });
  assert.deepEqual(other, {
    verdict: 'invalid',
    reason: `its token is for "${audience}", not "https://other.example.com"`,
  });
});

test('an audience demands a token, also of a request that is signed', () => {
  const refused = {
    verdict: 'invalid',
    reason: 'it carries no token, and only a token has an audience',
  };
  assert.deepEqual(verdictOn(saved('httpsig'), { audience }), refused);
  const [bearer = assert.fail()] = /^Authorization: .*\r\n/im.exec(saved('oidc').toString()) ?? [];
  const both = saved('httpsig', (text) => text.replace(/^Host: /m, `${bearer}$&`));
  const byToken = verdictOn(both, { audience });
  assert.deepEqual('kind' in byToken && [byToken.kind, byToken.audience], ['oidc', audience]);
  assert.equal(verdictOn(both, { audience: 'other' }).verdict, 'invalid');
  const bySignature = verdictOn(both);
  assert.equal('kind' in bySignature && bySignature.kind, 'httpsig');
});

test('what is no request and no key is said to be none', () => {
  assert.throws(() => readRequest(Buffer.from('hello\n'), 'https'), /its first line is not METHOD/);
  assert.throws(() => readRequest(Buffer.from('GET / HTTP/1.1\n\n'), 'https'), /no Host header/);
  assert.throws(() => readRequest(Buffer.from('GET / HTTP/1.1\nx\n\n'), 'https'), /a line is not/);
  assert.throws(
    () => readRequest(Buffer.from('GET / HTTP/1.1\nHost: a\nx: a\rb\n\n'), 'https'),
    /a line is not/,
  );
  assert.throws(
    () => readRequest(Buffer.from('GET / HTTP/1.1\nHost: a\n: a\n\n'), 'https'),
    /a line is not/,
  );
  const { headers } = readRequest(Buffer.from('GET / HTTP/1.1\nHost:a\nX: \t a b \t\n\n'), 'https');
  assert.deepEqual([headers.get('host'), headers.get('x')], ['a', 'a b']);
  assert.throws(() => readCallKeys([{ keys: [] }]), /there is no key in it/);
  assert.throws(() => readCallKeys([{ kty: 'EC' }]), /neither of Ed25519 nor of RSA/);
  const secret = ed25519.privateKey.export({ format: 'jwk' });
  assert.throws(() => readCallKeys([secret]), /it has a private key/);
  assert.throws(() => readCallKeys([{ kty: 'OKP', crv: 'Ed25519', x: 'AA' }]), /a key is damaged/);
});

test('a target is taken as it was written, so another one is not the signed one', () => {
  const targets = [
    ['/delete-everything', 'api.example.com/x?y=1#'],
    ['/x?y=1#/evil', 'api.example.com'],
    ['\\x?y=1', 'api.example.com'],
    ['x?y=1', 'api.example.com/'],
    ['/x?y=1', 'api.ex%61mple.com'],
    ['/x?y=1', 'user@api.example.com'],
  ];
  for (const [target = '', host = ''] of targets) {
    const bytes = saved('httpsig', (text) =>
      text.replace('/x?y=1', target).replace('Host: api.example.com', `Host: ${host}`),
    );
    assert.throws(() => verdictOn(bytes), /^JobdError: the request cannot be read/, target);
  }
  const dots = saved('httpsig', (text) => text.replace('/x?y=1', '/admin/%2e%2e/x?y=1'));
  assert.equal(verdictOn(dots).verdict, 'invalid');
});

test('a token with something added is none', () => {
  for (const more of ['.junk', '!!==']) {
    const bytes = saved('oidc', (text) => text.replace(/(Bearer \S+)/, `$1${more}`));
    assert.deepEqual(verdictOn(bytes), { verdict: 'invalid', reason: 'its token is no JWT' });
  }
});

test('lines may end without carriage returns, and the whole URL may be in the first line', () => {
  const bytes = saved('httpsig', (text) =>
    text
      .replace('/x?y=1', `${audience}/x?y=1`)
      .replaceAll('\r\n', '\n')
      .replace(/Host: .*\n/, ''),
  );
  assert.equal(verdictOn(bytes).verdict, 'valid');
});
