/** The text that a request signature signs (RFC 9421), by the vectors of the RFCs. */

import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, hash, sign, verify } from 'node:crypto';
import { test } from 'node:test';
import {
  contentDigest,
  quoted,
  signatureBase,
  signatureParams,
  unsignedHeaders,
} from '../../../src/domain/proof/http-signature.ts';
import type { Component } from '../../../src/domain/proof/http-signature.ts';
import { thumbprint } from '../../../src/identity/keyring.ts';

/** RFC 9421, appendix B.1.4. */
const testKey = {
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU',
  x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
} as const;

test('the Ed25519 vector of RFC 9421, appendix B.2.6, is signed and verified as it is printed', () => {
  const components: Component[] = [
    ['date', 'Tue, 20 Apr 2021 02:07:55 GMT'],
    ['@method', 'POST'],
    ['@path', '/foo'],
    ['@authority', 'example.com'],
    ['content-type', 'application/json'],
    ['content-length', '18'],
  ];
  const names = components.map(([name]) => name);
  const params = signatureParams(names, { created: 1618884473, keyid: 'test-key-ed25519' });
  assert.equal(
    params,
    '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
  );
  const base = Buffer.from(signatureBase(components, params));
  const privateKey = createPrivateKey({ key: testKey, format: 'jwk' });
  const printed =
    'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==';
  assert.equal(sign(null, base, privateKey).toString('base64'), printed);
  assert.ok(verify(null, base, createPublicKey(privateKey), Buffer.from(printed, 'base64')));
});

test('the digest of a body is that of RFC 9530, and of RFC 9421 without the line break', () => {
  assert.equal(
    digestOf('{"hello": "world"}\n'),
    'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:',
  );
  assert.equal(
    digestOf('{"hello": "world"}'),
    'sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:',
  );
});

test('the id of a key is its thumbprint, as in RFC 7638 and RFC 8037', () => {
  const ed25519 = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
  assert.equal(
    thumbprint(ed25519 as Parameters<typeof thumbprint>[0]),
    'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  );
  const n =
    '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw';
  assert.equal(
    thumbprint({ kty: 'RSA', n, e: 'AQAB' }),
    'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
  );
});

test('a request without a body has no digest, and is valid for its timeout and a minute, 5 minutes at most', () => {
  const caller = {
    kind: 'httpsig',
    keyId: 'key',
    issuer: 'https://jobd.example.com',
    workspaceId: 'w',
    jobId: 'j',
    runId: 'r',
    scheduledFor: '2026-03-02T10:00:00.000Z',
    audience: null,
    at: 1_700_000_000_999,
  } as const;
  const request = { method: 'GET', targetUri: 'https://a.example/x?y', bodySha256: null };
  const { headers, base } = unsignedHeaders({ ...request, timeoutMs: 30_000 }, caller, 'n');
  const params =
    '("@method" "@target-uri" "x-service-run-id" "x-service-scheduled-for" "signature-agent");created=1700000000;expires=1700000090;nonce="n";keyid="key";tag="web-bot-auth"';
  assert.deepEqual(headers, {
    'signature-agent': '"https://jobd.example.com"',
    'signature-input': `sig1=${params}`,
  });
  assert.equal(
    base,
    `"@method": GET\n"@target-uri": https://a.example/x?y\n"x-service-run-id": r\n"x-service-scheduled-for": 2026-03-02T10:00:00.000Z\n"signature-agent": "https://jobd.example.com"\n"@signature-params": ${params}`,
  );
  const long = unsignedHeaders({ ...request, timeoutMs: 3_600_000 }, caller, 'n');
  assert.match(long.headers['signature-input'] ?? '', /;expires=1700000300;/);
});

test('quotes and backslashes in a text are escaped', () => {
  assert.equal(quoted(String.raw`a"b\c`), String.raw`"a\"b\\c"`);
});

function digestOf(body: string): string {
  return contentDigest(hash('sha256', body, 'base64'));
}
